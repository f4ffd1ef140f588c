// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How report.json writes numbers and lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "json_text.hpp"
#include "picosecond_sum.hpp"

namespace iket::analysis::report_values {

using json = nlohmann::ordered_json;

/// A string beyond 2^53.
inline json integer(std::uint64_t value) {
  return value <= largest_exact_integer ? json(value) : json(std::to_string(value));
}

inline json optional_number(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

/// A mean in nanoseconds; null where there is nothing to divide by.
inline json mean_ns(picosecond_sum sum, std::uint64_t count) {
  return count != 0 ? json(nanoseconds(sum) / static_cast<double>(count)) : json(nullptr);
}

/// A list of what `write` makes of each element.
template <class Elements, class Write>
json array_of(const Elements& elements, const Write& write) {
  json result = json::array();
  for (const auto& element : elements) result.push_back(write(element));
  return result;
}

}  // namespace iket::analysis::report_values
