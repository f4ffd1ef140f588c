// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which CTAs and warps of a launch are traced: what is left out takes no memory. Options of `session::trace`.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <iket/trace_file.hpp>

namespace iket {
inline namespace abi_1 {

/// Some of a launch's CTAs, by their linear index (z * grid.y + y) * grid.x + x. Made by the functions of `iket::ctas`.
struct cta_selection {
  file::cta_choice choice = file::cta_choice::every;
  std::uint32_t stride = 1;         ///< of `every`
  std::uint32_t first = 0;          ///< of `range`
  std::uint32_t last = 0;           ///< of `range`, itself not in it
  std::vector<std::uint32_t> list;  ///< of `list`, in any order
};

/// Where `trace_options::cluster` is given, a cluster is traced if one of its CTAs is selected, and `every` counts
/// clusters: CTAs of a cluster are traced all or none.
namespace ctas {

/// Every CTA: the default.
[[nodiscard]] inline cta_selection all() { return {}; }

/// CTAs (or clusters) 0, n, 2n, ...; n is at least 1.
[[nodiscard]] inline cta_selection every(std::uint32_t n) {
  cta_selection selection;
  selection.stride = n;
  return selection;
}

/// CTAs from `first` up to and without `last`. What lies behind the grid's end is ignored.
[[nodiscard]] inline cta_selection range(std::uint32_t first, std::uint32_t last) {
  cta_selection selection;
  selection.choice = file::cta_choice::range;
  selection.first = first;
  selection.last = last;
  return selection;
}

/// Some CTAs, in any order; one that is named twice counts once. Costs a load in each recorder of the launch, and 8
/// bytes of device memory for every 32 CTAs between the first and the last.
[[nodiscard]] inline cta_selection list(std::vector<std::uint32_t> linear) {
  cta_selection selection;
  selection.choice = file::cta_choice::list;
  selection.list = std::move(linear);
  return selection;
}

}  // namespace ctas

/// Masks of warps in a CTA for `trace_options::warps`: bit w is warp w, linear thread / 32.
namespace warps {

constexpr std::uint32_t all = 0xFFFFFFFFu;                ///< the default
constexpr std::uint32_t one_per_warpgroup = 0x11111111u;  ///< the first of every four

}  // namespace warps
}  // namespace abi_1
}  // namespace iket
