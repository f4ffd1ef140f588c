// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chrome_payload.hpp"

#include <bit>
#include <cmath>

namespace iket::analysis {
namespace {

std::int32_t as_i32(const payload& value) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value.bits)); }
std::uint32_t as_u32(const payload& value) { return static_cast<std::uint32_t>(value.bits); }
std::int64_t as_i64(const payload& value) { return static_cast<std::int64_t>(value.bits); }
float as_f32(const payload& value) { return std::bit_cast<float>(as_u32(value)); }
double as_f64(const payload& value) { return std::bit_cast<double>(value.bits); }

double as_double(const payload& value) {
  switch (value.type) {
    case payload_type::i32:
      return as_i32(value);
    case payload_type::u32:
      return as_u32(value);
    case payload_type::i64:
      return static_cast<double>(as_i64(value));
    case payload_type::u64:
      return static_cast<double>(value.bits);
    case payload_type::f32:
      return static_cast<double>(as_f32(value));
    case payload_type::f64:
      return as_f64(value);
    case payload_type::boolean:
      return value.bits != 0 ? 1 : 0;
    case payload_type::none:
      break;
  }
  return NAN;
}

}  // namespace

std::string_view type_name(payload_type type) {
  switch (type) {
    case payload_type::i32:
      return "i32";
    case payload_type::u32:
      return "u32";
    case payload_type::i64:
      return "i64";
    case payload_type::u64:
      return "u64";
    case payload_type::f32:
      return "f32";
    case payload_type::f64:
      return "f64";
    case payload_type::boolean:
      return "bool";
    case payload_type::none:
      break;
  }
  return "";
}

bool is_finite_number(const payload& value) { return std::isfinite(as_double(value)); }

void write_payload_value(json_stream& out, const payload& value) {
  switch (value.type) {
    case payload_type::i32:
      out.integer(as_i32(value));
      return;
    case payload_type::u32:
      out.integer(as_u32(value));
      return;
    case payload_type::i64:
      out.integer(as_i64(value));
      return;
    case payload_type::u64:
      out.integer(value.bits);
      return;
    case payload_type::f32:
      out.real(as_f32(value));
      return;
    case payload_type::f64:
      out.real(as_f64(value));
      return;
    case payload_type::boolean:
      out.ready(value.bits != 0 ? "true" : "false");
      return;
    case payload_type::none:
      break;
  }
  out.string("");
}

void write_counter_value(json_stream& out, const payload& value) {
  const double number = as_double(value);
  const bool whole = std::trunc(number) == number && std::abs(number) <= static_cast<double>(largest_exact_integer);
  if (whole)
    out.integer(static_cast<std::int64_t>(number));
  else
    out.real(number);
}

}  // namespace iket::analysis
