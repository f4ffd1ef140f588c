// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "envelope_chain.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace iket::analysis {
namespace {

constexpr double least_hump_ns = 0.25;  // smaller ones are added to both ends
constexpr double knot_hump_ns = 3;      // larger ones, and a third more than around them, get knots of their own
constexpr double rounding_ns = 0.01;

/// A place that the chain has to pass.
struct node {
  double cycles = 0;
  double ns = 0;
  double half_ns = 0;  // the bounds' larger distance from there
  bool is_knot = false;

  [[nodiscard]] double tolerance_ns() const { return std::max(0.2, 0.015 * half_ns); }
  [[nodiscard]] double least_width_ns() const { return half_ns + tolerance_ns() + rounding_ns; }
  [[nodiscard]] double most_width_ns() const { return least_width_ns() + std::max(0.5, 0.06 * half_ns); }
};

/// Slopes of lines from one point through intervals behind it.
class cone {
 public:
  explicit cone(double from) : from_(from) {}

  /// False, and nothing changed, if no line passes through this interval too.
  [[nodiscard]] bool reaches(double cycles, double least, double most) const {
    return std::max(least_, (least - from_) / cycles) <= std::min(most_, (most - from_) / cycles);
  }
  void narrow(double cycles, double least, double most) {
    least_ = std::max(least_, (least - from_) / cycles);
    most_ = std::min(most_, (most - from_) / cycles);
  }
  /// Where the line ends that comes nearest to `wanted`.
  [[nodiscard]] double end(double cycles, double wanted) const {
    return from_ + cycles * std::clamp((wanted - from_) / cycles, least_, most_);
  }

 private:
  double from_;
  double least_ = -std::numeric_limits<double>::infinity();
  double most_ = std::numeric_limits<double>::infinity();
};

/// Takes nodes and adds knots to a chain: each as late as a line can go.
class chain_builder {
 public:
  chain_builder(const node& first, std::uint64_t cycles, picoseconds zero, double ns_per_cycle)
      : cycles_(cycles),
        zero_(zero),
        knot_(first),
        last_(first),
        chain_(count(first), place(first), ns_per_cycle * 1000) {}

  void add(const node& next) {
    const double cycles = next.cycles - knot_.cycles;
    if (count(next) <= chain_.knots().back().cycles || cycles <= 0) return;
    if (last_.is_knot || !middle_.reaches(cycles, next.ns - next.tolerance_ns(), next.ns + next.tolerance_ns()) ||
        !width_.reaches(cycles, next.least_width_ns(), next.most_width_ns())) {
      end_line();
      if (count(next) <= chain_.knots().back().cycles) return;
    }
    const double way = next.cycles - knot_.cycles;
    middle_.narrow(way, next.ns - next.tolerance_ns(), next.ns + next.tolerance_ns());
    width_.narrow(way, next.least_width_ns(), next.most_width_ns());
    last_ = next;
  }

  clock_chain take() {
    end_line();
    return std::move(chain_);
  }

 private:
  [[nodiscard]] std::uint64_t count(const node& at) const {
    return cycles_ + static_cast<std::uint64_t>(std::llround(at.cycles));
  }
  [[nodiscard]] picoseconds picoseconds_of(double ns) const {
    return static_cast<picoseconds>(std::llround(std::clamp(ns * 1000, -2e18, 2e18)));
  }
  [[nodiscard]] uncertain_time place(const node& at) const {
    return {zero_ + picoseconds_of(at.ns), picoseconds_of(width_at_knot(at))};
  }
  [[nodiscard]] static double width_at_knot(const node& at) { return (at.least_width_ns() + at.most_width_ns()) / 2; }

  void end_line() {
    const double cycles = last_.cycles - knot_.cycles;
    if (cycles <= 0) return;
    const double width = std::max(0.0, width_.end(cycles, width_at_knot(last_)));
    node knot = last_;
    knot.ns = middle_.end(cycles, last_.ns);
    chain_.add(count(knot), {zero_ + picoseconds_of(knot.ns), picoseconds_of(width)});
    knot_ = knot;
    last_ = knot;
    last_.is_knot = false;
    middle_ = cone(knot.ns);
    width_ = cone(width);
  }

  std::uint64_t cycles_;
  picoseconds zero_;
  node knot_;
  node last_;
  cone middle_{knot_.ns};
  cone width_{width_at_knot(knot_)};
  clock_chain chain_;
};

double middle_of(const time_bounds& at) { return (at.earliest_ns + at.latest_ns) / 2; }
double half_of(const time_bounds& at) { return std::max(0.0, (at.latest_ns - at.earliest_ns) / 2); }

/// A place without a pair, to which a line leads from another place.
node end_of(const time_bounds& end, const time_bounds& from, double ns_per_cycle) {
  const double ns = middle_of(from) + (end.cycles - from.cycles) * ns_per_cycle;
  const double line = std::clamp(ns, end.earliest_ns, std::max(end.earliest_ns, end.latest_ns));
  return {end.cycles, line, std::max(end.latest_ns - line, line - end.earliest_ns)};
}

/// The way from one point to the next, on which the bounds first part and then meet again.
class gap {
 public:
  gap(const time_bounds& from, const time_bounds& to, const rate_range& rates)
      : from_(from), to_(to), rates_(rates), cycles_(to.cycles - from.cycles) {}

  /// Where the bounds leave most room above the line between the middles, and below it.
  [[nodiscard]] node widest_above() const {
    return at((to_.latest_ns - from_.latest_ns - rates_.least * cycles_) / (rates_.most - rates_.least));
  }
  [[nodiscard]] node widest_below() const {
    return at((rates_.most * cycles_ - (to_.earliest_ns - from_.earliest_ns)) / (rates_.most - rates_.least));
  }
  /// How much more room there is than at its ends.
  [[nodiscard]] double hump_ns(const node& at) const {
    const double part = (at.cycles - from_.cycles) / cycles_;
    return at.half_ns - (half_of(from_) + (half_of(to_) - half_of(from_)) * part);
  }

 private:
  [[nodiscard]] node at(double cycles) const {
    // Knots lie on whole cycles.
    const double x = std::isfinite(cycles) ? std::round(std::clamp(cycles, 0.0, cycles_)) : 0;
    const double rest = cycles_ - x;
    const double latest = std::min(from_.latest_ns + rates_.most * x, to_.latest_ns - rates_.least * rest);
    const double earliest = std::max(from_.earliest_ns + rates_.least * x, to_.earliest_ns - rates_.most * rest);
    const double line = middle_of(from_) + (middle_of(to_) - middle_of(from_)) * (x / cycles_);
    return {from_.cycles + x, line, std::max(latest - line, line - earliest)};
  }

  const time_bounds& from_;
  const time_bounds& to_;
  const rate_range& rates_;
  double cycles_;
};

}  // namespace

clock_chain make_chain(const time_envelope& envelope, std::uint64_t cycles, picoseconds zero, double ns_per_cycle,
                       const chain_ends& ends) {
  const std::vector<time_bounds>& bounds = envelope.bounds();
  const std::size_t first = ends.before > 0 ? 1 : 0;
  const std::size_t last = bounds.size() - (ends.behind > 0 ? 2 : 1);
  const auto node_of = [&](std::size_t i, double added) {
    return node{bounds[i].cycles, middle_of(bounds[i]), half_of(bounds[i]) + added};
  };
  const node begin = first != 0 ? end_of(bounds[0], bounds[1], ends.before) : node_of(0, 0);
  chain_builder builder(begin, cycles, zero, ns_per_cycle);
  double hump_before = 0;
  for (std::size_t i = first; i < last; ++i) {
    if (bounds[i + 1].cycles <= bounds[i].cycles) continue;
    const gap way(bounds[i], bounds[i + 1], envelope.rates()[i]);
    node near = way.widest_above();
    node far = way.widest_below();
    if (far.cycles < near.cycles) std::swap(near, far);
    const double hump = std::max(way.hump_ns(near), way.hump_ns(far));
    const bool is_small = hump <= least_hump_ns;
    node from = node_of(i, std::max(hump_before, is_small ? hump : 0));
    from.is_knot = (hump > knot_hump_ns && hump * 3 > from.half_ns) || (i == first && first != 0);
    builder.add(from);
    hump_before = is_small ? hump : 0;
    if (is_small) continue;
    near.is_knot = far.is_knot = from.is_knot;
    builder.add(near);
    builder.add(far);
  }
  node end = node_of(last, hump_before);
  end.is_knot = ends.behind > 0;
  builder.add(end);
  if (ends.behind > 0) builder.add(end_of(bounds[last + 1], bounds[last], ends.behind));
  return builder.take();
}

}  // namespace iket::analysis
