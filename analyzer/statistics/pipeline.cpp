// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/pipeline.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "limits.hpp"
#include "stage_statistics.hpp"

namespace iket::analysis {
namespace {

using line = std::pair<const line_key, pipeline_line>;

bool is_loop(const pipeline_line& of) {
  return !of.runs.empty() && of.latencies.size() >= fewest_iterations * of.runs.size();
}

/// Calls `visit(a, b)` for the runs of two lines in one CTA; null where one has none.
template <class Visit>
void for_each_cta(const pipeline_line& a, const pipeline_line& b, Visit&& visit) {
  auto x = a.runs.begin();
  auto y = b.runs.begin();
  const auto cta = [](const line_run& run) { return std::pair(run.launch, run.cta); };
  while (x != a.runs.end() || y != b.runs.end()) {
    const bool has_x = x != a.runs.end() && (y == b.runs.end() || cta(*x) <= cta(*y));
    const bool has_y = y != b.runs.end() && (x == a.runs.end() || cta(*y) <= cta(*x));
    visit(has_x ? &*x : nullptr, has_y ? &*y : nullptr);
    if (has_x) ++x;
    if (has_y) ++y;
  }
}

/// Three quarters of the iterations have a partner in the same CTA, and half of the shorter line's time is the other's.
bool run_together(const pipeline_line& a, const pipeline_line& b) {
  std::uint64_t paired = 0;
  std::uint64_t all = 0;
  picosecond_sum both = 0;
  picosecond_sum shorter = 0;
  for_each_cta(a, b, [&](const line_run* x, const line_run* y) {
    all += std::max(x != nullptr ? x->iterations : 0, y != nullptr ? y->iterations : 0);
    if (x == nullptr || y == nullptr) return;
    paired += std::min(x->iterations, y->iterations);
    const picoseconds begin = std::max(x->first_begin, y->first_begin);
    both += std::max<picoseconds>(std::min(x->last_end, y->last_end) - begin, 0);
    shorter += std::min(x->last_end - x->first_begin, y->last_end - y->first_begin);
  });
  return 4 * paired >= 3 * all && 2 * both >= shorter;
}

/// Groups of lines that run together, through others as well.
std::vector<std::vector<const line*>> join(const std::vector<const line*>& loops) {
  std::vector<std::size_t> group(loops.size());
  std::iota(group.begin(), group.end(), 0);
  for (std::size_t i = 0; i < loops.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (group[i] != group[k] && run_together(loops[i]->second, loops[k]->second))
        std::replace(group.begin(), group.end(), std::max(group[i], group[k]), std::min(group[i], group[k]));
  std::vector<std::vector<const line*>> groups(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) groups[group[i]].push_back(loops[i]);
  std::erase_if(groups, [](const auto& one) { return one.empty(); });
  return groups;
}

/// When the lines of a pipeline begin and end in one CTA.
struct cta_phases {
  picoseconds first_begin = 0, last_begin = 0, first_end = 0, last_end = 0;
};

std::map<std::pair<std::size_t, std::uint32_t>, cta_phases> phases_by_cta(const std::vector<const line*>& lines) {
  std::map<std::pair<std::size_t, std::uint32_t>, cta_phases> result;
  for (const line* one : lines)
    for (const line_run& run : one->second.runs) {
      const auto [place, is_new] = result.try_emplace(
          {run.launch, run.cta}, cta_phases{run.first_begin, run.first_begin, run.last_end, run.last_end});
      if (is_new) continue;
      cta_phases& to = place->second;
      to.first_begin = std::min(to.first_begin, run.first_begin);
      to.last_begin = std::max(to.last_begin, run.first_begin);
      to.first_end = std::min(to.first_end, run.last_end);
      to.last_end = std::max(to.last_end, run.last_end);
    }
  return result;
}

void add(const cta_phases& cta, pipeline_phases& to) {
  to.fill += cta.last_begin - cta.first_begin;
  const picoseconds steady_end = std::max(cta.first_end, cta.last_begin);
  to.steady += steady_end - cta.last_begin;
  to.drain += cta.last_end - steady_end;
}

/// The value at rank ceil(percent / 100 * n), as in the stage statistics, of n values in any order. O(n).
picoseconds percentile_of(std::vector<picoseconds>& values, std::uint64_t percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() * percent + 99) / 100 - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

pipeline_stage stage_of(const timeline& source, const activity_table& activities, const line& from) {
  const auto& [key, of] = from;
  pipeline_stage to;
  to.stage = activities.name(key.activity);
  to.role = role_name(source, key.role);
  to.by_payload = of.by_order == 0;
  to.iterations = of.latencies.size();
  std::vector<picoseconds> latencies = of.latencies;
  std::vector<picoseconds> intervals = of.intervals;
  to.latency_p50 = percentile_of(latencies, 50);
  to.latency_p90 = percentile_of(latencies, 90);
  to.latency_max = percentile_of(latencies, 100);
  to.interval_p50 = percentile_of(intervals, 50);
  if (activities.is_in_flight(key.activity)) to.depth = of.depth;
  return to;
}

picosecond_sum mean_begin_key(const line& of) {
  picosecond_sum sum = 0;
  for (const line_run& run : of.second.runs) sum += run.first_begin;
  return sum / static_cast<picosecond_sum>(of.second.runs.size());
}

pipeline pipeline_of(const timeline& source, std::vector<const line*> lines) {
  const activity_table activities{&source.stages};
  std::stable_sort(lines.begin(), lines.end(),
                   [](const line* a, const line* b) { return mean_begin_key(*a) < mean_begin_key(*b); });
  pipeline result;
  std::set<index> roles;
  bool has_flights = false;
  for (const line* one : lines) {
    result.stages.push_back(stage_of(source, activities, *one));
    roles.insert(one->first.role);
    has_flights = has_flights || activities.is_in_flight(one->first.activity);
    if (one->second.by_order != 0 && one->second.by_payload != 0)
      result.unknown.push_back("iterations of '" + result.stages.back().stage +
                               "': some of its ranges carry a payload and some do not");
  }
  result.interval = result.stages.back().interval_p50;
  const auto by_cta = phases_by_cta(lines);
  result.ctas = by_cta.size();
  if (!has_flights)
    result.unknown.push_back("depth used: no work range's payload is that of a wait of another warp that ends later");
  if (roles.size() == 1) {
    result.unknown.push_back("fill and drain: one role runs all stages");
    return result;
  }
  result.phases.emplace();
  for (const auto& [cta, phases] : by_cta) add(phases, *result.phases);
  return result;
}

}  // namespace

pipelines_report pipelines_of(const timeline& source, const std::map<line_key, pipeline_line>& lines) {
  std::vector<const line*> loops;
  for (const line& one : lines)
    if (is_loop(one.second)) loops.push_back(&one);
  pipelines_report result;
  if (loops.size() > limits::pipeline_lines) {
    result.reason = "more than " + std::to_string(limits::pipeline_lines) + " stages and roles loop";
    return result;
  }
  if (loops.empty())
    result.reason = "no stage has " + std::to_string(fewest_iterations) +
                    " whole ranges in a CTA while all of its traced warps are observed";
  for (std::vector<const line*>& group : join(loops)) result.pipelines.push_back(pipeline_of(source, std::move(group)));
  const auto iterations = [](const pipeline& of) { return of.stages.front().iterations; };
  std::stable_sort(result.pipelines.begin(), result.pipelines.end(),
                   [&](const pipeline& a, const pipeline& b) { return iterations(a) > iterations(b); });
  return result;
}

}  // namespace iket::analysis
