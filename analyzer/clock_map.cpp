// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_map.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "busy_times.hpp"
#include "clock_domains.hpp"
#include "domain_map.hpp"
#include "pair_vote.hpp"
#include "parallel.hpp"
#include "rough_rate.hpp"
#include "timer_tick.hpp"

namespace iket::analysis {
namespace {

constexpr double any_rate_ticks = 20;  // span from which pairs tell a rate at all, to five per cent
constexpr double launch_vote = 4;      // factor that an SM's rate may be from the rough one
constexpr double busy_vote = 1.3;      // factor that the rate may change by within a busy time

picoseconds in_picoseconds(double ns) {
  return static_cast<picoseconds>(std::llround(std::clamp(ns * 1000, -2e18, 2e18)));
}

}  // namespace

class clock_map_builder {
 public:
  clock_map_builder(clock_map& to, std::vector<sm_pair> pairs, std::uint64_t zero_ns, std::uint32_t rated_khz,
                    double known_tick_ns, bool stays_busy)
      : to_(to), pairs_(std::move(pairs)), zero_ns_(zero_ns), known_tick_ns_(known_tick_ns) {
    to_.rate_is_guess_ = rated_khz == 0;
    rated_ = rated_khz != 0 ? 1e6 / rated_khz : 1.0;
    rates_.stays_busy = stays_busy;
  }

  void build() {
    find_rough_rate();
    drop_by_launch();
    rates_.busy = number_busy_times(pairs_);
    std::sort(pairs_.begin(), pairs_.end(), by_sm);
    const timer_reading reading = default_reading(step_, rates_.rough);
    for (clock_domain& domain : group_into_domains(pairs_, rates_.rough, reading)) add_domain(domain, reading);
    find_rates(reading);
    add_chains();
    std::sort(to_.sms_.begin(), to_.sms_.end(), [](const auto& a, const auto& b) { return a.sm < b.sm; });
    if (to_.chains_.empty()) to_.chains_.emplace_back(0, uncertain_time{}, rated_ * 1000);
  }

 private:
  static bool by_sm(const sm_pair& a, const sm_pair& b) { return std::tie(a.sm, a.cycles) < std::tie(b.sm, b.cycles); }
  static bool by_launch(const sm_pair& a, const sm_pair& b) {
    return std::tie(a.sm, a.launch, a.cycles) < std::tie(b.sm, b.launch, b.cycles);
  }

  /// Calls `use` with the pairs of each launch on each SM, and with the same as points.
  template <class Use>
  void for_each_launch(Use use) const {
    std::vector<clock_point> points;
    for (std::size_t first = 0, last = 0; first < pairs_.size(); first = last) {
      const sm_pair& from = pairs_[first];
      points.clear();
      for (; last < pairs_.size() && pairs_[last].sm == from.sm && pairs_[last].launch == from.launch; ++last)
        points.push_back({signed_distance(from.cycles, pairs_[last].cycles),
                          signed_distance(from.globaltimer_ns, pairs_[last].globaltimer_ns), from.sm, 0});
      use(std::span(pairs_).subspan(first, last - first), std::span<const clock_point>(points));
    }
  }

  void find_rough_rate() {
    std::sort(pairs_.begin(), pairs_.end(), by_launch);
    std::vector<weighted_slope> slopes;
    for_each_launch([&](const auto&, const auto& points) { collect_slopes(points, 8, slopes); });
    const double rough = weighted_median(slopes);
    step_ = estimate_timer_step(pairs_, rough > 0 ? rough : rated_);
    if (step_.ns > 0) step_.ns = std::max(step_.ns, known_tick_ns_);
    to_.tick_ns_ = step_.ns;
    to_.rate_assumed_ = step_.ns == 0 || agreeing_span_ns(slopes, rough) < any_rate_ticks * step_.ns;
    to_.rate_is_guess_ = to_.rate_is_guess_ && to_.rate_assumed_;
    rates_.rough = to_.rate_assumed_ ? rated_ : rough;
  }

  /// Leaves out the pairs that the others of their SM and launch vote down.
  void drop_by_launch() {
    if (to_.rate_assumed_) return;
    std::vector<sm_pair> kept;
    kept.reserve(pairs_.size());
    const vote_rule rule{rates_.rough / launch_vote, rates_.rough * launch_vote, 2 * step_.ns + 200, 4};
    for_each_launch([&](const auto& pairs, const auto& points) {
      const std::vector<bool> out = outvoted(points, rule);
      for (std::size_t i = 0; i < pairs.size(); ++i)
        if (!out[i]) kept.push_back(pairs[i]);
    });
    to_.outliers_ += pairs_.size() - kept.size();
    pairs_ = std::move(kept);
  }

  void add_domain(const clock_domain& domain, const timer_reading& reading) {
    domain_points work;
    work.sms = domain.sms;
    work.first_cycles = domain.pairs.front().cycles;
    work.first_ns = domain.pairs.front().globaltimer_ns;
    work.points.reserve(domain.pairs.size());
    for (const sm_pair& pair : domain.pairs)
      work.points.push_back({signed_distance(work.first_cycles, pair.cycles),
                             signed_distance(work.first_ns, pair.globaltimer_ns), pair.sm, pair.launch});
    if (!to_.rate_assumed_) drop_by_domain(work.points, reading);
    work.windows = counter_windows(work.points, reading);
    domains_.push_back(std::move(work));
  }

  /// Leaves out the pairs that those near in time vote down, of whatever SM.
  void drop_by_domain(std::vector<clock_point>& points, const timer_reading& reading) {
    std::vector<clock_point> kept;
    kept.reserve(points.size());
    for (std::size_t first = 0, last = 0; first < points.size(); first = last) {
      while (last < points.size() && points[last].busy == points[first].busy) ++last;
      const std::span<const clock_point> busy = std::span<const clock_point>(points).subspan(first, last - first);
      std::vector<weighted_slope> slopes;
      collect_slopes(busy, 64, slopes);
      const double median = weighted_median(slopes);
      const double rate = median > 0 ? median : rates_.rough;
      const vote_rule rule = make_rule(busy, rate, 1.5 * reading.width_ns() + 20, busy_vote);
      const std::vector<bool> out = outvoted(busy, rule);
      std::vector<clock_point> agreeing;
      for (std::size_t i = 0; i < busy.size(); ++i)
        if (!out[i]) agreeing.push_back(busy[i]);
      const std::vector<bool> alone = standing_out(agreeing, rule);
      for (std::size_t i = 0; i < agreeing.size(); ++i)
        if (!alone[i]) kept.push_back(agreeing[i]);
    }
    to_.outliers_ += points.size() - kept.size();
    points = std::move(kept);
  }

  void find_rates(const timer_reading& reading) {
    rates_.bounds = rate_bounds(rates_.rough, to_.rate_assumed_);
    for (const domain_points& domain : domains_) rates_.bounds.add(domain.points, domain.windows);
    to_.sm_ghz_ = rates_.bounds.ghz();
    reading_errors errors(reading, rates_.rough);
    for (domain_points& domain : domains_)
      domain.constants = errors.add(domain.points, domain.windows.steady, domain.sms);
    rates_.reading = errors.reading();
    rates_.is_measured = errors.is_measured();
    rates_.is_assumed = to_.rate_assumed_;
  }

  void add_chains() {
    std::erase_if(domains_, [](const domain_points& domain) { return domain.points.empty(); });
    std::vector<std::optional<domain_map>> maps(domains_.size());
    for_each_job(maps.size(),
                 [&](std::size_t i, unsigned) { maps[i] = make_domain_map(domains_[i], rates_, zero_ns_); });
    for (std::size_t i = 0; i < maps.size(); ++i) add(domains_[i], std::move(*maps[i]));
  }

  void add(const domain_points& domain, domain_map map) {
    for (std::size_t i = 0; i < domain.sms.size(); ++i) {
      const sm_constant& constant = domain.constants[i];
      to_.sms_.push_back({domain.sms[i], static_cast<index>(to_.chains_.size()), in_picoseconds(-constant.offset_ns),
                          in_picoseconds(constant.doubt_ns)});
    }
    to_.domains_.push_back(domain.sms);
    to_.chains_.push_back(std::move(map.chain));
    to_.outliers_ += map.left_out;
  }

  clock_map& to_;
  std::vector<sm_pair> pairs_;
  std::uint64_t zero_ns_;
  double known_tick_ns_;
  double rated_ = 0;  // [ns per cycle]
  timer_step step_;
  device_rates rates_;
  std::vector<domain_points> domains_;
};

clock_map::clock_map(std::vector<sm_pair> pairs, std::uint64_t zero_ns, std::uint32_t rated_khz, double known_tick_ns,
                     bool stays_busy) {
  clock_map_builder(*this, std::move(pairs), zero_ns, rated_khz, known_tick_ns, stays_busy).build();
}

const clock_map::sm_entry* clock_map::find(std::uint32_t sm) const noexcept {
  const auto at = std::lower_bound(sms_.begin(), sms_.end(), sm,
                                   [](const sm_entry& e, std::uint32_t wanted) { return e.sm < wanted; });
  return at != sms_.end() && at->sm == sm ? &*at : nullptr;
}

sm_clock clock_map::of(std::uint32_t sm) const noexcept {
  const sm_entry* const found = find(sm);
  if (found == nullptr) return {chains_.front(), 0, 0};
  return {chains_[found->chain], found->offset, found->doubt};
}

index clock_map::domain_of(std::uint32_t sm) const noexcept {
  const sm_entry* const found = find(sm);
  return found != nullptr ? found->chain : none;
}

std::size_t clock_map::knots() const noexcept {
  return std::accumulate(chains_.begin(), chains_.end(), std::size_t{0},
                         [](std::size_t sum, const clock_chain& chain) { return sum + chain.knots().size(); });
}

}  // namespace iket::analysis
