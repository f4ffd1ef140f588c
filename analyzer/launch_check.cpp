// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "launch_check.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "limits.hpp"
#include "selection.hpp"

namespace iket::analysis {
namespace {

constexpr std::uint64_t most_ctas = 0xFFFFFFFFu;  // of a grid

struct placed_warp {
  std::uint64_t cta = 0;  // linear
  std::uint32_t warp = 0;
  warp_view view;

  [[nodiscard]] auto place() const { return std::tuple(cta, warp); }
};

/// As large as the warps say. One that would make more CTAs of it than a grid has is not looked at: it is refused
/// afterwards, as it is not inside.
void guess_grid(launch_view& launch) {
  for (std::uint32_t& size : launch.info.grid) size = 1;
  for (const warp_view& warp : launch.warps) {
    const warp_header header = warp.header();
    std::uint64_t size[3];
    for (int axis = 0; axis < 3; ++axis)
      size[axis] = std::max<std::uint64_t>(launch.info.grid[axis], std::uint64_t{header.cta[axis]} + 1);
    if (size[0] > most_ctas || size[1] > most_ctas / size[0] || size[2] > most_ctas / (size[0] * size[1])) continue;
    for (int axis = 0; axis < 3; ++axis) launch.info.grid[axis] = static_cast<std::uint32_t>(size[axis]);
  }
}

/// Whether a CTA inside the grid can be one of those that were asked for. A list is not in the file, and how clusters
/// are numbered is no matter of the format: then it can.
bool may_be_traced(std::uint64_t cta, const file::launch_info& info) {
  if (info.cluster[0] != 1 || info.cluster[1] != 1 || info.cluster[2] != 1) return true;
  if (info.choice == file::cta_choice::every) return cta % info.cta_stride == 0;
  if (info.choice != file::cta_choice::range) return true;
  return cta >= info.first_cta && cta < info.last_cta && (cta - info.first_cta) % info.cta_stride == 0;
}

/// Why a warp cannot be, or nullptr.
const char* objection(const warp_header& header, const launch_view& launch) {
  const file::launch_info& info = launch.info;
  for (int axis = 0; axis < 3; ++axis)
    if (header.cta[axis] >= info.grid[axis]) return "a CTA inside the grid";
  if (header.warp >= limits::warps_of_cta) return "a warp inside a CTA of CUDA";
  if (header.open_sm >= limits::sms || header.close_sm >= limits::sms) return "an SM that a GPU can have";
  if (launch.facts_lost) return nullptr;
  if (!may_be_traced(linear_cta(header.cta, info.grid), info)) return "a CTA that was chosen";
  if (header.warp >= info.warps_per_cta) return "a warp inside the CTA";
  if (!has_warp(info.warp_mask, header.warp)) return "a warp that was chosen";
  if (header.kept > info.records_per_warp) return "no more records than the ring holds";
  return nullptr;
}

}  // namespace

std::uint64_t linear_cta(const std::uint32_t (&cta)[3], const std::uint32_t (&grid)[3]) noexcept {
  return (std::uint64_t{cta[2]} * grid[1] + cta[1]) * grid[0] + cta[0];
}

void check_warps(launch_view& launch, std::uint64_t offset, damage_list& damages) {
  if (launch.facts_lost) guess_grid(launch);
  std::vector<placed_warp> placed;
  placed.reserve(launch.warps.size());
  const char* reason = nullptr;
  std::uint64_t refused = 0;
  for (const warp_view& warp : launch.warps) {
    const warp_header header = warp.header();
    if (const char* const text = objection(header, launch)) {
      if (reason == nullptr) reason = text;
      ++refused;
    } else {
      placed.push_back({linear_cta(header.cta, launch.info.grid), header.warp, warp});
    }
  }
  const auto before = [](const placed_warp& a, const placed_warp& b) { return a.place() < b.place(); };
  if (!std::is_sorted(placed.begin(), placed.end(), before)) std::stable_sort(placed.begin(), placed.end(), before);

  launch.warps.clear();
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (i != 0 && placed[i].place() == placed[i - 1].place()) {
      if (reason == nullptr) reason = "every warp once";
      ++refused;
    } else {
      launch.warps.push_back(placed[i].view);
    }
  }
  const std::string of_launch = " of launch " + std::to_string(launch.info.id);
  if (refused != 0)
    damages.malformed(offset, std::string("expected ") + reason + "; " + std::to_string(refused) + " warps" +
                                  of_launch + " are left out");
  if (!launch.facts_lost && launch.warps.size() + refused != launch.info.warps_opened)
    damages.malformed(offset, "expected the rings of " + std::to_string(launch.info.warps_opened) + " warps" +
                                  of_launch + ", found " + std::to_string(launch.warps.size() + refused));
}

}  // namespace iket::analysis
