// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/scope.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace iket::analysis {
namespace {

using unit_key = std::array<std::uint32_t, 3>;

unit_key key_of(const warp_timeline& warp, const launch& of, scope by) {
  switch (by) {
    case scope::cta:
      return {warp.cta_linear, 0, 0};
    case scope::cluster:
      return {warp.cta[0] / std::max(of.cluster[0], 1u), warp.cta[1] / std::max(of.cluster[1], 1u),
              warp.cta[2] / std::max(of.cluster[2], 1u)};
    case scope::sm:
      return {warp.sm, 0, 0};
    case scope::gpu:
      break;
  }
  return {};
}

}  // namespace

std::string_view scope_name(scope of) {
  constexpr std::array<std::string_view, 4> names{"cta", "cluster", "sm", "gpu"};
  return names[static_cast<std::size_t>(of)];
}

std::vector<cta_warps> ctas_of(const launch& of) {
  std::vector<cta_warps> ctas;
  const cta_warps all(of.warps);
  for (std::size_t first = 0, i = 1; i <= all.size(); ++i) {
    if (i != all.size() && all[i].cta_linear == all[first].cta_linear) continue;
    ctas.push_back(all.subspan(first, i - first));
    first = i;
  }
  return ctas;
}

scope_units::scope_units(const launch& of, scope by) : ctas_(ctas_of(of)) {
  const auto key = [&](const cta_warps& cta) { return key_of(cta.front(), of, by); };
  std::stable_sort(ctas_.begin(), ctas_.end(), [&](const cta_warps& a, const cta_warps& b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < ctas_.size(); ++i)
    if (i == 0 || key(ctas_[i - 1]) != key(ctas_[i])) first_.push_back(i);
  first_.push_back(ctas_.size());
}

}  // namespace iket::analysis
