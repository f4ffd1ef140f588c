// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The flow arrows of a Chrome trace: from work to the wait that it ended, or that saw it end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "chrome_track.hpp"
#include "statistics/relations.hpp"
#include "timeline.hpp"

namespace iket::analysis {

enum class arrow_kind : std::uint8_t {
  in_flight,    ///< the work was in flight until the wait ended
  released_by,  ///< what ended the wait (statistics/releases.hpp): the work, or its flight
};

/// From one slice to another, at moments at which Perfetto takes them for the arrow's.
struct drawn_arrow {
  arrow_kind kind = arrow_kind::in_flight;
  index activity = none;      ///< the work's stage, or that in flight, see `activity_table`
  std::size_t from_warp = 0;  ///< of the work, in `launch::warps`
  std::int64_t from_ns = 0;
  std::size_t to_warp = 0;  ///< of the wait, in `launch::warps`
  std::int64_t to_ns = 0;   ///< later than `from_ns`
};

/// Finds the arrows of launches, one after another.
///
/// Between two ranges is one arrow at most: where the flight that a wait saw end is also what released it, it is
/// "released by". Arrows begin and end at stack ranges that are drawn. What released a wait is looked for among all
/// ranges, drawn or not, so that a part of a trace shows the arrows of the whole.
class arrow_finder {
 public:
  arrow_finder(const timeline& source, const trace_scale& scale, scope by)
      : source_(source), scale_(scale), scope_(by), activities_{&source.stages} {}

  /// Calls `visit` for each arrow. Returns how many were not drawn although both ranges are: a viewer binds an arrow to
  /// the slice that began last, so there is none to a range in which another one begins at its very begin, or whose
  /// time up to there is not later than that of the other end. O(n log n) in the ranges of CTAs that are drawn.
  std::uint64_t find(const launch& of, const std::function<void(const drawn_arrow&)>& visit);

 private:
  /// The times at which an arrow binds to a range; none where the last is before the first.
  struct moments {
    std::int64_t first_ns = 0;
    std::int64_t last_ns = -1;
  };
  struct link {
    arrow_kind kind = arrow_kind::in_flight;
    bool in_flight = false;
    std::uint32_t from_warp = 0;  // in the unit
    index from_range = none;
    std::uint32_t to_warp = 0;
    index to_range = none;
  };

  void collect(const unit_relations& of);
  std::uint64_t visit_links(const launch& of, const unit_warps& unit,
                            const std::function<void(const drawn_arrow&)>& visit);
  [[nodiscard]] const moments& moments_of(const unit_warps& unit, std::uint32_t warp, index range);
  void find_moments(const warp_timeline& warp, std::vector<moments>& to) const;

  const timeline& source_;
  trace_scale scale_;
  scope scope_;
  activity_table activities_;
  std::vector<link> links_;                    // of the unit
  std::vector<std::vector<moments>> moments_;  // by warp of the unit and range; empty where nobody asked yet
};

}  // namespace iket::analysis
