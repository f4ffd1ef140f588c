// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "domain_map.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "envelope_chain.hpp"
#include "pair_means.hpp"
#include "time_envelope.hpp"

namespace iket::analysis {
namespace {

/// Places between bounds, and what the counter did behind each but the last.
struct bounded_places {
  std::vector<time_bounds> bounds;
  std::vector<rate_range> rates;
};

/// What each pair tells.
std::vector<time_bounds> bounds_of(const domain_points& of, const device_rates& rates) {
  const timer_reading& reading = rates.reading;
  std::vector<time_bounds> bounds;
  bounds.reserve(of.points.size());
  for (const clock_point& point : of.points) {
    const sm_constant& sm = of.constant_of(point.sm);
    const double doubt = rates.is_measured && sm.is_judged ? 0 : sm.doubt_ns;
    const double shown = point.ns + sm.offset_ns;
    bounds.push_back(
        {point.cycles, shown - reading.early_ns - doubt, shown + reading.tick_ns + reading.late_ns + doubt});
  }
  return bounds;
}

/// Puts what pairs tell together among what each one tells.
void add_means(const domain_points& of, const timer_reading& reading, bounded_places& places) {
  std::vector<judged_pair> pairs;
  pairs.reserve(of.points.size());
  for (const clock_point& point : of.points) {
    const sm_constant& sm = of.constant_of(point.sm);
    pairs.push_back({point.cycles, point.ns + sm.offset_ns, sm.doubt_ns, point.busy});
  }
  insert_means(pair_means(pairs, places.rates, reading), places.bounds, places.rates);
}

/// The rate to go on at where nobody looked. The longer the stretch that tells a rate, the better it does, unless what
/// is near says otherwise.
double end_rate(const domain_points& of, const device_rates& rates, const rate_range& near) {
  if (rates.is_assumed) return rates.rough;
  const double mean = mean_rate(of.points, of.windows);
  return std::clamp(mean > 0 ? mean : 1 / rates.bounds.ghz(), near.least, near.most);
}

/// Adds places at which nobody made a pair, where the busy times of the first and the last one begin and end: up to
/// there the counter ran at a busy device's rates, which are within `first` and `last`.
chain_ends add_ends(const domain_points& of, const device_rates& rates, const rate_range& first, const rate_range& last,
                    bounded_places& places) {
  chain_ends ends;
  const clock_point& front = of.points.front();
  const clock_point& back = of.points.back();
  const rate_range before = rate_bounds::with_margin(first.with(rates.bounds.unseen()));
  const rate_range behind = rate_bounds::with_margin(last.with(rates.bounds.unseen()));
  const double begin_ns = signed_distance(of.first_ns, rates.busy[front.busy].begin_ns);
  const double end_ns = signed_distance(of.first_ns, rates.busy[back.busy].end_ns);
  if (const double cycles = std::floor((end_ns - back.ns) / behind.most); cycles >= 1) {
    places.bounds.push_back(time_bounds::free(back.cycles + cycles));
    places.rates.push_back(behind);
    ends.behind = end_rate(of, rates, last);
  }
  if (const double cycles = std::floor((front.ns - begin_ns) / before.most); cycles >= 1) {
    places.bounds.insert(places.bounds.begin(), time_bounds::free(front.cycles - cycles));
    places.rates.insert(places.rates.begin(), before);
    ends.before = end_rate(of, rates, first);
  }
  return ends;
}

/// Behind the last pair, where warps still ran.
void go_on_busy(const domain_points& of, const device_rates& rates, const rate_range& last, clock_chain& chain) {
  const rate_range range = rate_bounds::with_margin(last.with(rates.bounds.unseen()));
  const double rate = end_rate(of, rates, last);
  chain.go_on_at(rate * 1000, std::max(range.most - rate, rate - range.least) * 1000);
}

}  // namespace

const sm_constant& domain_points::constant_of(std::uint32_t sm) const {
  const auto place = std::lower_bound(sms.begin(), sms.end(), sm) - sms.begin();
  return constants[static_cast<std::size_t>(place)];
}

domain_map make_domain_map(const domain_points& of, const device_rates& rates, std::uint64_t zero_ns) {
  const std::vector<rate_range> local = rates.bounds.steady(of.points, of.windows);
  bounded_places places{bounds_of(of, rates), rates.bounds.behind(of.points, of.windows, local)};
  if (!rates.is_assumed) add_means(of, rates.reading, places);
  const chain_ends ends = add_ends(of, rates, local.front(), local.back(), places);
  const time_envelope envelope(std::move(places.bounds), std::move(places.rates),
                               rate_bounds::with_margin(rates.bounds.anywhere()));
  const auto zero = static_cast<picoseconds>(static_cast<std::int64_t>(of.first_ns - zero_ns));
  const picoseconds held_zero = std::clamp(zero, -picoseconds{1} << 51, picoseconds{1} << 51) * 1000;
  clock_chain chain = make_chain(envelope, of.first_cycles, held_zero, rates.rough, ends);
  const auto growth = [&](const rate_range& near) {
    const rate_range range = rates.bounds.idle(near);
    return std::max(range.most - rates.rough, rates.rough) * 1000;
  };
  chain.extend(growth(local.front()), growth(local.back()));
  if (rates.stays_busy) go_on_busy(of, rates, local.back(), chain);
  return {std::move(chain), envelope.left_out()};
}

}  // namespace iket::analysis
