// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "launch_group.hpp"

#include <cstddef>
#include <map>
#include <tuple>

namespace iket::analysis {

std::vector<launch_group> group_launches(const timeline& source, bool left_out_too) {
  std::vector<launch_group> groups;
  std::map<
      std::tuple<std::string, std::string, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>, index, bool>,
      std::size_t>
      known;
  for (const launch& one : source.launches) {
    if (one.left_out && !left_out_too) continue;
    const auto [place, is_new] = known.try_emplace(
        {one.file, one.kernel, one.grid, one.block, one.device, one.running || one.failed}, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&one);
  }
  return groups;
}

}  // namespace iket::analysis
