// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which part of a launch was asked for, and how to say it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace iket::analysis {

enum class cta_choice : std::uint8_t {
  every,    ///< those at multiples of the stride
  range,    ///< those from the first up to and without the last
  list,     ///< listed ones
  unknown,  ///< of a newer version
};

/// The mask of a launch all of whose warps are traced, however many it has.
inline constexpr std::uint32_t all_warps = 0xFFFFFFFFu;

/// The part of a launch that is traced. Clusters are traced whole, so a stride counts clusters where there are any.
struct selection {
  analysis::cta_choice choice = cta_choice::every;
  std::uint32_t cta_stride = 1;                      ///< every n-th of the chosen CTAs, or clusters, was traced
  std::uint32_t first_cta = 0;                       ///< of a range, linear
  std::uint32_t last_cta = 0;                        ///< of a range, linear, itself not in it
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};  ///< CTAs of a cluster
  std::uint32_t warp_mask = all_warps;               ///< bit w: warp w of each CTA

  bool operator==(const selection&) const = default;

  [[nodiscard]] bool has_clusters() const { return cluster != std::array<std::uint32_t, 3>{1, 1, 1}; }
  [[nodiscard]] bool has_every_cta() const { return choice == cta_choice::every && cta_stride == 1; }
};

/// Whether a mask has warp `warp` of a CTA. More than 32 warps are traced all or not at all.
[[nodiscard]] bool has_warp(std::uint32_t mask, std::uint32_t warp);

/// How many of a CTA's warps a mask has.
[[nodiscard]] std::uint32_t count_warps(std::uint32_t mask, std::uint32_t warps_per_cta);

/// The warps that a mask has among those of a CTA.
[[nodiscard]] std::vector<std::uint32_t> warps_of(std::uint32_t mask, std::uint32_t warps_per_cta);

/// "every 4th cluster", "CTAs 8 to 15", "3 listed CTAs"; "" for all of them. `ctas_traced` by one launch.
[[nodiscard]] std::string cta_text(const selection& of, std::uint64_t ctas_traced);

/// "warps 0,4,8", "warps 0 to 3", "warp 5"; "" for all of them.
[[nodiscard]] std::string warp_text(std::uint32_t mask, std::uint32_t warps_per_cta);

}  // namespace iket::analysis
