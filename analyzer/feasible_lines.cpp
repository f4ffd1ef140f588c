// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "feasible_lines.hpp"

#include <algorithm>
#include <utility>

namespace iket::analysis {
namespace {

// What rounding may do to a bound, for values below 1e11.
constexpr double rounding = 1e-4;

}  // namespace

feasible_lines::feasible_lines(double least_offset, double largest_offset, double largest_slope)
    : corners_{{least_offset, -largest_slope, nobody},
               {largest_offset, -largest_slope, nobody},
               {largest_offset, largest_slope, nobody},
               {least_offset, largest_slope, nobody}} {}

bool feasible_lines::clip(double x, double bound, double sign, std::size_t owner) {
  std::vector<double> beyond;  // by how much each corner is beyond the bound
  beyond.reserve(corners_.size());
  for (const corner& at : corners_) beyond.push_back(sign * (at.offset + at.slope * x - bound));
  const auto [least, most] = std::minmax_element(beyond.begin(), beyond.end());
  if (*least > rounding) {
    const auto closest = static_cast<std::size_t>(least - beyond.begin());
    const std::size_t before = (closest == 0 ? corners_.size() : closest) - 1;
    contradiction_ = {owner, corners_[before].owner, corners_[closest].owner};
    return false;
  }
  if (*most <= 0) return true;
  const double grace = std::max(*least, 0.0);
  std::vector<corner> kept;
  kept.reserve(corners_.size() + 1);
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const corner& from = corners_[i];
    const corner& to = corners_[i + 1 < corners_.size() ? i + 1 : 0];
    const double beyond_from = beyond[i] - grace;
    const double beyond_to = beyond[i + 1 < corners_.size() ? i + 1 : 0] - grace;
    if (beyond_from <= 0) kept.push_back(from);
    if ((beyond_from <= 0) == (beyond_to <= 0)) continue;
    const double part = beyond_from / (beyond_from - beyond_to);
    kept.push_back({from.offset + part * (to.offset - from.offset), from.slope + part * (to.slope - from.slope),
                    beyond_from <= 0 ? owner : from.owner});
  }
  corners_ = std::move(kept);
  return true;
}

}  // namespace iket::analysis
