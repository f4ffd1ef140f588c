// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/block_sums.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "parallel.hpp"
#include "role_statistics.hpp"
#include "stage_statistics.hpp"
#include "statistics/scope.hpp"

namespace iket::analysis {
namespace {

template <class Which>
constexpr std::size_t number(Which which) {
  return static_cast<std::size_t>(which);
}

constexpr std::size_t stage_sums = number(stage_sum::count);
constexpr std::size_t role_sums = number(role_sum::count);
constexpr std::size_t cta_sums = number(cta_sum::count);
constexpr std::size_t nowhere = ~std::size_t{0};

/// Where each value is in a list.
template <class Value>
class places {
 public:
  explicit places(const std::vector<Value>& of) {
    for (std::size_t i = 0; i < of.size(); ++i) places_.emplace(of[i], i);
  }

  [[nodiscard]] std::size_t operator()(const Value& value) const {
    const auto found = places_.find(value);
    return found == places_.end() ? nowhere : found->second;
  }

 private:
  std::map<Value, std::size_t> places_;
};

/// Adds up the warps of a timeline in the columns that its stages and roles have.
class adder {
 public:
  adder(const timeline& source, const compared_names& names, std::size_t first_role, std::size_t first_cta)
      : source_(source), first_cta_(first_cta) {
    const auto add = [](std::vector<std::size_t>& to, std::size_t first, std::size_t place, std::size_t width) {
      to.push_back(place == nowhere ? nowhere : first + place * width);
    };
    const places stage_place(names.stages);
    const places role_place(names.roles);
    for (const stage& one : source.stages) add(stages_, 0, stage_place(compared_stage{one.name, one.kind}), stage_sums);
    for (const std::string& role : source.roles) add(roles_, first_role, role_place(role), role_sums);
    add(roles_, first_role, role_place(role_name(source, none)), role_sums);
  }

  void add(const cta_warps& cta, double* to) const {
    to[first_cta_ + number(cta_sum::ctas)] += 1;
    for (const warp_timeline& warp : cta) {
      to[first_cta_ + number(cta_sum::lifetime_ps)] += static_cast<double>(warp.close - warp.open);
      for (const range& one : warp.ranges) add(one, to);
      add_role(warp, to);
    }
  }

 private:
  void add(const range& one, double* to) const {
    if (one.stage == none || one.state != range_state::whole || stages_[one.stage] == nowhere) return;
    double* const sums = to + stages_[one.stage];
    sums[number(stage_sum::self_ps)] += static_cast<double>(one.self);
    sums[number(stage_sum::ranges)] += 1;
  }

  void add_role(const warp_timeline& warp, double* to) const {
    const std::size_t column = warp.role == none ? roles_.back() : roles_.at(warp.role);
    if (column == nowhere) return;
    const role_statistics times = role_times_of(source_, warp);
    to[column + number(role_sum::work_ps)] += static_cast<double>(times.work);
    to[column + number(role_sum::wait_ps)] += static_cast<double>(times.wait);
    to[column + number(role_sum::untracked_ps)] += static_cast<double>(times.untracked);
    to[column + number(role_sum::warps)] += 1;
  }

  const timeline& source_;
  std::size_t first_cta_;
  std::vector<std::size_t> stages_;  // of the timeline's
  std::vector<std::size_t> roles_;   // of the timeline's, then of the warps without one
};

std::size_t quotient_up(std::size_t count, std::size_t by) { return (count + by - 1) / by; }

std::vector<placed_cta> ctas_of(const scope_units& launch) {
  std::vector<placed_cta> ctas;
  for (std::size_t unit = 0; unit < launch.size(); ++unit)
    for (const cta_warps& cta : launch[unit]) ctas.push_back({cta.front().cta_linear, unit});
  return ctas;
}

/// Empty where launches differ.
std::vector<placed_cta> common_ctas_of(const std::vector<scope_units>& launches) {
  if (launches.empty()) return {};
  std::vector<placed_cta> first = ctas_of(launches.front());
  for (const scope_units& one : launches)
    if (ctas_of(one) != first) return {};
  return first;
}

/// Of some launches the units from `first` on.
struct block {
  std::span<const scope_units> launches;
  std::size_t first = 0;
};

}  // namespace

block_sums::block_sums(const timeline& source, const launch_group& group, const compared_names& names,
                       std::size_t block_size)
    : first_role_(stage_sums * names.stages.size()),
      first_cta_(first_role_ + role_sums * names.roles.size()),
      columns_(first_cta_ + cta_sums) {
  std::vector<scope_units> launches;
  std::vector<picoseconds> durations;
  for (const launch* const one : group) {
    if (one->warps.empty()) continue;
    launches.emplace_back(*one, scope::cluster);
    durations.push_back(one->end - one->begin);
    units_ += launches.back().size();
  }
  common_ctas_ = common_ctas_of(launches);
  const std::size_t together = quotient_up(launches.size(), most_launch_blocks);
  std::vector<block> blocks;
  for (std::size_t first = 0; first < launches.size(); first += together) {
    const auto these = std::span(launches).subspan(first, std::min(together, launches.size() - first));
    launch_counts_.push_back(these.size());
    durations_.push_back(0);
    std::size_t longest = 0;
    for (std::size_t i = 0; i < these.size(); ++i) {
      durations_.back() += static_cast<double>(durations[first + i]);
      longest = std::max(longest, these[i].size());
    }
    for (std::size_t unit = 0; unit < longest; unit += block_size) blocks.push_back({these, unit});
    first_.push_back(blocks.size());
  }
  values_.assign(blocks.size() * columns_, 0);
  const adder adds(source, names, first_role_, first_cta_);
  for_each_job(blocks.size(), [&](std::size_t number, unsigned) {
    for (const scope_units& one : blocks[number].launches)
      for (std::size_t unit = blocks[number].first; unit < std::min(blocks[number].first + block_size, one.size());
           ++unit)
        for (const cta_warps& cta : one[unit]) adds.add(cta, values_.data() + number * columns_);
  });
}

double block_sums::of_stage(std::size_t block, std::size_t stage, stage_sum which) const {
  return values_[block * columns_ + stage * stage_sums + number(which)];
}

double block_sums::of_role(std::size_t block, std::size_t role, role_sum which) const {
  return values_[block * columns_ + first_role_ + role * role_sums + number(which)];
}

double block_sums::of_ctas(std::size_t block, cta_sum which) const {
  return values_[block * columns_ + first_cta_ + number(which)];
}

}  // namespace iket::analysis
