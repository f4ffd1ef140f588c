// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Numbers and names as people read them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace iket::analysis {

/// As many decimals as asked for: "1.980".
[[nodiscard]] std::string fixed_text(double value, int decimals);

/// "2nd", "3rd", "4th", "11th", "21st".
[[nodiscard]] std::string ordinal_text(std::uint64_t number);

/// Three significant digits and a unit: "4.55 ns", "812 ns", "12.3 us", "1.20 ms", "2.05 s", "-812 ns".
[[nodiscard]] std::string duration_text(double picoseconds);

/// Four significant digits: "418.2 us", for durations that differ by little.
[[nodiscard]] std::string fine_duration_text(double picoseconds);

/// One decimal: "61.2 %".
[[nodiscard]] std::string percent_text(double fraction);

/// Differences: "+1.20 us", "-812 ns"; "0 ns" for none.
[[nodiscard]] std::string signed_duration_text(double picoseconds);

/// Likewise: "+5.0 %", "-0.3 %"; "0.0 %" for what rounds to that.
[[nodiscard]] std::string signed_percent_text(double fraction);

/// "512 bytes", "1.5 KiB", "256 MiB", "7.8 GiB".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

/// "1 warp", "7 warps".
[[nodiscard]] std::string count_text(std::uint64_t count, const std::string& noun);

/// A name within a sentence: "'load'".
[[nodiscard]] std::string quoted(const std::string& name);

/// Of a grid or a block: "32 x 2 x 1".
[[nodiscard]] std::string extent_text(const std::array<std::uint32_t, 3>& extent);

}  // namespace iket::analysis
