// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "pair_means.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace iket::analysis {
namespace {

constexpr double coarse_tick_ns = 100;
constexpr double jitter_deviation_ns = 9;  // of a reading; measured on an H200: 8.4
constexpr double tick_deviation_ns = 4;    // of a step, for all who read it; measured there: 2.2
constexpr double deviations = 5;
constexpr double mean_delay_cycles = 6;  // from the clock's reading to the timer's: 4 mostly, up to 19
constexpr double delay_doubt_cycles = 2;
constexpr double much_scatter = 1.25;  // over what tick and jitter make: these pairs lie on no line
constexpr std::size_t least_pairs = 16;
constexpr std::size_t most_pairs = 4096;
constexpr int most_worse = 3;     // longer blocks in a row that tell no more
constexpr double worth_it = 0.6;  // of what one pair tells
constexpr double far_off = 1e30;

/// Numbers from 0 to less than 1, in order.
class sorted_places {
 public:
  void clear() {
    places_.clear();
    sum_ = 0;
  }
  void add(double place) {
    places_.push_back(place);
    sum_ += place;
  }

  /// How far the mean of the places may be from a half, whatever is added to all of them (modulo 1). Linear where they
  /// lie as evenly as those that matter.
  [[nodiscard]] double unevenness() {
    sort();
    const double count = static_cast<double>(places_.size());
    const double shift = sum_ / count - 0.5;
    double worst = 0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      // What brings this one to 0, and to 1.
      const double shifted = shift - sorted_[i] + static_cast<double>(i) / count;
      worst = std::max({worst, -shifted, shifted + 1 / count});
    }
    return worst;
  }

 private:
  /// As many bins as places, and what is in one put in order by itself.
  void sort() {
    const std::size_t count = places_.size();
    const auto bin = [&](double place) { return static_cast<std::size_t>(place * static_cast<double>(count)); };
    ends_.assign(count + 1, 0);
    for (const double place : places_) ++ends_[bin(place) + 1];
    for (std::size_t i = 1; i <= count; ++i) ends_[i] += ends_[i - 1];
    sorted_.resize(count);
    for (const double place : places_) sorted_[ends_[bin(place)]++] = place;
    std::size_t first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (ends_[i] > first + 1) std::sort(sorted_.begin() + first, sorted_.begin() + ends_[i]);
      first = ends_[i];
    }
  }

  std::vector<double> places_;
  std::vector<double> sorted_;
  std::vector<std::uint32_t> ends_;  // of the bins; first their begins
  double sum_ = 0;
};

/// Sums over a growing block, counted from its first pair.
class growing_block {
 public:
  growing_block(std::span<const judged_pair> pairs, std::span<const rate_range> rates, const timer_reading& reading)
      : pairs_(pairs), rates_(rates), reading_(reading) {}

  void add() {
    const judged_pair& pair = pairs_[count_];
    if (count_ != 0) {
      const rate_range& rate = rates_[count_ - 1];
      range_ = count_ == 1 ? rate : range_.with(rate);
    }
    ++count_;
    cycles_ += pair.cycles - pairs_[0].cycles;
    ns_ += pair.ns - pairs_[0].ns;
    doubt_ += pair.doubt_ns;
  }

  [[nodiscard]] std::size_t count() const { return count_; }

  [[nodiscard]] time_bounds bounds(double half_ns) const {
    const double count = static_cast<double>(count_);
    const double ns = pairs_[0].ns + ns_ / count + reading_.tick_ns / 2 - mean_delay_cycles * middle_rate();
    return {pairs_[0].cycles + cycles_ / count, ns - half_ns, ns + half_ns, true};
  }

  /// How far off the mean may be; a huge number where the pairs lie on no line, or it is more than `limit_ns`.
  [[nodiscard]] double half_ns(double limit_ns, sorted_places& places) const {
    const spread of = look();
    if (!of.is_line) return far_off;
    const double count = static_cast<double>(count_);
    const double random = jitter_variance() / count + tick_deviation_ns * tick_deviation_ns * of.shared;
    const double known =
        deviations * std::sqrt(random) + of.drift_ns + doubt_ / count + delay_doubt_cycles * middle_rate();
    return known + unevenness_ns(limit_ns - known, places);
  }

 private:
  /// How the pairs lie.
  struct spread {
    double drift_ns = 0;   ///< what a change of rate within its range may do to the mean of the times
    double shared = 0;     ///< part of two pairs' products that fall into the same step
    bool is_line = false;  ///< they scatter around a line as tick and jitter make them do
  };

  [[nodiscard]] double length_cycles() const { return pairs_[count_ - 1].cycles - pairs_[0].cycles; }
  [[nodiscard]] double middle_rate() const { return (range_.least + range_.most) / 2; }
  [[nodiscard]] double from_first(std::size_t i) const { return pairs_[i].cycles - pairs_[0].cycles; }

  /// Of a reading whose place within the tick is known: jitter of deviation s decides on which side of a step it falls,
  /// tick * E|s1 - s2| / 2, for a normal one; at most what place and jitter make together.
  [[nodiscard]] double jitter_variance() const {
    const double tick = reading_.tick_ns;
    return std::min(tick * jitter_deviation_ns / std::sqrt(3.14159265358979),
                    tick * tick / 12 + jitter_deviation_ns * jitter_deviation_ns);
  }

  [[nodiscard]] spread look() const {
    const double count = static_cast<double>(count_);
    const double tick = reading_.tick_ns;
    const double rate = middle_rate();
    const double mean_cycles = cycles_ / count;
    const double mean_ns = ns_ / count;
    double squares = 0, away = 0, shared = 0, in_step = 0;
    std::int64_t step = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double behind = from_first(i);
      const double error = pairs_[i].ns - pairs_[0].ns - mean_ns - (behind - mean_cycles) * rate;
      squares += error * error;
      away += std::abs(behind - mean_cycles);
      const auto own = static_cast<std::int64_t>(behind * rate / tick);
      if (own != step) {
        shared += in_step * in_step;
        in_step = 0;
        step = own;
      }
      ++in_step;
    }
    shared += in_step * in_step;
    const double drift = (range_.most - range_.least) / 2 * away / count;
    const double expected = tick * tick / 12 + jitter_deviation_ns * jitter_deviation_ns + 16 * drift * drift;
    return {drift, shared / (count * count), squares <= much_scatter * much_scatter * expected * count};
  }

  /// How far the mean place within the tick may be from its middle, whatever the rate and the shift; a huge number
  /// where that is more than `limit_ns`.
  [[nodiscard]] double unevenness_ns(double limit_ns, sorted_places& places) const {
    // So many rates that from one to the next no place moves by more than an eighth of a tick.
    const double most_move = (range_.most - range_.least) * length_cycles() / 2;
    const int steps = static_cast<int>(std::min(16.0, std::ceil(most_move * 8 / reading_.tick_ns)));
    double worst = 0;
    for (int i = 0; i <= steps && worst < limit_ns; ++i) {
      const double part = steps == 0 ? 0.5 : static_cast<double>(i) / steps;
      worst = std::max(worst, unevenness_at(range_.least + (range_.most - range_.least) * part, places));
    }
    return worst < limit_ns ? worst : far_off;
  }

  [[nodiscard]] double unevenness_at(double rate, sorted_places& places) const {
    const double ticks = rate / reading_.tick_ns;
    places.clear();
    for (std::size_t i = 0; i < count_; ++i) {
      const double place = from_first(i) * ticks;
      places.add(place - static_cast<double>(static_cast<std::int64_t>(place)));
    }
    return places.unevenness() * reading_.tick_ns;
  }

  std::span<const judged_pair> pairs_;
  std::span<const rate_range> rates_;
  const timer_reading& reading_;
  rate_range range_;
  std::size_t count_ = 0;
  double cycles_ = 0;
  double ns_ = 0;
  double doubt_ = 0;
};

struct block {
  time_bounds bounds;
  std::size_t pairs = 0;
  double half_ns = far_off;
};

/// The one that begins with the first pair and tells the mean best.
block best_block(std::span<const judged_pair> pairs, std::span<const rate_range> rates, const timer_reading& reading,
                 sorted_places& places) {
  block best;
  growing_block sums(pairs, rates, reading);
  std::size_t next = least_pairs;
  const std::size_t limit = std::min(pairs.size(), most_pairs);
  for (int worse = 0; worse != most_worse && sums.count() < limit && pairs[sums.count()].busy == pairs[0].busy;) {
    sums.add();
    if (sums.count() < next) continue;
    next += next / 4;
    const double half_ns = sums.half_ns(best.half_ns, places);
    ++worse;
    if (half_ns < best.half_ns) {
      best = {sums.bounds(half_ns), sums.count(), half_ns};
      worse = 0;
    }
  }
  return best;
}

}  // namespace

std::vector<time_bounds> pair_means(std::span<const judged_pair> pairs, std::span<const rate_range> rates,
                                    const timer_reading& reading) {
  std::vector<time_bounds> means;
  if (reading.tick_ns <= 0 || reading.tick_ns > coarse_tick_ns) return means;
  sorted_places places;
  for (std::size_t first = 0; first + least_pairs <= pairs.size();) {
    const block best = best_block(pairs.subspan(first), rates.subspan(first), reading, places);
    if (best.half_ns <= worth_it * reading.width_ns() / 2) means.push_back(best.bounds);
    first += std::max<std::size_t>(best.pairs, least_pairs) / 2;
  }
  // A long block may have its mean behind that of the next one.
  std::sort(means.begin(), means.end(), [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  return means;
}

void insert_means(std::span<const time_bounds> means, std::vector<time_bounds>& bounds,
                  std::vector<rate_range>& rates) {
  std::vector<time_bounds> all;
  std::vector<rate_range> behind;
  all.reserve(bounds.size() + means.size());
  behind.reserve(bounds.size() + means.size());
  std::size_t next = 0;
  while (next < means.size() && !bounds.empty() && means[next].cycles < bounds.front().cycles) ++next;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    for (; next < means.size() && means[next].cycles < bounds[i].cycles; ++next) {
      all.push_back(means[next]);
      behind.push_back(rates[i - 1]);
    }
    all.push_back(bounds[i]);
    if (i < rates.size()) behind.push_back(rates[i]);
  }
  bounds = std::move(all);
  rates = std::move(behind);
}

}  // namespace iket::analysis
