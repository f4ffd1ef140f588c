// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "json_number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace iket::perfetto {
namespace {

// Microseconds whose nanoseconds fit; beyond it the importer's arithmetic overflows.
constexpr double most_us = 9e15;
constexpr std::size_t most_digits = 18;
constexpr std::uint64_t exact_in_double = std::uint64_t{1} << 53;

std::size_t digits_at_front(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

std::uint64_t to_integer(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char digit : digits.substr(0, most_digits)) value = value * 10 + static_cast<unsigned>(digit - '0');
  return value;
}

}  // namespace

std::size_t fraction_digits(std::string_view token) {
  const std::size_t point = token.find('.');
  if (point == token.npos) return 0;
  return std::min(token.find_first_of("eE", point), token.size()) - point - 1;
}

bool is_big_integer(std::string_view token) {
  if (token.find_first_of(".eE") != token.npos) return false;
  if (token.starts_with('-')) token.remove_prefix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return error != std::errc() || value > exact_in_double;
}

trace_time read_time(std::string_view token) {
  trace_time result;
  const bool negative = token.starts_with('-');
  token.remove_prefix(negative ? 1 : 0);

  const std::string_view whole = token.substr(0, digits_at_front(token));
  token.remove_prefix(whole.size());
  std::string_view fraction;
  if (token.starts_with('.')) {
    token.remove_prefix(1);
    fraction = token.substr(0, digits_at_front(token));
    token.remove_prefix(fraction.size());
  }
  result.decimals = fraction.size();
  result.exponent = !token.empty();

  // The importer adds whole part and fraction as doubles, so this must not be strtod, which rounds once.
  double us = static_cast<double>(to_integer(whole));
  const std::string_view kept = fraction.substr(0, most_digits);
  us += static_cast<double>(to_integer(kept)) / std::pow(10.0, static_cast<double>(kept.size()));
  if (result.exponent) {
    token.remove_prefix(1);
    const bool shrinks = token.starts_with('-');
    if (shrinks || token.starts_with('+')) token.remove_prefix(1);
    const double power = std::pow(10.0, static_cast<double>(std::min<std::uint64_t>(to_integer(token), 400)));
    us = shrinks ? us / power : us * power;
  }
  if (whole.size() > most_digits || !(us <= most_us)) {
    result.exact = false;
    result.ns = negative ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max() / 2;
    return result;
  }

  // Whole microseconds are multiplied as integers; everything else is rounded half away from zero.
  result.ns = us == std::trunc(us) ? static_cast<std::int64_t>(us) * 1000 : std::llround(us * 1000.0);
  if (!result.exponent) {
    std::uint64_t said = to_integer(whole) * 1000;
    for (std::size_t place = 0, scale = 100; place < 3 && place < fraction.size(); ++place, scale /= 10)
      said += static_cast<std::uint64_t>(fraction[place] - '0') * scale;
    result.exact = fraction.size() > 3 || said == static_cast<std::uint64_t>(result.ns);
  }
  if (negative) result.ns = -result.ns;
  return result;
}

}  // namespace iket::perfetto
