// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "ncu_number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>
#include <utility>

namespace iket::analysis::counters {
namespace {

bool is_digit(char character) { return character >= '0' && character <= '9'; }

/// "12 (3; 4; 5)" without its instances and blanks: "12".
std::string_view trimmed(std::string_view text) {
  text = text.substr(0, text.find('('));
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Whether the text begins with a group of a number: three digits, or two with a further group behind them.
bool begins_with_group(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && digits < 4 && is_digit(text[digits])) ++digits;
  const bool is_last = digits == text.size() || text[digits] == 'e' || text[digits] == 'E';
  return digits == 3 || (digits == 2 && !is_last);
}

/// Without what stands between groups of three digits, and with a point: "1234.5". Empty: no number.
std::string normalised(std::string_view text, decimal_sign sign) {
  text = trimmed(text);
  constexpr std::array<std::string_view, 5> spaces = {" ", "'", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x99"};
  const char decimal = static_cast<char>(sign);
  const char grouping = sign == decimal_sign::point ? ',' : '.';
  std::string result;
  bool has_fraction = false;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t skipped = 0;
    for (const std::string_view space : spaces)
      if (text.substr(i).starts_with(space)) skipped = space.size();
    const bool between_digits = i > 0 && is_digit(text[i - 1]) && !has_fraction;
    if ((text[i] == grouping || skipped != 0) && between_digits) {
      i += skipped != 0 ? skipped : 1;
      if (!begins_with_group(text.substr(i))) return {};
      // Only what ends in a digit is looked at next: `between_digits` sees the group's last one.
      result += text[i++];
      continue;
    }
    if (text[i] == decimal) has_fraction = true;
    result += text[i] == decimal ? '.' : text[i];
    ++i;
  }
  return result;
}

/// The power of ten of a prefix of a unit.
std::optional<double> prefix_factor(char prefix) {
  switch (prefix) {
    case 'K':
    case 'k':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    case 'T':
      return 1e12;
    case 'm':
      return 1e-3;
    case 'u':
      return 1e-6;
    case 'n':
      return 1e-9;
    default:
      return std::nullopt;
  }
}

base_unit base_of_one(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> bases = {
      {{"byte", "byte"}, {"second", "s"}, {"sec", "s"}, {"s", "s"}, {"hz", "hz"}, {"Hz", "hz"}}};
  for (const auto& [name, base] : bases) {
    if (!unit.ends_with(name)) continue;
    const std::string_view prefix = unit.substr(0, unit.size() - name.size());
    const std::optional<double> factor = prefix.empty()       ? std::optional(1.0)
                                         : prefix.size() == 1 ? prefix_factor(prefix.front())
                                                              : std::nullopt;
    if (factor) return {std::string(base), *factor};
  }
  return {std::string(unit), 1};
}

}  // namespace

std::optional<decimal_sign> sign_in(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t last = text.find_last_of(".,");
  if (last == std::string_view::npos || text.find_first_not_of("0123456789.,") != std::string_view::npos)
    return std::nullopt;
  const auto own = text[last] == '.' ? decimal_sign::point : decimal_sign::comma;
  const auto other = own == decimal_sign::point ? decimal_sign::comma : decimal_sign::point;
  const std::string_view whole = text.substr(0, last);
  if (whole.find(static_cast<char>(other)) != std::string_view::npos) return own;  // "1,234.5"
  if (whole.find(static_cast<char>(own)) != std::string_view::npos) return other;  // "1.234.567"
  const bool may_group = text.size() - last == 4 && !whole.empty() && whole.size() <= 3 && whole != "0";
  return may_group ? std::nullopt : std::optional(own);
}

std::optional<double> number_of(std::string_view text, decimal_sign sign) {
  const std::string digits = normalised(text, sign);
  double value = 0;
  const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
  const char* const end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(begin, end, value);
  if (begin == end || failure != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> count_of(std::string_view text) {
  const decimal_sign of_group = text.find('.') == std::string_view::npos ? decimal_sign::point : decimal_sign::comma;
  std::string digits = normalised(text, sign_in(trimmed(text)).value_or(of_group));
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    if (digits.find_first_not_of('0', point + 1) != std::string::npos) return std::nullopt;
    digits.resize(point);
  }
  std::uint64_t value = 0;
  const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || failure != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
  return value;
}

base_unit base_of(std::string_view unit) {
  const std::size_t slash = unit.find('/');
  if (slash == std::string_view::npos) return base_of_one(unit);
  base_unit of = base_of_one(unit.substr(0, slash));
  const base_unit per = base_of_one(unit.substr(slash + 1));
  // What is counted for each block or thread is a size.
  if (of.name == "byte" && (per.name == "block" || per.name == "thread")) return of;
  return {of.name + "/" + per.name, of.factor / per.factor};
}

}  // namespace iket::analysis::counters
