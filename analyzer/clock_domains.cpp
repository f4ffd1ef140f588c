// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_domains.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

namespace iket::analysis {
namespace {

constexpr std::size_t most_probes = 4096;    // pairs of an SM that are compared
constexpr std::size_t quick_probes = 32;     // of them, those that settle it where they all disagree
constexpr double wander = 0.25;              // of the distance from the nearest neighbour: how much a rate may change
constexpr double sharp_between_ns = 10'000;  // from the nearest neighbour, or
constexpr double sharp_beside_ns = 2'000;    // from the only one: nearer than that, counters do not agree by chance
constexpr double largest_offset_ns = 8;      // between SMs of a domain, with room

bool by_cycles(const sm_pair& a, const sm_pair& b) { return a.cycles < b.cycles; }

/// How far a pair is off a domain, and how far it may be.
struct comparison {
  double off_ns = 0;
  double allowance_ns = 0;
  bool is_sharp = false;
};

class comparer {
 public:
  comparer(double ns_per_cycle, const timer_reading& reading) : rate_(ns_per_cycle), reading_(reading) {}

  /// How far the SM's pairs are off the domain, as a rule; nothing where they do not fit it.
  [[nodiscard]] std::optional<double> fit(std::span<const sm_pair> sm, const clock_domain& domain) const {
    if (sm.size() > 4 * quick_probes && !fit(sm, domain, quick_probes)) return std::nullopt;
    return fit(sm, domain, most_probes);
  }

  /// Whether one domain fits so well that another, which is off by so much, needs not be looked at.
  [[nodiscard]] bool is_clear(double best_ns, double other_ns) const {
    return best_ns * 2 <= reading_.width_ns() && other_ns >= 2 * reading_.width_ns();
  }

 private:
  [[nodiscard]] std::optional<double> fit(std::span<const sm_pair> sm, const clock_domain& domain,
                                          std::size_t probes) const {
    const double slack = reading_.width_ns() + largest_offset_ns;
    std::size_t compared = 0;
    std::size_t misfits = 0;
    std::vector<double> sharp;
    const std::size_t stride = (sm.size() + probes - 1) / probes;
    for (std::size_t i = 0; i < sm.size(); i += stride) {
      const std::optional<comparison> found = compare(sm[i], domain);
      if (!found) continue;
      ++compared;
      if (std::abs(found->off_ns) > found->allowance_ns) ++misfits;
      if (!found->is_sharp) continue;
      sharp.push_back(found->off_ns);
    }
    if (sharp.empty() || misfits * 5 > compared) return std::nullopt;
    const auto middle = sharp.begin() + static_cast<std::ptrdiff_t>(sharp.size() / 2);
    std::nth_element(sharp.begin(), middle, sharp.end());
    const double allowed = largest_offset_ns + 3 * slack / std::sqrt(static_cast<double>(sharp.size()));
    return std::abs(*middle) <= allowed ? std::optional(std::abs(*middle)) : std::nullopt;
  }

  /// Nothing where no pair of the domain is of the same launch.
  [[nodiscard]] std::optional<comparison> compare(const sm_pair& pair, const clock_domain& domain) const {
    const std::vector<sm_pair>& all = domain.pairs;
    const auto behind = std::lower_bound(all.begin(), all.end(), pair, by_cycles);
    const sm_pair* const after = behind != all.end() && behind->launch == pair.launch ? &*behind : nullptr;
    const sm_pair* const before =
        behind != all.begin() && std::prev(behind)->launch == pair.launch ? &*std::prev(behind) : nullptr;
    if (before == nullptr && after == nullptr) return std::nullopt;
    const double slack = reading_.width_ns() + largest_offset_ns;
    const double from_before = before != nullptr ? signed_distance(before->cycles, pair.cycles) : 0;
    const double to_after = after != nullptr ? signed_distance(pair.cycles, after->cycles) : 0;
    if (before != nullptr && after != nullptr) {
      const double way = std::max(1.0, from_before + to_after);
      const double on_line = signed_distance(before->globaltimer_ns, after->globaltimer_ns) * (from_before / way);
      const double near_ns = rate_ * std::min(from_before, to_after);
      return comparison{signed_distance(before->globaltimer_ns, pair.globaltimer_ns) - on_line,
                        slack + wander * near_ns, near_ns <= sharp_between_ns};
    }
    const sm_pair& nearest = before != nullptr ? *before : *after;
    const double cycles = from_before - to_after;
    return comparison{signed_distance(nearest.globaltimer_ns, pair.globaltimer_ns) - rate_ * cycles,
                      slack + wander * rate_ * std::abs(cycles), rate_ * std::abs(cycles) <= sharp_beside_ns};
  }

  double rate_;
  timer_reading reading_;
};

/// The pairs of each SM, those with most pairs first.
std::vector<std::span<const sm_pair>> split_by_sm(std::span<const sm_pair> pairs) {
  std::vector<std::span<const sm_pair>> sms;
  for (std::size_t first = 0, last = 0; first < pairs.size(); first = last) {
    while (last < pairs.size() && pairs[last].sm == pairs[first].sm) ++last;
    sms.push_back(pairs.subspan(first, last - first));
  }
  std::stable_sort(sms.begin(), sms.end(), [](const auto& a, const auto& b) {
    if (a.size() != b.size()) return a.size() > b.size();
    return a.front().globaltimer_ns < b.front().globaltimer_ns;
  });
  return sms;
}

void join(clock_domain& domain, std::span<const sm_pair> sm) {
  const auto middle = static_cast<std::ptrdiff_t>(domain.pairs.size());
  domain.pairs.insert(domain.pairs.end(), sm.begin(), sm.end());
  std::inplace_merge(domain.pairs.begin(), domain.pairs.begin() + middle, domain.pairs.end(), by_cycles);
  domain.sms.push_back(sm.front().sm);
}

}  // namespace

std::vector<clock_domain> group_into_domains(std::span<const sm_pair> pairs, double ns_per_cycle,
                                             const timer_reading& reading) {
  const comparer compared(ns_per_cycle, reading);
  std::vector<clock_domain> domains;
  for (const std::span<const sm_pair> sm : split_by_sm(pairs)) {
    std::size_t place = domains.size();
    double best = std::numeric_limits<double>::infinity();
    double second = best;
    for (std::size_t i = 0; i < domains.size(); ++i) {
      const std::optional<double> off_ns = compared.fit(sm, domains[i]);
      if (!off_ns) continue;
      if (*off_ns < best) {
        second = std::exchange(best, *off_ns);
        place = i;
      } else {
        second = std::min(second, *off_ns);
      }
    }
    if (place == domains.size() || !(std::isinf(second) || compared.is_clear(best, second))) {
      place = domains.size();
      domains.emplace_back();
    }
    join(domains[place], sm);
  }
  for (clock_domain& domain : domains) std::sort(domain.sms.begin(), domain.sms.end());
  std::sort(domains.begin(), domains.end(),
            [](const clock_domain& a, const clock_domain& b) { return a.sms.front() < b.sms.front(); });
  return domains;
}

}  // namespace iket::analysis
