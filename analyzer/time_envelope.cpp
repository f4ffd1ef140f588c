// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "time_envelope.hpp"

#include <algorithm>
#include <utility>

namespace iket::analysis {
namespace {

constexpr int most_sweeps = 14;
constexpr std::size_t enough_misfits = 4;  // in a row, to doubt the rates rather than the pairs
constexpr double least_widening = 5e-4;    // of the rate
constexpr double least_miss_ns = 0.1;
constexpr double most_miss_ns = 4;

}  // namespace

/// How far a sweep has come.
struct time_envelope::front {
  double earliest_ns = 0;
  double latest_ns = 0;
  std::size_t set_earliest = 0;  // the pair that did
  std::size_t set_latest = 0;
  std::size_t begin = 0;             // the pair that the sweep began anew with
  std::size_t fitting = 0;           // pairs since then that fit
  std::vector<std::size_t> misfits;  // in a row, the latest
  std::size_t doubted = 0;           // the pair that set the bound which the first of them broke
  bool changed = false;              // something was learned, and another sweep is needed

  void begin_with(std::size_t i, const time_bounds& pair) {
    earliest_ns = pair.earliest_ns;
    latest_ns = pair.latest_ns;
    set_earliest = set_latest = begin = i;
    fitting = pair.is_free() ? 0 : 1;
    misfits.clear();
  }

  void carry(double cycles, const rate_range& rates) {
    earliest_ns += cycles * rates.least;
    latest_ns += cycles * rates.most;
  }

  [[nodiscard]] bool fits(const time_bounds& pair) const {
    return pair.earliest_ns <= latest_ns && pair.latest_ns >= earliest_ns;
  }

  void narrow(std::size_t i, const time_bounds& pair) {
    ++fitting;
    if (pair.earliest_ns > earliest_ns) {
      earliest_ns = pair.earliest_ns;
      set_earliest = i;
    }
    if (pair.latest_ns < latest_ns) {
      latest_ns = pair.latest_ns;
      set_latest = i;
    }
  }
};

time_envelope::time_envelope(std::vector<time_bounds> pairs, std::vector<rate_range> rates, const rate_range& anywhere)
    : pairs_(std::move(pairs)), rates_(std::move(rates)), anywhere_(anywhere), wrong_(pairs_.size()) {
  if (pairs_.empty()) return;
  for (int i = 1; i < most_sweeps && sweep_forward(false); ++i) continue;
  // The last sweeps only leave out: then what is left fits.
  while (sweep_forward(true)) continue;
  sweep_backward();
}

std::uint64_t time_envelope::left_out() const noexcept {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) count += wrong_[i] && !pairs_[i].of_many;
  return count;
}

/// Returns whether another one is needed.
bool time_envelope::sweep_forward(bool is_last) {
  bounds_ = pairs_;
  std::size_t first = 0;
  for (; first + 1 < pairs_.size() && wrong_[first]; ++first) bounds_[first] = time_bounds::free(pairs_[first].cycles);
  front at;
  at.begin_with(first, pairs_[first]);
  for (std::size_t i = first + 1; i < pairs_.size(); ++i) {
    at.carry(pairs_[i].cycles - pairs_[i - 1].cycles, rates_[i - 1]);
    if (!wrong_[i]) take(at, i, is_last);
    bounds_[i].earliest_ns = at.earliest_ns;
    bounds_[i].latest_ns = at.latest_ns;
  }
  if (!at.misfits.empty()) settle(at, pairs_.size() - 1, is_last);
  return at.changed;
}

/// A pair either narrows the bounds or does not fit them.
void time_envelope::take(front& at, std::size_t i, bool is_last) {
  if (pairs_[i].is_free()) {
    // There is nothing that those which did not fit before could be wrong by.
    if (!at.misfits.empty()) settle(at, i - 1, is_last);
    return;
  }
  if (at.fits(pairs_[i])) {
    // Those that did not fit in between are wrong, since this one does.
    for (const std::size_t k : at.misfits) wrong_[k] = true;
    at.changed = at.changed || !at.misfits.empty();
    at.misfits.clear();
    at.narrow(i, pairs_[i]);
    return;
  }
  if (at.misfits.empty()) {
    at.doubted = pairs_[i].earliest_ns > at.latest_ns ? at.set_latest : at.set_earliest;
    if (blame_readings(at, i) || take_any_rate(at.doubted, i)) {
      at.changed = true;
      at.begin_with(i, pairs_[i]);
      return;
    }
  }
  at.misfits.push_back(i);
  if (at.misfits.size() == enough_misfits || i + 1 == pairs_.size()) settle(at, i, is_last);
}

/// The last pairs do not fit what came before.
void time_envelope::settle(front& at, std::size_t i, bool is_last) {
  at.changed = true;
  if (at.fitting < at.misfits.size()) {
    for (std::size_t k = at.begin; k < at.misfits.front(); ++k) wrong_[k] = !pairs_[k].is_free();
  } else if (is_last) {
    for (const std::size_t k : at.misfits) wrong_[k] = true;
    at.misfits.clear();
    return;
  } else {
    widen(at.doubted, at.misfits.front());
  }
  at.begin_with(i, pairs_[i]);
}

/// A pair that misses by little was read a little worse than others, or the one was that set the bound. Returns whether
/// it is so.
bool time_envelope::blame_readings(const front& at, std::size_t i) {
  const double miss_ns =
      std::max(pairs_[i].earliest_ns - at.latest_ns, at.earliest_ns - pairs_[i].latest_ns) + least_miss_ns;
  if (miss_ns > most_miss_ns) return false;
  for (const std::size_t k : {i, at.doubted}) {
    pairs_[k].earliest_ns -= miss_ns;
    pairs_[k].latest_ns += miss_ns;
  }
  return true;
}

/// Returns whether the rates between two pairs became wider by that.
bool time_envelope::take_any_rate(std::size_t first, std::size_t last) {
  bool is_wider = false;
  for (std::size_t i = first; i < last; ++i) {
    const rate_range range = rates_[i].with(anywhere_);
    is_wider = is_wider || range.most - range.least > 1.001 * (rates_[i].most - rates_[i].least);
    rates_[i] = range;
  }
  return is_wider;
}

void time_envelope::widen(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    rate_range& of = rates_[i];
    const double by = std::max(of.most - of.least, least_widening * of.most);
    of = {std::max(of.least - by, of.least / 2), of.most + by};
  }
}

void time_envelope::sweep_backward() {
  for (std::size_t i = bounds_.size() - 1; i != 0; --i) {
    const double cycles = bounds_[i].cycles - bounds_[i - 1].cycles;
    time_bounds& to = bounds_[i - 1];
    to.earliest_ns = std::max(to.earliest_ns, bounds_[i].earliest_ns - cycles * rates_[i - 1].most);
    to.latest_ns = std::min(to.latest_ns, bounds_[i].latest_ns - cycles * rates_[i - 1].least);
  }
}

}  // namespace iket::analysis
