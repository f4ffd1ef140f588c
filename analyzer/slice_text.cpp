// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "slice_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace iket::analysis {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// The compiler of patterns takes stack for each byte.
constexpr std::size_t longest_pattern = 1000;

// libstdc++ matches by trying each way to the end, which takes time as a power of the name's length, and stack for each
// byte; but for patterns that are polynomial, which have no references back.
#if defined(_GLIBCXX_RELEASE)
constexpr auto pattern_kind = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto pattern_kind = std::regex::ECMAScript;
#endif

/// A whole number and nothing else.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

std::optional<number_range> range_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::optional<std::uint64_t> first = whole_number(text.substr(0, dash));
  const std::optional<std::uint64_t> last =
      dash == std::string_view::npos ? first : whole_number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return number_range{*first, *last};
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t next = text.find(by, at);
    parts.push_back(text.substr(at, next == std::string_view::npos ? next : next - at));
    at = next == std::string_view::npos ? next : next + 1;
  }
  return parts;
}

std::optional<std::vector<number_range>> ranges_of(std::string_view text) {
  std::vector<number_range> result;
  for (const std::string_view part : split(text, ',')) {
    const std::optional<number_range> range = range_of(part);
    if (!range) return std::nullopt;
    result.push_back(*range);
  }
  return result;
}

/// A decimal number, not negative, and what stands behind it and blanks.
std::pair<double, std::string_view> number_and_unit(std::string_view text, const char* expected) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || !std::isfinite(value) || std::signbit(value))
    throw std::invalid_argument(std::string("takes ") + expected + ", not " + quoted(text));
  std::string_view unit(read.ptr, static_cast<std::size_t>(end - read.ptr));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  return {value, unit};
}

struct unit_factor {
  std::string_view name;
  double factor;
};

template <std::size_t Count>
double scaled(std::string_view text, const unit_factor (&units)[Count], const char* expected) {
  const auto [value, unit] = number_and_unit(text, expected);
  for (const unit_factor& known : units)
    if (known.name == unit && value * known.factor < 9e18) return value * known.factor;
  throw std::invalid_argument(std::string("takes ") + expected + ", not " + quoted(text));
}

}  // namespace

void add_numbers(std::string_view text, std::vector<number_range>& to) {
  const std::optional<std::vector<number_range>> ranges = ranges_of(text);
  if (!ranges) throw std::invalid_argument("takes numbers such as 3, 0-7 or 0,4,8-11, not " + quoted(text));
  to.insert(to.end(), ranges->begin(), ranges->end());
}

void add_launch(const std::string& text, slice_request& to) {
  const std::optional<std::vector<number_range>> ranges = ranges_of(text);
  if (ranges)
    to.launches.insert(to.launches.end(), ranges->begin(), ranges->end());
  else
    to.kernels.push_back(text);
}

void add_cta(std::string_view text, slice_request& to) {
  if (const std::optional<number_range> range = range_of(text)) {
    to.ctas.push_back(*range);
    return;
  }
  const std::vector<std::string_view> parts = split(text, ',');
  std::array<std::uint32_t, 3> place{};
  bool is_place = parts.size() == place.size();
  for (std::size_t i = 0; is_place && i < place.size(); ++i) {
    const std::optional<std::uint64_t> number = whole_number(parts[i]);
    is_place = number && *number <= 0xFFFFFFFFu;
    if (is_place) place[i] = static_cast<std::uint32_t>(*number);
  }
  if (!is_place)
    throw std::invalid_argument("takes a number (7), a range (3-9) or x,y,z (1,2,0), once for each of several; not " +
                                quoted(text));
  to.cta_places.push_back(place);
}

name_pattern parse_pattern(const std::string& text) {
  try {
    if (text.size() > longest_pattern) throw std::invalid_argument("takes a pattern of at most 1000 bytes");
    return {text, std::regex(text, pattern_kind)};
  } catch (const std::regex_error&) {
    throw std::invalid_argument("takes a regular expression, which " + quoted(text) + " is not");
  }
}

picoseconds parse_time(std::string_view text) {
  constexpr unit_factor units[] = {{"", 1e6}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
  return std::llround(scaled(text, units, "a number with ns, us, ms or s"));
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  if (text == "none") return std::nullopt;
  constexpr unit_factor units[] = {{"", 1},    {"B", 1},    {"k", 1e3}, {"kB", 1e3},
                                   {"M", 1e6}, {"MB", 1e6}, {"G", 1e9}, {"GB", 1e9}};
  return static_cast<std::uint64_t>(scaled(text, units, "bytes, such as 100M or 2.5G, or 'none'"));
}

}  // namespace iket::analysis
