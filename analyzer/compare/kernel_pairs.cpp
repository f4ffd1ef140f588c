// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/kernel_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

namespace iket::analysis {
namespace {

/// What kernels that are alike have in common.
auto kernel_key(const launch_group& of) { return std::tuple(of.front()->kernel, of.front()->grid, of.front()->block); }

/// Moves pairs out of both lists: kernels of equal key that share it with no other one of their list.
template <class Key>
void take_pairs(std::vector<launch_group>& before, std::vector<launch_group>& after, const Key& key,
                std::vector<kernel_pair>& to) {
  const auto places_in = [&](const std::vector<launch_group>& kernels) {
    std::map<std::invoke_result_t<Key, const launch_group&>, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < kernels.size(); ++i) places[key(kernels[i])].push_back(i);
    return places;
  };
  const auto old_places = places_in(before);
  for (const auto& [which, places] : places_in(after)) {
    const auto partners = old_places.find(which);
    if (partners == old_places.end() || partners->second.size() != 1 || places.size() != 1) continue;
    to.push_back({std::move(before[partners->second.front()]), std::move(after[places.front()])});
  }
  const auto is_taken = [](const launch_group& one) { return one.empty(); };
  std::erase_if(before, is_taken);
  std::erase_if(after, is_taken);
}

/// Whether none is left.
bool drop_left_out(launch_group& from) {
  std::erase_if(from, [](const launch* one) { return one->left_out; });
  return from.empty();
}

}  // namespace

std::vector<launch_group> group_kernels(const timeline& source, bool left_out_too) {
  std::vector<launch_group> kernels;
  std::map<decltype(kernel_key({})), std::size_t> known;
  for (launch_group& group : group_launches(source, left_out_too)) {
    const auto [place, is_new] = known.try_emplace(kernel_key(group), kernels.size());
    if (is_new)
      kernels.push_back(std::move(group));
    else
      kernels[place->second].insert(kernels[place->second].end(), group.begin(), group.end());
  }
  return kernels;
}

kernel_pairs match_kernels(const timeline& before, const timeline& after) {
  kernel_pairs result;
  result.only_before = group_kernels(before);
  result.only_after = group_kernels(after, true);
  const bool single = result.only_before.size() == 1 && result.only_after.size() == 1;
  take_pairs(result.only_before, result.only_after, kernel_key, result.pairs);
  take_pairs(
      result.only_before, result.only_after, [](const launch_group& of) { return of.front()->kernel; }, result.pairs);
  if (single)
    take_pairs(
        result.only_before, result.only_after, [](const launch_group&) { return 0; }, result.pairs);
  // Groups are in the order of their first launches.
  std::sort(result.pairs.begin(), result.pairs.end(),
            [](const kernel_pair& a, const kernel_pair& b) { return a.after.front() < b.after.front(); });
  std::erase_if(result.pairs, [](kernel_pair& of) { return drop_left_out(of.after); });
  std::erase_if(result.only_after, drop_left_out);
  return result;
}

}  // namespace iket::analysis
