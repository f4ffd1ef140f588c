// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/unit.hpp"

#include <algorithm>

namespace iket::analysis {

void unit_warps::assign(cta_group ctas) {
  warps_.clear();
  roles_.clear();
  teams_ = 0;
  first_.assign(1, 0);
  const auto team_of = [&](index role) {
    if (role == none) return teams_++;
    for (const auto& [known, team] : roles_)
      if (known == role) return team;
    roles_.emplace_back(role, teams_);
    return teams_++;
  };
  for (std::uint32_t cta = 0; cta < ctas.size(); ++cta) {
    picoseconds from = ctas[cta].front().observed;
    picoseconds until = ctas[cta].front().unobserved;
    for (const warp_timeline& warp : ctas[cta]) {
      from = std::max(from, warp.observed);
      until = std::min(until, warp.unobserved);
    }
    for (const warp_timeline& warp : ctas[cta]) warps_.push_back({&warp, from, until, cta, team_of(warp.role)});
    first_.push_back(static_cast<std::uint32_t>(warps_.size()));
  }
}

}  // namespace iket::analysis
