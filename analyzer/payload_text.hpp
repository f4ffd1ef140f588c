// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Payloads as values of a report.
#pragma once

#include <string>

#include "timeline.hpp"

namespace iket::analysis {

/// The value in its type, as JSON has it: a string where a double would round it, or where there is no such number;
/// "null" for none.
[[nodiscard]] std::string payload_json(const payload& value);

/// The same to read, without quotes; "" for none.
[[nodiscard]] std::string payload_text(const payload& value);

/// Orders the payloads of one type by value; NaNs, which are equal, behind all numbers.
[[nodiscard]] bool payload_less(const payload& a, const payload& b);

}  // namespace iket::analysis
