// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "sass_instruction.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace iket::analysis::counters {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Takes the first word off `text`.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = text.find_first_of(blanks);
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : trimmed(text.substr(end));
  return word;
}

template <class Number>
std::optional<Number> number_in(std::string_view digits, int base) {
  Number value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

template <class Number>
std::optional<Number> unsigned_of(std::string_view text) {
  if (text.starts_with("0x")) return number_in<Number>(text.substr(2), 16);
  return number_in<Number>(text, 10);
}

}  // namespace

bool sass_instruction::has(std::string_view modifier) const {
  for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
    const std::size_t next = opcode.find('.', dot + 1);
    if (opcode.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1) == modifier) return true;
    dot = next;
  }
  return false;
}

sass_instruction parse_sass(std::string_view text) {
  sass_instruction result;
  text = trimmed(text);
  if (text.ends_with(';')) text = trimmed(text.substr(0, text.size() - 1));
  if (text.starts_with('@')) result.guard = take_word(text);
  result.opcode = take_word(text);
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    result.operands.push_back(trimmed(text.substr(0, comma)));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return result;
}

std::optional<std::uint32_t> immediate_of(std::string_view operand) {
  const bool negative = operand.starts_with('-');
  const std::optional<std::uint32_t> size = unsigned_of<std::uint32_t>(negative ? operand.substr(1) : operand);
  if (!size || !negative) return size;
  return 0u - *size;
}

std::optional<std::uint64_t> address_of(std::string_view operand) {
  return operand.starts_with("0x") ? unsigned_of<std::uint64_t>(operand) : std::nullopt;
}

std::optional<sass_register> register_of(std::string_view operand) {
  while (!operand.empty() && (operand.front() == '-' || operand.front() == '|' || operand.front() == '~'))
    operand.remove_prefix(1);
  sass_register result;
  result.uniform = operand.starts_with("UR");
  if (!result.uniform && !operand.starts_with('R')) return std::nullopt;
  operand.remove_prefix(result.uniform ? 2 : 1);
  const std::optional<std::uint32_t> number =
      number_in<std::uint32_t>(operand.substr(0, operand.find_first_not_of("0123456789")), 10);
  if (!number) return std::nullopt;
  result.number = *number;
  return result;
}

bool is_zero_register(std::string_view operand) {
  while (!operand.empty() && (operand.front() == '-' || operand.front() == '|')) operand.remove_prefix(1);
  return operand.starts_with("RZ") || operand.starts_with("URZ") || operand.starts_with("SRZ");
}

}  // namespace iket::analysis::counters
