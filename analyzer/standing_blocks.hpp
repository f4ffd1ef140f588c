// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What comes first in the printed report: where the warps of launches stand that had not ended.
#pragma once

#include <string>
#include <vector>

#include "report.hpp"

namespace iket::analysis {

/// What is to be said of a launch, or of several that had not begun. Names in it are safe for a terminal.
struct standing_block {
  std::string heading;
  const launch_standing* lines_of = nullptr;  ///< whose lines and notes follow, in the report; nullptr: nobody's
  std::string note;                           ///< what follows those; empty: nothing
};

/// The blocks of each element of `report::launches` of which some had not ended, element by element. A heading has the
/// launch's number and grid where the report has several launches of its kernel that had not ended.
[[nodiscard]] std::vector<std::vector<standing_block>> standing_blocks(const report& source);

}  // namespace iket::analysis
