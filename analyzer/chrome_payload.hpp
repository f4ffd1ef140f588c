// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Payloads as values in a Chrome trace.
#pragma once

#include <string_view>

#include "json_stream.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// As in the kernel's source: "i32", "f64", "bool"; "" for none.
[[nodiscard]] std::string_view type_name(payload_type type);

/// True for all but none, NaN and infinities.
[[nodiscard]] bool is_finite_number(const payload& value);

/// The value in its type; a string where JSON has no such number or a reader would round it.
void write_payload_value(json_stream& out, const payload& value);

/// A finite number, always as a number: counters take nothing else, and viewers hold them as doubles anyway.
void write_counter_value(json_stream& out, const payload& value);

}  // namespace iket::analysis
