// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Numbers and units as Nsight Compute prints them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iket::analysis::counters {

/// Which character a page's numbers have before their fraction.
enum class decimal_sign : char { point = '.', comma = ',' };

/// What a number tells of its page: "1.234,5" and "0,25" have a decimal comma, "1,234.5" and "0.25" a point. None of
/// "1,234" and "12", nor of text.
[[nodiscard]] std::optional<decimal_sign> sign_in(std::string_view text);

/// "1,980,000", "3,252.59", "1 234,5", "1'234.5", "-0.5", "1e-3", "12 (3; 4; 5)", of which the instances are left out.
/// Groups have three digits, or two within a number: "1,5" is none with a point. None for "", "-", "n/a", "nan", "inf"
/// and anything else that is no finite number.
[[nodiscard]] std::optional<double> number_of(std::string_view text, decimal_sign sign);

/// The same for a count, which tells its sign itself: three digits behind a single comma or point are a group, "1.200"
/// and "1,200" alike. Exact up to 2^64 - 1; none for what has a fraction other than 0.
[[nodiscard]] std::optional<std::uint64_t> count_of(std::string_view text);

/// A unit without its prefix, and what a value is to be multiplied with.
struct base_unit {
  std::string name;
  double factor = 1;
};

/// "Kbyte" is 1000 bytes and "us", "usecond" are 1e-6 s, "Ghz" is 1e9 hz, "sector/us" is 1e6 sector/s; "Kbyte/block" is
/// 1000 byte. An unknown unit comes back as it is.
[[nodiscard]] base_unit base_of(std::string_view unit);

}  // namespace iket::analysis::counters
