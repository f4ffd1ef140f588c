// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What became of a kernel: figures of a trace beside those of a baseline.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/bootstrap.hpp"
#include "stage_statistics.hpp"
#include "timeline.hpp"

namespace iket::analysis {

enum class verdict : std::uint8_t {
  significant,  ///< chance alone hardly makes such a difference
  noise,        ///< chance alone may
  too_small,    ///< chance does not, but it is less than clocks or events let anybody see
  unknown,      ///< too little to tell, or times that are not to be trusted
  only_before,  ///< the other side does not have it
  only_after,
};

/// "significant", "noise", "too small", "unknown", "only old", "only new".
[[nodiscard]] std::string_view verdict_name(verdict of);

/// One figure on both sides [ps].
struct compared_value {
  std::optional<double> before;      ///< none where the side does not have it
  std::optional<double> after;       ///< likewise
  std::optional<double> half_width;  ///< of the interval around the difference; none where there is no interval
  analysis::verdict verdict = verdict::unknown;

  /// What one side does not have counts as nothing.
  [[nodiscard]] double difference() const { return after.value_or(0) - before.value_or(0); }
  /// The difference over the baseline's; none where there is nothing to divide by.
  [[nodiscard]] std::optional<double> relative() const;
};

struct compared_side {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::string device;  ///< name of the first launch's GPU
  std::uint64_t launches = 0;
  std::uint64_t launches_timed = 0;  ///< with warps
  std::uint64_t unended = 0;         ///< launches that had not ended, of which the figures are what was done so far
  std::uint64_t ctas_traced = 0;
  std::uint64_t ctas_total = 0;
  std::uint64_t units = 0;         ///< CTAs or clusters with warps
  std::uint64_t lost = 0;          ///< records
  bool checked = false;            ///< a checked build ran
  bool rate_assumed = false;       ///< of the SM clock
  double sm_ghz = 0;               ///< mean
  double tick_ps = 0;              ///< of the global timer
  double uncertainty_ps = 0;       ///< of times, median
  std::optional<double> event_ps;  ///< cost of an event behind another one; none without a calibration
  std::optional<double> overhead;  ///< tracing's estimated part of the warps' time
  double duration_ps = 0;          ///< mean of `launches_timed`
};

struct compared_stage_row {
  std::string stage;
  stage_kind kind = stage_kind::work;
  compared_value self;                     ///< per CTA or per range, see `per_range`
  std::optional<double> contribution;      ///< the change of self time over the old lifetime of all warps, per CTA
  std::optional<stage_statistics> before;  ///< none where the side does not have it
  std::optional<stage_statistics> after;
};

struct compared_role_row {
  std::string role;
  std::string_view time;  ///< "work", "wait", "untracked"
  compared_value value;   ///< per warp of the role
};

struct kernel_comparison {
  compared_side before;
  compared_side after;
  bool per_range = false;                  ///< self times are those of a range, not of a CTA: records were lost
  bool paired = false;                     ///< both sides have the same CTAs, each of which is held against itself
  bool over_launches = false;              ///< the intervals tell of launches too, not of CTAs alone
  compared_value duration;                 ///< of a launch
  std::vector<compared_stage_row> stages;  ///< what changed the warps' time most comes first
  std::vector<compared_role_row> roles;    ///< likewise
  std::size_t roles_left_out = 0;          ///< beyond the limit (limits.hpp)
  std::vector<std::string> notes;          ///< what to know of the figures, a sentence each
};

/// A kernel that has no partner.
struct unmatched_kernel {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
};

struct comparison {
  std::string baseline;  ///< the name of the file, or names
  bootstrap_options options;
  std::vector<kernel_comparison> kernels;
  std::vector<unmatched_kernel> only_before;
  std::vector<unmatched_kernel> only_after;
  std::vector<std::string> warnings;  ///< what was left out, one line each
};

/// Differences between fewer CTAs, or clusters, are called neither noise nor significant.
inline constexpr std::uint64_t least_units = 5;

/// Compares every kernel of `after` with its partner in `before`. O(ranges), and for each pair a bootstrap.
[[nodiscard]] comparison compare(const timeline& before, const timeline& after, const bootstrap_options& options = {});

}  // namespace iket::analysis
