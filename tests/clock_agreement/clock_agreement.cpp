// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_agreement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace clock_agreement {
namespace {

/// A dense symmetric matrix, and the right side of its equations.
struct equations {
  explicit equations(std::size_t clocks) : size(clocks), matrix(clocks * clocks), right(clocks) {}

  double& at(std::size_t row, std::size_t column) { return matrix[row * size + column]; }

  std::size_t size;
  std::vector<double> matrix;
  std::vector<double> right;
};

/// The normal equations, and the sum of all errors as one more equation, which fixes what the sightings leave free.
equations normal_equations(std::size_t clocks, const std::vector<sighting>& seen) {
  equations of(clocks);
  std::fill(of.matrix.begin(), of.matrix.end(), 1.0);
  for (const sighting& one : seen) {
    of.at(one.a, one.a) += 1;
    of.at(one.b, one.b) += 1;
    of.at(one.a, one.b) -= 1;
    of.at(one.b, one.a) -= 1;
    of.right[one.a] -= one.ahead;
    of.right[one.b] += one.ahead;
  }
  return of;
}

/// Replaces the lower half by its Cholesky factor; false where the matrix is singular.
bool factorize(equations& of) {
  for (std::size_t i = 0; i < of.size; ++i) {
    const double whole = of.at(i, i);
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = of.at(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= of.at(i, k) * of.at(j, k);
      if (i == j && !(sum > 1e-9 * whole)) return false;
      of.at(i, j) = i == j ? std::sqrt(sum) : sum / of.at(j, j);
    }
  }
  return true;
}

std::vector<double> substitute(equations& of) {
  std::vector<double> x = of.right;
  for (std::size_t i = 0; i < of.size; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= of.at(i, k) * x[k];
    x[i] /= of.at(i, i);
  }
  for (std::size_t i = of.size; i-- > 0;) {
    for (std::size_t k = i + 1; k < of.size; ++k) x[i] -= of.at(k, i) * x[k];
    x[i] /= of.at(i, i);
  }
  return x;
}

std::uint32_t find_root(std::vector<std::uint32_t>& parents, std::uint32_t of) {
  while (parents[of] != of) of = parents[of] = parents[parents[of]];
  return of;
}

/// The same at each call.
std::vector<std::uint32_t> draw_seats(std::uint32_t players) {
  std::vector<std::uint32_t> seats(players);
  std::iota(seats.begin(), seats.end(), 0u);
  std::uint64_t state = 1;
  for (std::uint32_t left = players; left > 1; --left) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(seats[left - 1], seats[(state >> 33) % left]);
  }
  return seats;
}

double by_rank(const std::vector<double>& sorted, std::size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

}  // namespace

tournament::tournament(std::uint32_t players) : players_(players), rounds_(0) {
  // The circle method: one seat stays, the others move on by one each round. Of an odd number, all move.
  const std::uint32_t moving = players % 2 == 0 ? std::max(players, 1u) - 1 : players;
  rounds_ = players < 2 ? 0 : moving;
  partners_.assign(std::size_t{rounds_} * players, nobody);
  const std::vector<std::uint32_t> seats = draw_seats(players);
  for (std::uint32_t round = 0; round < rounds_; ++round) {
    std::uint32_t* const row = partners_.data() + std::size_t{round} * players;
    for (std::uint32_t seat = 0; seat < moving; ++seat) {
      const std::uint32_t opposite = (round + moving - seat) % moving;
      if (opposite != seat) row[seats[seat]] = seats[opposite];
      if (opposite != seat || moving == players) continue;
      row[seats[seat]] = seats[moving];
      row[seats[moving]] = seats[seat];
    }
  }
}

shortest_times::shortest_times(std::size_t clocks)
    : clocks_(clocks), times_(clocks * clocks, std::numeric_limits<double>::infinity()) {}

void shortest_times::add(std::size_t from, std::size_t to, double time) {
  double& shortest = times_[from * clocks_ + to];
  shortest = std::min(shortest, time);
}

std::optional<double> shortest_times::ahead(std::size_t a, std::size_t b) const {
  const double there = shortest(a, b), back = shortest(b, a);
  if (!std::isfinite(there) || !std::isfinite(back)) return std::nullopt;
  return (there - back) / 2;
}

std::vector<sighting> sightings(const tournament& meetings, const shortest_times& times) {
  std::vector<sighting> seen;
  for (std::uint32_t round = 0; round < meetings.rounds(); ++round)
    for (std::uint32_t a = 0; a < meetings.players(); ++a) {
      const std::uint32_t b = meetings.partner(round, a);
      if (b == nobody || b < a) continue;
      if (const std::optional<double> ahead = times.ahead(a, b)) seen.push_back({a, b, *ahead, round});
    }
  return seen;
}

std::optional<std::vector<double>> clock_errors(std::size_t clocks, const std::vector<sighting>& seen) {
  equations of = normal_equations(clocks, seen);
  if (!factorize(of)) return std::nullopt;
  return substitute(of);
}

std::vector<double> residuals(const std::vector<double>& errors, const std::vector<sighting>& seen) {
  std::vector<double> left;
  left.reserve(seen.size());
  for (const sighting& one : seen) left.push_back(one.ahead - (errors[one.b] - errors[one.a]));
  return left;
}

std::vector<std::size_t> grouping::group_of() const {
  std::size_t clocks = 0;
  for (const std::vector<std::uint32_t>& group : groups) clocks += group.size();
  std::vector<std::size_t> of(clocks);
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const std::uint32_t clock : groups[i]) of[clock] = i;
  return of;
}

namespace {

/// A straight line for each clock: its values in the first round and in the last.
struct lines {
  std::vector<double> first, last;
};

/// Those that fit the sightings with the least sum of squares; nothing where the sightings leave some of them open.
std::optional<lines> fit_lines(std::size_t clocks, const std::vector<sighting>& seen) {
  std::uint32_t last_round = 1;
  for (const sighting& one : seen) last_round = std::max(last_round, one.round);
  equations of(2 * clocks);
  // The sums of all first and of all last values are 0.
  for (std::size_t i = 0; i < clocks; ++i)
    for (std::size_t k = 0; k < clocks; ++k) of.at(i, k) = of.at(clocks + i, clocks + k) = 1;
  for (const sighting& one : seen) {
    const double at = static_cast<double>(one.round) / last_round;
    const std::array<std::size_t, 4> places{one.a, one.b, clocks + one.a, clocks + one.b};
    const std::array<double, 4> factors{at - 1, 1 - at, -at, at};
    for (std::size_t i = 0; i < 4; ++i) {
      of.right[places[i]] += factors[i] * one.ahead;
      for (std::size_t k = 0; k < 4; ++k) of.at(places[i], places[k]) += factors[i] * factors[k];
    }
  }
  if (!factorize(of)) return std::nullopt;
  const std::vector<double> found = substitute(of);
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(clocks);
  return lines{{found.begin(), middle}, {middle, found.end()}};
}

}  // namespace

std::optional<grouping> group_clocks(std::size_t clocks, const std::vector<sighting>& seen, double limit) {
  const std::optional<lines> fitted = fit_lines(clocks, seen);
  if (!fitted) return std::nullopt;
  std::vector<std::uint32_t> parents(clocks);
  std::iota(parents.begin(), parents.end(), 0u);
  for (std::uint32_t a = 0; a < clocks; ++a)
    for (std::uint32_t b = a + 1; b < clocks; ++b) {
      if (std::abs(fitted->first[b] - fitted->first[a]) > limit) continue;
      if (std::abs(fitted->last[b] - fitted->last[a]) > limit) continue;
      const std::uint32_t root_a = find_root(parents, a), root_b = find_root(parents, b);
      parents[std::max(root_a, root_b)] = std::min(root_a, root_b);
    }
  grouping found;
  std::vector<std::size_t> place(clocks);
  for (std::uint32_t clock = 0; clock < clocks; ++clock) {
    const std::uint32_t root = find_root(parents, clock);
    if (root == clock) {
      place[clock] = found.groups.size();
      found.groups.emplace_back();
    }
    found.groups[place[root]].push_back(clock);
  }
  return found;
}

std::size_t count_contradictions(const partition& groups, const std::vector<sighting>& seen, double limit) {
  std::map<std::size_t, std::size_t> group_of;
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (const std::uint32_t clock : groups[group]) group_of[clock] = group;
  return static_cast<std::size_t>(std::count_if(seen.begin(), seen.end(), [&](const sighting& one) {
    const auto a = group_of.find(one.a), b = group_of.find(one.b);
    const bool are_together = a != group_of.end() && b != group_of.end() && a->second == b->second;
    return are_together && std::abs(one.ahead) > limit;
  }));
}

partition common_refinement(const partition& a, const partition& b) {
  std::map<std::uint32_t, std::size_t> in_b;
  for (std::size_t group = 0; group < b.size(); ++group)
    for (const std::uint32_t clock : b[group]) in_b[clock] = group;
  partition both;
  for (const std::vector<std::uint32_t>& group : a) {
    std::map<std::size_t, std::vector<std::uint32_t>> parts;
    for (const std::uint32_t clock : group)
      if (const auto found = in_b.find(clock); found != in_b.end()) parts[found->second].push_back(clock);
    for (auto& part : parts) both.push_back(std::move(part.second));
  }
  for (std::vector<std::uint32_t>& group : both) std::sort(group.begin(), group.end());
  std::sort(both.begin(), both.end());
  return both;
}

bool refines(const partition& finer, const partition& coarser) {
  std::map<std::uint32_t, std::size_t> group_of;
  for (std::size_t group = 0; group < coarser.size(); ++group)
    for (const std::uint32_t clock : coarser[group]) group_of[clock] = group;
  const auto within_one = [&](const std::vector<std::uint32_t>& group) {
    return std::all_of(group.begin(), group.end(), [&](std::uint32_t clock) {
      const auto found = group_of.find(clock), first = group_of.find(group.front());
      return found != group_of.end() && found->second == first->second;
    });
  };
  return std::all_of(finer.begin(), finer.end(), within_one);
}

std::vector<double> group_wander(const std::vector<double>& errors, const std::vector<sighting>& seen,
                                 const grouping& groups, std::uint32_t rounds_per_window) {
  const std::vector<std::size_t> group_of = groups.group_of();
  const std::vector<double> left = residuals(errors, seen);
  std::uint32_t rounds = 0;
  for (const sighting& one : seen) rounds = std::max(rounds, one.round + 1);
  // What is left over belongs to the last one: too little says nothing.
  std::vector<std::vector<sighting>> windows(std::max(rounds / rounds_per_window, 1u));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::size_t window = std::min<std::size_t>(seen[i].round / rounds_per_window, windows.size() - 1);
    const std::size_t a = group_of[seen[i].a], b = group_of[seen[i].b];
    if (a != b) windows[window].push_back({a, b, left[i], seen[i].round});
  }
  std::vector<double> wander;
  for (const std::vector<sighting>& window : windows)
    if (const auto of_groups = clock_errors(groups.groups.size(), window))
      wander.insert(wander.end(), of_groups->begin(), of_groups->end());
  return wander;
}

distribution sizes_of(std::vector<double> values) {
  if (values.empty()) return {};
  double squares = 0;
  for (double& value : values) {
    value = std::abs(value);
    squares += value * value;
  }
  std::sort(values.begin(), values.end());
  return {by_rank(values, 50), by_rank(values, 90), values.back(),
          std::sqrt(squares / static_cast<double>(values.size()))};
}

}  // namespace clock_agreement
