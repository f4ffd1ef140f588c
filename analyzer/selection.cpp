// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "selection.hpp"

#include <algorithm>
#include <bit>

#include "units.hpp"

namespace iket::analysis {
namespace {

constexpr std::uint32_t mask_bits = 32;

std::string range_text(const selection& of) {
  if (of.last_cta <= of.first_cta) return "no CTAs";
  const std::uint32_t last = of.last_cta - 1;
  if (last == of.first_cta) return "CTA " + std::to_string(last);
  return "CTAs " + std::to_string(of.first_cta) + " to " + std::to_string(last);
}

}  // namespace

bool has_warp(std::uint32_t mask, std::uint32_t warp) {
  return mask == all_warps || (warp < mask_bits && (mask >> warp & 1) != 0);
}

std::uint32_t count_warps(std::uint32_t mask, std::uint32_t warps_per_cta) {
  if (mask == all_warps) return warps_per_cta;
  const std::uint32_t in_cta = warps_per_cta >= mask_bits ? all_warps : (1u << warps_per_cta) - 1;
  return static_cast<std::uint32_t>(std::popcount(mask & in_cta));
}

std::vector<std::uint32_t> warps_of(std::uint32_t mask, std::uint32_t warps_per_cta) {
  std::vector<std::uint32_t> warps;
  for (std::uint32_t warp = 0; warp < std::min(warps_per_cta, mask_bits); ++warp)
    if (has_warp(mask, warp)) warps.push_back(warp);
  return warps;
}

std::string cta_text(const selection& of, std::uint64_t ctas_traced) {
  if (of.has_every_cta()) return {};
  const std::string every = of.cta_stride == 1 ? "" : "every " + ordinal_text(of.cta_stride);
  const std::string unit = of.has_clusters() ? "cluster" : "CTA";
  switch (of.choice) {
    case cta_choice::every:
      return every + " " + unit;
    case cta_choice::range:
      return every.empty() ? range_text(of) : every + " " + unit + " of " + range_text(of);
    case cta_choice::list:
      return every.empty() ? count_text(ctas_traced, "listed CTA") : every + " of the listed " + unit + "s";
    case cta_choice::unknown:
      break;
  }
  return "some CTAs";
}

std::string warp_text(std::uint32_t mask, std::uint32_t warps_per_cta) {
  if (count_warps(mask, warps_per_cta) == warps_per_cta) return {};
  const std::vector<std::uint32_t> warps = warps_of(mask, warps_per_cta);
  if (warps.empty()) return "no warps";
  if (warps.size() == 1) return "warp " + std::to_string(warps[0]);
  if (warps.size() > 2 && warps.back() - warps.front() + 1 == warps.size())
    return "warps " + std::to_string(warps.front()) + " to " + std::to_string(warps.back());
  std::string text;
  for (std::size_t first = 0, last = 0; first < warps.size(); first = ++last) {
    while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1) ++last;
    text += (text.empty() ? "warps " : ",") + std::to_string(warps[first]);
    if (last != first) text += (last == first + 1 ? "," : "-") + std::to_string(warps[last]);
  }
  return text;
}

}  // namespace iket::analysis
