// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_map.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "busy_times.hpp"
#include "clock_domains.hpp"
#include "envelope_chain.hpp"
#include "pair_means.hpp"
#include "pair_vote.hpp"
#include "rate_bounds.hpp"
#include "reading_errors.hpp"
#include "rough_rate.hpp"
#include "time_envelope.hpp"
#include "timer_tick.hpp"

namespace iket::analysis {
namespace {

constexpr double any_rate_ticks = 20;  // span from which pairs tell a rate at all, to five per cent
constexpr double launch_vote = 4;      // factor that an SM's rate may be from the rough one
constexpr double busy_vote = 1.3;      // factor that the rate may change by within a busy time

double signed_distance(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(static_cast<std::int64_t>(to - from));
}

picoseconds in_picoseconds(double ns) {
  return static_cast<picoseconds>(std::llround(std::clamp(ns * 1000, -2e18, 2e18)));
}

/// One domain while its map is made.
struct domain_work {
  std::vector<std::uint32_t> sms;
  std::uint64_t first_cycles = 0;
  std::uint64_t first_ns = 0;
  std::vector<clock_point> points;
  counter_windows windows;
  std::vector<sm_constant> constants;  // by SM
};

}  // namespace

class clock_map_builder {
 public:
  clock_map_builder(clock_map& to, std::vector<sm_pair> pairs, std::uint64_t zero_ns, std::uint32_t rated_khz,
                    double known_tick_ns)
      : to_(to), pairs_(std::move(pairs)), zero_ns_(zero_ns), known_tick_ns_(known_tick_ns) {
    to_.rate_is_guess_ = rated_khz == 0;
    rated_ = rated_khz != 0 ? 1e6 / rated_khz : 1.0;
  }

  void build() {
    find_rough_rate();
    drop_by_launch();
    busy_ = number_busy_times(pairs_);
    std::sort(pairs_.begin(), pairs_.end(), by_sm);
    const timer_reading reading = default_reading(step_, rough_);
    for (clock_domain& domain : group_into_domains(pairs_, rough_, reading)) add_domain(domain, reading);
    rates_ = rate_bounds(rough_, to_.rate_assumed_);
    for (const domain_work& work : work_) rates_.add(work.points, work.windows);
    to_.sm_ghz_ = rates_.ghz();
    reading_errors errors(reading, rough_);
    for (domain_work& work : work_) work.constants = errors.add(work.points, work.windows.steady, work.sms);
    reading_ = errors.reading();
    is_measured_ = errors.is_measured();
    for (const domain_work& work : work_) add_chain(work);
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
    rough_ = to_.rate_assumed_ ? rated_ : rough;
  }

  /// Leaves out the pairs that the others of their SM and launch vote down.
  void drop_by_launch() {
    if (to_.rate_assumed_) return;
    std::vector<sm_pair> kept;
    kept.reserve(pairs_.size());
    const vote_rule rule{rough_ / launch_vote, rough_ * launch_vote, 2 * step_.ns + 200, 4};
    for_each_launch([&](const auto& pairs, const auto& points) {
      const std::vector<bool> out = outvoted(points, rule);
      for (std::size_t i = 0; i < pairs.size(); ++i)
        if (!out[i]) kept.push_back(pairs[i]);
    });
    to_.outliers_ += pairs_.size() - kept.size();
    pairs_ = std::move(kept);
  }

  void add_domain(const clock_domain& domain, const timer_reading& reading) {
    domain_work work;
    work.sms = domain.sms;
    work.first_cycles = domain.pairs.front().cycles;
    work.first_ns = domain.pairs.front().globaltimer_ns;
    work.points.reserve(domain.pairs.size());
    for (const sm_pair& pair : domain.pairs)
      work.points.push_back({signed_distance(work.first_cycles, pair.cycles),
                             signed_distance(work.first_ns, pair.globaltimer_ns), pair.sm, pair.launch});
    if (!to_.rate_assumed_) drop_by_domain(work.points, reading);
    work.windows = counter_windows(work.points, reading);
    work_.push_back(std::move(work));
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
      const double rate = median > 0 ? median : rough_;
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

  void add_chain(const domain_work& work) {
    if (work.points.empty()) return;
    const std::vector<rate_range> local = rates_.steady(work.points, work.windows);
    std::vector<rate_range> rates = rates_.behind(work.points, work.windows, local);
    std::vector<time_bounds> bounds = bounds_of(work);
    add_means(work, bounds, rates);
    const chain_ends ends = add_ends(work, local, bounds, rates);
    const time_envelope envelope(std::move(bounds), std::move(rates), rate_bounds::with_margin(rates_.anywhere()));
    to_.outliers_ += envelope.left_out();
    const auto zero = static_cast<picoseconds>(static_cast<std::int64_t>(work.first_ns - zero_ns_));
    const picoseconds held_zero = std::clamp(zero, -picoseconds{1} << 51, picoseconds{1} << 51) * 1000;
    clock_chain chain = make_chain(envelope, work.first_cycles, held_zero, rough_, ends);
    const auto growth = [&](const rate_range& near) {
      const rate_range range = rates_.idle(near);
      return std::max(range.most - rough_, rough_) * 1000;
    };
    chain.extend(growth(local.front()), growth(local.back()));
    for (std::size_t i = 0; i < work.sms.size(); ++i)
      to_.sms_.push_back({work.sms[i], static_cast<index>(to_.chains_.size()),
                          in_picoseconds(-work.constants[i].offset_ns), in_picoseconds(work.constants[i].doubt_ns)});
    to_.domains_.push_back(work.sms);
    to_.chains_.push_back(std::move(chain));
  }

  /// Places at which nobody made a pair, where the busy times of the first and the last one begin and end: up to there
  /// the counter ran at a busy device's rates.
  chain_ends add_ends(const domain_work& work, const std::vector<rate_range>& local, std::vector<time_bounds>& bounds,
                      std::vector<rate_range>& rates) const {
    chain_ends ends;
    // The longer the stretch that tells a rate, the better it does, unless what is near says otherwise.
    const auto rate = [&](const rate_range& near) {
      if (to_.rate_assumed_) return rated_;
      const double mean = mean_rate(work.points, work.windows);
      return std::clamp(mean > 0 ? mean : 1 / to_.sm_ghz_, near.least, near.most);
    };
    const clock_point& first = work.points.front();
    const clock_point& last = work.points.back();
    const rate_range before = rate_bounds::with_margin(local.front().with(rates_.unseen()));
    const rate_range behind = rate_bounds::with_margin(local.back().with(rates_.unseen()));
    const double begin_ns = signed_distance(work.first_ns, busy_[first.busy].begin_ns);
    const double end_ns = signed_distance(work.first_ns, busy_[last.busy].end_ns);
    if (const double cycles = std::floor((end_ns - last.ns) / behind.most); cycles >= 1) {
      bounds.push_back(time_bounds::free(last.cycles + cycles));
      rates.push_back(behind);
      ends.behind = rate(local.back());
    }
    if (const double cycles = std::floor((first.ns - begin_ns) / before.most); cycles >= 1) {
      bounds.insert(bounds.begin(), time_bounds::free(first.cycles - cycles));
      rates.insert(rates.begin(), before);
      ends.before = rate(local.front());
    }
    return ends;
  }

  /// Puts what pairs tell together among what each one tells.
  void add_means(const domain_work& work, std::vector<time_bounds>& bounds, std::vector<rate_range>& rates) const {
    if (to_.rate_assumed_) return;
    std::vector<judged_pair> pairs;
    pairs.reserve(work.points.size());
    for (const clock_point& point : work.points) {
      const sm_constant& sm = constant_of(work, point.sm);
      pairs.push_back({point.cycles, point.ns + sm.offset_ns, sm.doubt_ns, point.busy});
    }
    insert_means(pair_means(pairs, rates, reading_), bounds, rates);
  }

  [[nodiscard]] static const sm_constant& constant_of(const domain_work& work, std::uint32_t sm) {
    const auto place = std::lower_bound(work.sms.begin(), work.sms.end(), sm) - work.sms.begin();
    return work.constants[static_cast<std::size_t>(place)];
  }

  [[nodiscard]] std::vector<time_bounds> bounds_of(const domain_work& work) const {
    std::vector<time_bounds> bounds;
    bounds.reserve(work.points.size());
    for (const clock_point& point : work.points) {
      const sm_constant& sm = constant_of(work, point.sm);
      const double doubt = is_measured_ && sm.is_judged ? 0 : sm.doubt_ns;
      const double shown = point.ns + sm.offset_ns;
      bounds.push_back(
          {point.cycles, shown - reading_.early_ns - doubt, shown + reading_.tick_ns + reading_.late_ns + doubt});
    }
    return bounds;
  }

  clock_map& to_;
  std::vector<sm_pair> pairs_;
  std::uint64_t zero_ns_;
  double known_tick_ns_;
  double rated_ = 0;  // [ns per cycle]
  double rough_ = 0;
  timer_step step_;
  rate_bounds rates_{1, true};
  timer_reading reading_;
  bool is_measured_ = false;
  std::vector<busy_time> busy_;
  std::vector<domain_work> work_;
};

clock_map::clock_map(std::vector<sm_pair> pairs, std::uint64_t zero_ns, std::uint32_t rated_khz, double known_tick_ns) {
  clock_map_builder(*this, std::move(pairs), zero_ns, rated_khz, known_tick_ns).build();
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
