// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/kernel_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace iket::analysis {
namespace {

bool have_one_name(const launch_group& a, const launch_group& b) { return a.front()->kernel == b.front()->kernel; }

bool are_alike(const launch_group& a, const launch_group& b) {
  return have_one_name(a, b) && a.front()->grid == b.front()->grid && a.front()->block == b.front()->block;
}

/// Moves what fits out of both lists.
template <class Fits>
void take_pairs(std::vector<launch_group>& before, std::vector<launch_group>& after, const Fits& fits,
                std::vector<kernel_pair>& to) {
  for (std::size_t i = 0; i < after.size();) {
    const auto partner =
        std::find_if(before.begin(), before.end(), [&](const launch_group& one) { return fits(one, after[i]); });
    if (partner == before.end()) {
      ++i;
      continue;
    }
    to.push_back({std::move(*partner), std::move(after[i])});
    before.erase(partner);
    after.erase(after.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::ptrdiff_t count_named(const std::vector<launch_group>& among, const launch_group& like) {
  return std::count_if(among.begin(), among.end(), [&](const launch_group& one) { return have_one_name(one, like); });
}

/// The kernels of both lists that share their name with no other one of their list. Pairs that are taken meanwhile
/// have other names and change nothing of that.
void take_by_name(std::vector<launch_group>& before, std::vector<launch_group>& after, std::vector<kernel_pair>& to) {
  const auto fits = [&](const launch_group& a, const launch_group& b) {
    return have_one_name(a, b) && count_named(before, a) == 1 && count_named(after, b) == 1;
  };
  take_pairs(before, after, fits, to);
}

/// Whether none is left.
bool drop_left_out(launch_group& from) {
  std::erase_if(from, [](const launch* one) { return one->left_out; });
  return from.empty();
}

}  // namespace

std::vector<launch_group> group_kernels(const timeline& source, bool left_out_too) {
  std::vector<launch_group> kernels;
  for (const launch_group& group : group_launches(source, left_out_too)) {
    const auto known = std::find_if(kernels.begin(), kernels.end(),
                                    [&](const launch_group& other) { return are_alike(other, group); });
    if (known == kernels.end())
      kernels.push_back(group);
    else
      known->insert(known->end(), group.begin(), group.end());
  }
  return kernels;
}

kernel_pairs match_kernels(const timeline& before, const timeline& after) {
  kernel_pairs result;
  result.only_before = group_kernels(before);
  result.only_after = group_kernels(after, true);
  const std::vector<launch_group> order = result.only_after;
  const bool single = result.only_before.size() == 1 && result.only_after.size() == 1;
  take_pairs(result.only_before, result.only_after, are_alike, result.pairs);
  take_by_name(result.only_before, result.only_after, result.pairs);
  if (single)
    take_pairs(
        result.only_before, result.only_after, [](auto&, auto&) { return true; }, result.pairs);
  const auto place = [&](const kernel_pair& of) {
    return std::find_if(order.begin(), order.end(),
                        [&](const launch_group& one) { return one.front() == of.after.front(); });
  };
  std::stable_sort(result.pairs.begin(), result.pairs.end(),
                   [&](const kernel_pair& a, const kernel_pair& b) { return place(a) < place(b); });
  std::erase_if(result.pairs, [](kernel_pair& of) { return drop_left_out(of.after); });
  std::erase_if(result.only_after, drop_left_out);
  return result;
}

}  // namespace iket::analysis
