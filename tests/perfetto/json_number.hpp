// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace iket::perfetto {

// Of each function here, `token` is a valid JSON number.

[[nodiscard]] std::size_t fraction_digits(std::string_view token);

/// Whether it is an integer that a double may not hold.
[[nodiscard]] bool is_big_integer(std::string_view token);

/// A number read as the importer reads a time: microseconds to nanoseconds through a double.
struct trace_time {
  std::int64_t ns = 0;  ///< what the importer makes of it
  bool exact = true;    ///< that is what the decimals say
  bool exponent = false;
  std::size_t decimals = 0;
};

[[nodiscard]] trace_time read_time(std::string_view token);

}  // namespace iket::perfetto
