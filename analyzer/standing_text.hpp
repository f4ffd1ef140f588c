// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Where warps stand, in words. Names from the file are in them as they are: not yet safe for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "standing.hpp"

namespace iket::analysis {

/// "132 CTAs x 4 consumer warps in 'wait for data' (ws_gemm.cu:88), payload 17, for 5.00 s"
[[nodiscard]] std::string line_text(const standing_line& line);

/// "where its warps stood at the snapshot, 5.02 s after it began"
[[nodiscard]] std::string title_text(const launch_standing& of);

/// Of so many launches, of which nothing else is to be told: "it had not begun at the snapshot, ..."
[[nodiscard]] std::string not_begun_text(std::uint64_t launches, bool running);

/// What the lines do not tell: warps and CTAs that recorded nothing, lines that are left out, how exact the times are.
[[nodiscard]] std::vector<std::string> notes_on(const launch_standing& of);

}  // namespace iket::analysis
