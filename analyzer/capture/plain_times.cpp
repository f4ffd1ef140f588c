// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "plain_times.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <tuple>

#include "report.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

using launch_kind = std::tuple<std::string, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>>;

template <class Launch>
launch_kind kind_of(const Launch& of) {
  return {of.kernel, of.grid, of.block};
}

std::map<launch_kind, std::vector<double>> times_of(const timeline& run) {
  std::map<launch_kind, std::vector<double>> times;
  for (const launch& one : run.launches)
    if (one.event_time_ns != 0) times[kind_of(one)].push_back(static_cast<double>(one.event_time_ns));
  return times;
}

struct launch_count {
  std::uint64_t here = 0;
  std::uint64_t there = 0;
  bool replayed = false;
};

/// How often the other run did what the traced one did: the same for all kinds of launches, else 1.
std::uint64_t repetitions_of(const std::map<launch_kind, launch_count>& counts) {
  std::uint64_t repeated = 0;
  for (const auto& [kind, count] : counts) {
    if (count.replayed) continue;
    if (count.here == 0 || count.there == 0 || count.there % count.here != 0) return 1;
    if (repeated != 0 && repeated != count.there / count.here) return 1;
    repeated = count.there / count.here;
  }
  return std::max<std::uint64_t>(repeated, 1);
}

std::string times_text(std::uint64_t count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

}  // namespace

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void add_plain_times(const timeline& plain, const timeline& traced, report& to) {
  const auto plain_by_kind = times_of(plain), traced_by_kind = times_of(traced);
  bool has_any = false;
  for (launch_report& launch : to.launches) {
    const auto without = plain_by_kind.find(kind_of(launch)), with = traced_by_kind.find(kind_of(launch));
    if (without == plain_by_kind.end() || with == traced_by_kind.end()) continue;
    launch.plain = {without->second.size(), with->second.size(), *median_of(without->second), *median_of(with->second)};
    has_any = true;
  }
  if (!has_any && !to.launches.empty())
    to.warnings.emplace_back(
        "no launch has a time in both the plain and the traced run, so what tracing costs is not known: launches by "
        "iket::launch are timed");
}

bool compare_runs(const std::string& run, const timeline& other, const timeline& traced, bool may_repeat,
                  std::vector<std::string>& warnings) {
  std::map<launch_kind, launch_count> counts;
  for (const launch& one : traced.launches) {
    launch_count& count = counts[kind_of(one)];
    ++count.here;
    count.replayed = count.replayed || one.regions != 0;
  }
  for (const launch& one : other.launches) ++counts[kind_of(one)].there;
  const std::uint64_t repeated = may_repeat ? repetitions_of(counts) : 1;
  bool alike = true;
  for (const auto& [kind, count] : counts) {
    if (count.here * repeated == count.there || count.replayed) continue;
    alike = false;
    warnings.push_back("the " + run + " run differs from the traced one: it launched '" + std::get<0>(kind) +
                       "' with grid " + extent_text(std::get<1>(kind)) + " and block " +
                       extent_text(std::get<2>(kind)) + " " + times_text(count.there) + ", the traced one " +
                       times_text(count.here) + "; give the program the same work in each run");
  }
  return alike;
}

}  // namespace iket::analysis
