// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "bottleneck_findings.hpp"

#include <algorithm>
#include <utility>

#include "fraction.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

constexpr bottleneck_thresholds thresholds;

std::string who(const std::string& role) { return role == "-" ? "warps without a role" : role; }

/// A wait as a part of its role's observed time.
struct role_share {
  double fraction = 0;
  bool has_lost = false;
};

role_share share_of(const wait_statistics& wait, const launch_report& launch) {
  for (const role_statistics& role : launch.roles) {
    if (role.name != wait.role) continue;
    for (const role_wait& known : role.waits)
      if (known.stage == wait.stage) return {fraction(known.time, role.observed()), role.lost != 0};
  }
  return {};
}

bool ends_with_flight(const std::string& activity) { return activity.ends_with(in_flight_suffix); }

/// "load tile" of "load tile (in flight)".
std::string stage_of(const std::string& activity) {
  return ends_with_flight(activity) ? activity.substr(0, activity.size() - in_flight_suffix.size()) : activity;
}

std::uint64_t releases_by(const wait_statistics& wait, const std::string& activity) {
  std::uint64_t count = 0;
  for (const releaser& by : wait.released_by)
    if (by.stage == activity) count += by.count;
  return count;
}

/// Of the activities that cover enough of a wait, the one that released most of it; of several the one that covers
/// most.
const cover_part* culprit_of(const wait_statistics& wait) {
  const cover_part* best = nullptr;
  for (const cover_part& part : wait.covered_by) {
    if (wait.fraction(part.time).value_or(0) < thresholds.cover) continue;
    if (best == nullptr || releases_by(wait, part.activity) > releases_by(wait, best->activity)) best = &part;
  }
  return best;
}

std::string waits_text(const wait_statistics& wait, const role_share& share) {
  return who(wait.role) + ": waits " + percent_text(share.fraction) +
         (share.has_lost ? " of its observed time in " : " of its time in ") + quoted(wait.stage) + "; during ";
}

finding text_on(const wait_bottleneck& one) {
  return {severity::bottleneck,
          waits_text(*one.wait, {one.share, one.has_lost}) + percent_text(one.covered) + " of that " +
              quoted(one.stage) + (one.in_flight ? " was in flight: " : " ran: ") + quoted(one.stage) +
              " is the bottleneck",
          one.stage, one.share};
}

void add_wait_findings(const launch_report& launch, std::vector<finding>& to) {
  std::vector<std::pair<double, finding>> found;
  for (const wait_bottleneck& one : wait_bottlenecks_of(launch))
    found.emplace_back(one.share * one.covered, text_on(one));
  for (const wait_statistics& wait : launch.related.waits) {
    const role_share share = share_of(wait, launch);
    const double skew = wait.fraction(wait.skew).value_or(0);
    if (share.fraction < thresholds.wait_share || culprit_of(wait) != nullptr || skew < thresholds.skew) continue;
    found.emplace_back(share.fraction * skew,
                       finding{severity::bottleneck,
                               waits_text(wait, share) + percent_text(skew) +
                                   " of that only others of the same role worked: they wait for the "
                                   "slowest of themselves",
                               wait.stage, share.fraction});
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [weight, one] : found) to.push_back(std::move(one));
}

std::string members_text(const imbalance_statistics& one) {
  switch (one.across) {
    case division::warps:
      return std::to_string(one.n) + " warps";
    case division::ctas:
      return std::to_string(one.n) + " CTAs";
    case division::sms:
      break;
  }
  return std::to_string(one.n) + " SMs";
}

/// Where only some CTAs were traced, an SM's total is that of those that happened to be on it.
bool is_known(const launch_report& launch, division across) {
  return across != division::sms || launch.ctas_traced == launch.ctas_total;
}

/// For each stage and role the first division that is uneven: what is so among warps is so among their CTAs.
void add_uneven(const launch_report& launch, std::vector<finding>& to) {
  std::pair<std::string, std::string> last;
  for (const imbalance_statistics& one : launch.imbalance) {
    const double ratio = one.max_over_mean().value_or(0);
    const double excess = static_cast<double>(one.max) - one.mean_ps();
    if (one.kind != stage_kind::work || one.n < thresholds.members || ratio < thresholds.max_over_mean) continue;
    if (!is_known(launch, one.across) || excess < thresholds.uneven_cost * launch.duration_ps) continue;
    if (std::exchange(last, {one.stage, one.role}) == std::pair(one.stage, one.role)) continue;
    to.push_back({severity::bottleneck,
                  quoted(one.stage) + " is spread unevenly over the " + members_text(one) + " of " + who(one.role) +
                      ": " + duration_text(static_cast<double>(one.max)) + " on the busiest, " + fixed_text(ratio, 2) +
                      " times the mean",
                  one.stage, ratio});
  }
}

void add_tail(const launch_report& launch, std::vector<finding>& to) {
  if (!launch.tail || launch.tail->fewest_sms < thresholds.sms || launch.ctas_traced != launch.ctas_total) return;
  const double tail = launch.tail->fraction().value_or(0);
  if (tail < thresholds.tail) return;
  to.push_back({severity::bottleneck,
                "tail: for the last " + percent_text(tail) + " of the time half of the SMs have nothing left to do",
                {},
                tail});
}

}  // namespace

std::vector<wait_bottleneck> wait_bottlenecks_of(const launch_report& launch) {
  std::vector<wait_bottleneck> found;
  for (const wait_statistics& wait : launch.related.waits) {
    const role_share share = share_of(wait, launch);
    const cover_part* const culprit = share.fraction < thresholds.wait_share ? nullptr : culprit_of(wait);
    if (culprit != nullptr)
      found.push_back({&wait, stage_of(culprit->activity), ends_with_flight(culprit->activity), share.fraction,
                       share.has_lost, wait.fraction(culprit->time).value_or(0)});
  }
  std::stable_sort(found.begin(), found.end(), [](const wait_bottleneck& a, const wait_bottleneck& b) {
    return a.share * a.covered > b.share * b.covered;
  });
  return found;
}

void add_bottlenecks(const launch_report& launch, std::vector<finding>& to) {
  if (launch.launches_checked != 0) return;
  add_wait_findings(launch, to);
  add_uneven(launch, to);
  add_tail(launch, to);
}

void add_relation_limits(const launch_report& launch, std::vector<finding>& to) {
  for (const wait_statistics& wait : launch.related.waits) {
    const role_share share = share_of(wait, launch);
    const double uncovered = wait.fraction(wait.uncovered).value_or(0);
    if (share.fraction < thresholds.wait_share || uncovered < thresholds.uncovered) continue;
    to.push_back({severity::info,
                  waits_text(wait, share) + percent_text(uncovered) +
                      " of that nothing traced went on: what it waits for is not in the trace",
                  wait.stage, uncovered});
  }
  const related_statistics& related = launch.related;
  const double together = fraction(related.together, related.observed);
  if (related.observed == 0 || together >= thresholds.together) return;
  to.push_back({severity::info,
                "all traced warps of a CTA are observed together for only " + percent_text(together) +
                    " of their time: overlap, waits and pipelines are drawn from that part",
                {},
                together});
}

}  // namespace iket::analysis
