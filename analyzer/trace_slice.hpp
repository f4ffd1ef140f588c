// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A part of a timeline, as the command line asks for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "timeline.hpp"

namespace iket::analysis {

/// Numbers from the first to the last, both of them among it.
struct number_range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  [[nodiscard]] bool has(std::uint64_t number) const { return number >= first && number <= last; }
};

/// A regular expression (ECMAScript) and how it was written. It fits a name that has it anywhere in its first 4096
/// bytes: matching may take time as the square of them.
class name_pattern {
 public:
  name_pattern(std::string written, std::regex compiled) : text(std::move(written)), pattern(std::move(compiled)) {}

  std::string text;
  std::regex pattern;

  [[nodiscard]] bool fits(const std::string& name) const {
    return std::regex_search(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(std::min(name.size(), most)),
                             pattern);
  }

 private:
  static constexpr std::size_t most = 4096;
};

/// What of a timeline is wanted. Of each kind of choice one has to fit, of all kinds each; a kind without a choice fits
/// everything.
struct slice_request {
  std::vector<number_range> launches;                    ///< by number in the trace, from 1
  std::vector<std::string> kernels;                      ///< launches of these kernels; of one kind with `launches`
  std::vector<number_range> ctas;                        ///< linear
  std::vector<std::array<std::uint32_t, 3>> cta_places;  ///< blockIdx; of one kind with `ctas`
  std::vector<number_range> warps;                       ///< in CTA
  std::vector<std::string> roles;                        ///< "-": none
  std::optional<name_pattern> stage;                     ///< of ranges, marks and counters
  std::optional<picoseconds> from;
  std::optional<picoseconds> to;

  [[nodiscard]] bool has_launches() const { return !launches.empty() || !kernels.empty(); }
  [[nodiscard]] bool has_ctas() const { return !ctas.empty() || !cta_places.empty(); }
  [[nodiscard]] bool has_times() const { return from || to; }
  /// Whether anything but launches is chosen.
  [[nodiscard]] bool has_parts() const {
    return has_ctas() || !warps.empty() || !roles.empty() || stage || has_times();
  }
};

/// Nothing fits; `what()` is one line that says what there is.
struct empty_slice : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Marks all but the chosen launches as left out. Throws `empty_slice`.
void keep_launches(timeline& of, const slice_request& request);

/// Marks all but the chosen CTAs, warps, ranges and points of the chosen launches as left out.
///
/// A range that is partly within the times is kept as it is: cut off, it would show a duration that it never had. Warps
/// of which nothing is left for a stage or for the times go, too. Linear. Throws `empty_slice`.
void keep_parts(timeline& of, const slice_request& request);

}  // namespace iket::analysis
