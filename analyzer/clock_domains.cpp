// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_domains.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
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

double distance(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(static_cast<std::int64_t>(to - from));
}

/// How far a pair is off a domain, and how far it may be.
struct comparison {
  double off_ns = 0;
  double allowance_ns = 0;
  bool is_sharp = false;
};

class comparer {
 public:
  comparer(double ns_per_cycle, const timer_reading& reading) : rate_(ns_per_cycle), reading_(reading) {}

  [[nodiscard]] bool fits(std::span<const sm_pair> sm, const clock_domain& domain) const {
    if (sm.size() > 4 * quick_probes && !fits(sm, domain, quick_probes)) return false;
    return fits(sm, domain, most_probes);
  }

 private:
  [[nodiscard]] bool fits(std::span<const sm_pair> sm, const clock_domain& domain, std::size_t probes) const {
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
      if (found->is_sharp) sharp.push_back(found->off_ns);
    }
    if (sharp.empty() || misfits * 5 > compared) return false;
    const auto middle = sharp.begin() + static_cast<std::ptrdiff_t>(sharp.size() / 2);
    std::nth_element(sharp.begin(), middle, sharp.end());
    return std::abs(*middle) <= largest_offset_ns + 3 * slack / std::sqrt(static_cast<double>(sharp.size()));
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
    const double from_before = before != nullptr ? distance(before->cycles, pair.cycles) : 0;
    const double to_after = after != nullptr ? distance(pair.cycles, after->cycles) : 0;
    if (before != nullptr && after != nullptr) {
      const double way = std::max(1.0, from_before + to_after);
      const double on_line = distance(before->globaltimer_ns, after->globaltimer_ns) * (from_before / way);
      const double near_ns = rate_ * std::min(from_before, to_after);
      return comparison{distance(before->globaltimer_ns, pair.globaltimer_ns) - on_line, slack + wander * near_ns,
                        near_ns <= sharp_between_ns};
    }
    const sm_pair& nearest = before != nullptr ? *before : *after;
    const double cycles = from_before - to_after;
    return comparison{distance(nearest.globaltimer_ns, pair.globaltimer_ns) - rate_ * cycles,
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
  std::stable_sort(sms.begin(), sms.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
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
    std::size_t fitting = 0;
    std::size_t place = domains.size();
    for (std::size_t i = 0; i < domains.size() && fitting < 2; ++i) {
      if (!compared.fits(sm, domains[i])) continue;
      ++fitting;
      place = i;
    }
    if (fitting != 1) {
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
