// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "payload_text.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "json_text.hpp"

namespace iket::analysis {
namespace {

std::uint32_t low_half(const payload& of) { return static_cast<std::uint32_t>(of.bits); }

template <class Real>
bool real_less(Real a, Real b) {
  return std::isnan(a) || std::isnan(b) ? !std::isnan(a) && std::isnan(b) : a < b;
}

}  // namespace

std::string payload_json(const payload& value) {
  std::string text;
  switch (value.type) {
    case payload_type::i32:
      append_json_integer(text, std::int64_t{static_cast<std::int32_t>(low_half(value))});
      break;
    case payload_type::u32:
      append_json_integer(text, std::uint64_t{low_half(value)});
      break;
    case payload_type::i64:
      append_json_integer(text, static_cast<std::int64_t>(value.bits));
      break;
    case payload_type::u64:
      append_json_integer(text, value.bits);
      break;
    case payload_type::f32:
      append_json_real(text, std::bit_cast<float>(low_half(value)));
      break;
    case payload_type::f64:
      append_json_real(text, std::bit_cast<double>(value.bits));
      break;
    case payload_type::boolean:
      text = value.bits != 0 ? "true" : "false";
      break;
    default:
      text = "null";
      break;
  }
  return text;
}

std::string payload_text(const payload& value) {
  const std::string text = payload_json(value);
  if (text == "null") return {};
  return text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

bool payload_less(const payload& a, const payload& b) {
  switch (a.type) {
    case payload_type::i32:
      return static_cast<std::int32_t>(low_half(a)) < static_cast<std::int32_t>(low_half(b));
    case payload_type::i64:
      return static_cast<std::int64_t>(a.bits) < static_cast<std::int64_t>(b.bits);
    case payload_type::f32:
      return real_less(std::bit_cast<float>(low_half(a)), std::bit_cast<float>(low_half(b)));
    case payload_type::f64:
      return real_less(std::bit_cast<double>(a.bits), std::bit_cast<double>(b.bits));
    default:
      return a.bits < b.bits;
  }
}

}  // namespace iket::analysis
