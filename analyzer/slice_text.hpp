// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From what is written on the command line to a slice. Each function throws `std::invalid_argument`, whose `what()`
/// says what was expected, on wrong text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace_slice.hpp"

namespace iket::analysis {

/// "3", "0-7", "0,4,8-11"; appends to `to`.
void add_numbers(std::string_view text, std::vector<number_range>& to);

/// Numbers as above, or else the name of a kernel.
void add_launch(const std::string& text, slice_request& to);

/// "7" or "3-9": linear; "1,2,0": blockIdx. "1,2" is refused, since nobody knows which of these it means.
void add_cta(std::string_view text, slice_request& to);

/// A regular expression as std::regex takes it by default, of at most 1000 bytes, without references back (\\1).
[[nodiscard]] name_pattern parse_pattern(const std::string& text);

/// "12.5us", "3 ms": a number, not negative, with ns, us, ms or s; without one it is us.
[[nodiscard]] picoseconds parse_time(std::string_view text);

/// "100M", "2.5 GB", "300k": bytes, by powers of 1000; "none": nothing.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace iket::analysis
