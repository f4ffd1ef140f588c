// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "draw_limit.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace iket::analysis {
namespace {

constexpr int most_tries = 12;
constexpr double margin = 0.97;    // choices are made for a little less than the limit
constexpr double well_used = 0.8;  // of the limit

/// A CTA, or a cluster of them.
struct drawn_unit {
  std::vector<warp_timeline*> warps;
};

std::vector<drawn_unit> units_of(timeline& of) {
  std::vector<drawn_unit> units;
  for (launch& one : of.launches) {
    std::map<std::array<std::uint32_t, 3>, std::size_t> places;
    if (one.left_out) continue;
    for (warp_timeline& warp : one.warps) {
      if (warp.left_out) continue;
      std::array<std::uint32_t, 3> cluster = warp.cta;
      for (std::size_t axis = 0; axis < 3; ++axis) cluster[axis] /= std::max(1u, one.cluster[axis]);
      const auto [place, is_new] = places.try_emplace(cluster, units.size());
      if (is_new) units.emplace_back();
      units[place->second].warps.push_back(&warp);
    }
  }
  return units;
}

struct limit_passed {};

/// No range or point takes more JSON than this: with the arrows to it and from it, names are
/// written six times at most, a byte of them as six at most.
std::uint64_t most_item_bytes(const timeline& of) {
  constexpr std::uint64_t all_but_names = 1600;
  std::size_t longest = 0;
  for (const stage& one : of.stages) longest = std::max(longest, one.name.size());
  for (const point_name& one : of.points) longest = std::max(longest, one.name.size());
  for (const std::string& one : of.roles) longest = std::max(longest, one.size());
  for (const launch& one : of.launches) longest = std::max({longest, one.kernel.size(), one.file.size()});
  std::size_t longest_source = 0;
  for (const source_location& one : of.sources) longest_source = std::max(longest_source, one.file.size());
  return all_but_names + 6 * (6 * longest + longest_source);
}

/// What can be drawn, and how large it would be.
class chooser {
 public:
  chooser(timeline& of, std::uint64_t most_bytes, const chrome_options& options)
      : of_(of), most_bytes_(most_bytes), options_(options), units_(units_of(of)) {}

  [[nodiscard]] std::size_t count() const { return units_.size(); }

  /// Chooses `wanted` units at even distances.
  void choose(std::size_t wanted) {
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const bool left_out = i * wanted % units_.size() >= wanted;
      for (warp_timeline* const warp : units_[i].warps) warp->left_out = left_out;
    }
  }

  /// The size of what is chosen; none where it passes the limit.
  [[nodiscard]] std::optional<std::uint64_t> bytes() const {
    std::uint64_t bytes = 0;
    try {
      write_chrome_trace(
          of_,
          [&](const void*, std::size_t size) {
            bytes += size;
            if (bytes > most_bytes_) throw limit_passed();
          },
          {}, options_);
    } catch (const limit_passed&) {
      return std::nullopt;
    }
    return bytes;
  }

  /// Whether all is so little that nothing has to be measured.
  [[nodiscard]] bool is_surely_small() const {
    std::uint64_t items = 0;
    for (const drawn_unit& unit : units_)
      for (const warp_timeline* const warp : unit.warps) items += 4 + warp->ranges.size() + warp->points.size();
    return items <= most_bytes_ / most_item_bytes(of_) / 2;
  }

 private:
  timeline& of_;
  std::uint64_t most_bytes_;
  const chrome_options& options_;
  std::vector<drawn_unit> units_;
};

/// How many units fit, judged by a choice of `count` that has `bytes`.
std::size_t better_count(std::size_t count, std::uint64_t bytes, std::uint64_t most_bytes, std::size_t all) {
  const double room = margin * static_cast<double>(most_bytes) / static_cast<double>(bytes);
  const double better = std::min(static_cast<double>(all), static_cast<double>(count) * room);
  return std::max<std::size_t>(1, static_cast<std::size_t>(better));
}

}  // namespace

void limit_drawing(timeline& of, std::uint64_t most_bytes, const chrome_options& options) {
  chooser choice(of, most_bytes, options);
  const std::size_t all = choice.count();
  if (all < 2 || choice.is_surely_small()) return;
  std::size_t fitting = 1;         // that are known to fit, or the least
  std::size_t too_many = all + 1;  // that are known not to
  std::size_t wanted = 1;
  for (int tries = 0; tries < most_tries && wanted < too_many; ++tries) {
    choice.choose(wanted);
    const std::optional<std::uint64_t> bytes = choice.bytes();
    if (!bytes && wanted == 1) break;
    if (bytes) {
      fitting = wanted;
      if (wanted == all || static_cast<double>(*bytes) > well_used * static_cast<double>(most_bytes)) break;
      wanted = better_count(wanted, *bytes, most_bytes, all);
    } else {
      too_many = wanted;
      wanted = fitting + (too_many - fitting) * 3 / 4;
    }
    if (wanted <= fitting) break;
    // All may fit where that is near: then nothing is left out.
    if (static_cast<double>(wanted) > well_used * static_cast<double>(all)) wanted = all;
    wanted = std::min(wanted, too_many - 1);
  }
  choice.choose(fitting);
}

}  // namespace iket::analysis
