// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "units.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace iket::analysis {

std::string ordinal_text(std::uint64_t number) {
  const std::uint64_t last = number % 10;
  const bool teens = number / 10 % 10 == 1;
  const char* const ending = teens || last == 0 || last > 3 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : "rd";
  return std::to_string(number) + ending;
}

std::string fixed_text(double value, int decimals) {
  std::array<char, 400> text;  // the largest double has 309 digits
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

namespace {

// Bounds lie half a last digit below the power of ten, so that 9.996 is "10.0" and not "10.00".
double below(double bound, int decimals) { return bound - 0.5 * std::pow(10.0, -decimals); }

std::string text_of_digits(double value, int digits) {
  int decimals = digits - 1;
  for (const double bound : {10.0, 100.0})
    if (value >= below(bound, decimals)) --decimals;
  return fixed_text(value, decimals);
}

/// `digits` is 3 at least.
std::string duration_of_digits(double picoseconds, int digits) {
  if (picoseconds == 0) return "0 ns";
  if (picoseconds < 0) return "-" + duration_of_digits(-picoseconds, digits);
  constexpr std::array units{" ns", " us", " ms"};
  double value = picoseconds / 1000.0;
  for (const char* unit : units) {
    if (value < below(1000.0, digits - 3)) return text_of_digits(value, digits) + unit;
    value /= 1000.0;
  }
  return text_of_digits(value, digits) + " s";
}

}  // namespace

std::string duration_text(double picoseconds) { return duration_of_digits(picoseconds, 3); }

std::string fine_duration_text(double picoseconds) { return duration_of_digits(picoseconds, 4); }

std::string percent_text(double fraction) { return fixed_text(100.0 * fraction, 1) + " %"; }

std::string signed_duration_text(double picoseconds) {
  return (picoseconds > 0 ? "+" : "") + duration_text(picoseconds);
}

std::string signed_percent_text(double fraction) {
  const std::string text = percent_text(std::abs(fraction));
  return text == percent_text(0) ? text : (fraction < 0 ? "-" : "+") + text;
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1024) return count_text(bytes, "byte");
  constexpr std::array units{" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  double value = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1024.0;
  std::string text = fixed_text(value, value < 99.95 ? 1 : 0);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + units[unit];
}

std::string count_text(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string quoted(const std::string& name) { return "'" + name + "'"; }

std::string extent_text(const std::array<std::uint32_t, 3>& extent) {
  return std::to_string(extent[0]) + " x " + std::to_string(extent[1]) + " x " + std::to_string(extent[2]);
}

}  // namespace iket::analysis
