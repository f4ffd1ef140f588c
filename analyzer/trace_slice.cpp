// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "trace_slice.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>

#include "stage_statistics.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

constexpr std::size_t most_listed = 12;

bool any_has(const std::vector<number_range>& ranges, std::uint64_t number) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const number_range& range) { return range.has(number); });
}

template <class Value>
bool any_is(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool fits_cta(const warp_timeline& warp, const slice_request& request) {
  return !request.has_ctas() || any_has(request.ctas, warp.cta_linear) || any_is(request.cta_places, warp.cta);
}

bool fits_warp(const warp_timeline& warp, const slice_request& request) {
  return request.warps.empty() || any_has(request.warps, warp.warp);
}

bool fits_role(const timeline& of, const warp_timeline& warp, const slice_request& request) {
  return request.roles.empty() || any_is(request.roles, role_name(of, warp.role));
}

bool fits_times(picoseconds begin, picoseconds end, const slice_request& request) {
  return (!request.from || end >= *request.from) && (!request.to || begin <= *request.to);
}

/// "a, b, c and 4 more"
std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most_listed; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most_listed) text += " and " + std::to_string(names.size() - most_listed) + " more";
  return text.empty() ? "none" : text;
}

std::string launches_of(const timeline& of) {
  std::vector<std::string> names;
  for (const launch& one : of.launches) names.push_back(std::to_string(names.size() + 1) + " '" + one.kernel + "'");
  return list_of(names);
}

/// All warps of the launches that were asked for, in order.
template <class Visit>
void for_each_warp(const timeline& of, Visit visit) {
  for (const launch& one : of.launches) {
    if (one.left_out) continue;
    for (const warp_timeline& warp : one.warps) visit(warp);
  }
}

template <class Fits>
bool any_warp(const timeline& of, Fits fits) {
  bool found = false;
  for_each_warp(of, [&](const warp_timeline& warp) { found = found || fits(warp); });
  return found;
}

template <class Number>
std::string span_of(const timeline& of, Number number) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  for_each_warp(of, [&](const warp_timeline& warp) {
    least = std::min<std::uint64_t>(least, number(warp));
    most = std::max<std::uint64_t>(most, number(warp));
  });
  return least > most ? "none" : std::to_string(least) + " to " + std::to_string(most);
}

/// "0 to 3", "every 40th from 0 to 480", "3, 5, 6 and 7 more" by linear number.
std::string ctas_of(const timeline& of) {
  constexpr std::size_t most = 8;
  std::set<std::uint64_t> numbers;
  for_each_warp(of, [&](const warp_timeline& warp) { numbers.insert(warp.cta_linear); });
  if (numbers.empty()) return "none";
  const std::vector<std::uint64_t> all(numbers.begin(), numbers.end());
  const std::uint64_t stride = all.size() > 1 ? all[1] - all[0] : 1;  // a single one is from itself to itself
  bool even = true;
  for (std::size_t i = 1; i < all.size(); ++i) even = even && all[i] - all[i - 1] == stride;
  std::string span = std::to_string(all.front()) + " to " + std::to_string(all.back());
  if (even && stride == 1) return span;
  if (even && all.size() > 2) return "every " + ordinal_text(stride) + " from " + span;
  std::string list;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) list += (i == 0 ? "" : ", ") + std::to_string(all[i]);
  return all.size() > most ? list + " and " + std::to_string(all.size() - most) + " more" : list;
}

std::string roles_of(const timeline& of) {
  std::set<std::string> roles;
  for_each_warp(of, [&](const warp_timeline& warp) { roles.insert(role_name(of, warp.role)); });
  return list_of({roles.begin(), roles.end()});
}

std::string names_of(const timeline& of) {
  std::vector<std::string> names;
  for (const stage& one : of.stages) names.push_back("'" + one.name + "'");
  for (const point_name& one : of.points) names.push_back("'" + one.name + "'");
  return list_of(names);
}

std::string times_of(const timeline& of) {
  picoseconds first = std::numeric_limits<picoseconds>::max();
  picoseconds last = std::numeric_limits<picoseconds>::min();
  for_each_warp(of, [&](const warp_timeline& warp) {
    first = std::min(first, warp.open);
    last = std::max(last, warp.close);
  });
  if (first > last) return "nothing was traced";
  return "the traced warps run from " + fixed_text(static_cast<double>(first) / 1e6, 3) + " us to " +
         fixed_text(static_cast<double>(last) / 1e6, 3) + " us";
}

/// The names of a table that fit.
template <class Element>
std::vector<char> fitting(const std::vector<Element>& names, const std::optional<name_pattern>& pattern) {
  std::vector<char> result;
  for (const Element& one : names) result.push_back(!pattern || pattern->fits(one.name) ? 1 : 0);
  return result;
}

/// Throws where one kind of choice alone fits nothing.
void check_each(const timeline& of, const slice_request& request) {
  const auto any = [](const std::vector<char>& flags) { return std::count(flags.begin(), flags.end(), 1) != 0; };
  if (!any_warp(of, [&](const warp_timeline& warp) { return fits_cta(warp, request); }))
    throw empty_slice("--cta fits no traced CTA: they are " + ctas_of(of) + " by linear number");
  if (!any_warp(of, [&](const warp_timeline& warp) { return fits_warp(warp, request); }))
    throw empty_slice("--warp fits no traced warp: they are " +
                      span_of(of, [](const warp_timeline& warp) { return warp.warp; }) + " of a CTA");
  if (!any_warp(of, [&](const warp_timeline& warp) { return fits_role(of, warp, request); }))
    throw empty_slice("--role fits no warp: the roles are " + roles_of(of));
  if (request.stage && !any(fitting(of.stages, request.stage)) && !any(fitting(of.points, request.stage)))
    throw empty_slice("--stage fits no name: they are " + names_of(of));
  if (!any_warp(of, [&](const warp_timeline& warp) { return fits_times(warp.open, warp.close, request); }))
    throw empty_slice("nothing was traced between --from and --to: " + times_of(of));
}

/// Marks all of one warp that does not fit.
class warp_slicer {
 public:
  warp_slicer(const timeline& of, const slice_request& request)
      : request_(request), stages_(fitting(of.stages, request.stage)), points_(fitting(of.points, request.stage)) {}

  void slice(warp_timeline& warp) const {
    if (!request_.stage && !request_.has_times()) return;
    for (range& one : warp.ranges)
      one.left_out = (request_.stage && (one.stage == none || stages_[one.stage] == 0)) ||
                     !fits_times(one.begin, one.end, request_);
    for (point& one : warp.points)
      one.left_out = (request_.stage && points_[one.name] == 0) || !fits_times(one.time, one.time, request_);
    // Lost times outside are not to be drawn either.
    if (!fits_times(warp.open, warp.observed, request_)) warp.open = warp.observed;
    if (!fits_times(warp.unobserved, warp.close, request_)) warp.close = warp.unobserved;
  }

 private:
  const slice_request& request_;
  std::vector<char> stages_;
  std::vector<char> points_;
};

bool has_anything(const warp_timeline& warp, const slice_request& request) {
  if (!fits_times(warp.open, warp.close, request)) return false;
  const bool has_lost = warp.observed > warp.open || warp.close > warp.unobserved;
  const auto is_drawn = [](const auto& one) { return !one.left_out; };
  return std::any_of(warp.ranges.begin(), warp.ranges.end(), is_drawn) ||
         std::any_of(warp.points.begin(), warp.points.end(), is_drawn) ||
         (!request.stage && (has_lost || !request.has_times()));
}

}  // namespace

void keep_launches(timeline& of, const slice_request& request) {
  if (!request.has_launches()) return;
  bool anything = false;
  for (std::size_t i = 0; i < of.launches.size(); ++i) {
    launch& one = of.launches[i];
    one.left_out = !any_has(request.launches, i + 1) && !any_is(request.kernels, one.kernel);
    anything = anything || !one.left_out;
  }
  if (!anything) throw empty_slice("--launch fits no launch: they are " + launches_of(of));
}

void keep_parts(timeline& of, const slice_request& request) {
  if (!request.has_parts()) return;
  check_each(of, request);
  const warp_slicer slicer(of, request);
  bool anything = false;
  for (launch& one : of.launches) {
    if (one.left_out) continue;
    for (warp_timeline& warp : one.warps) {
      warp.left_out = !fits_cta(warp, request) || !fits_warp(warp, request) || !fits_role(of, warp, request);
      if (!warp.left_out) slicer.slice(warp);
      warp.left_out = warp.left_out || !has_anything(warp, request);
      anything = anything || !warp.left_out;
    }
  }
  if (!anything) throw empty_slice("each choice alone fits something, but all of them together nothing");
}

}  // namespace iket::analysis
