// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "launch_counters.hpp"

#include <algorithm>

namespace iket::analysis::counters {

void add(const column_values& values, column_values& to) {
  for (std::size_t i = 0; i < std::min(to.size(), values.size()); ++i) to[i] += values[i];
}

bool is_empty(const column_values& values) {
  return std::all_of(values.begin(), values.end(), [](std::uint64_t value) { return value == 0; });
}

std::optional<std::size_t> launch_counters::column(std::string_view key) const {
  const auto at = std::find(columns.begin(), columns.end(), key);
  return at == columns.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - columns.begin()));
}

std::uint64_t launch_counters::value(const column_values& part, std::string_view key) const {
  const std::optional<std::size_t> at = column(key);
  return at && *at < part.size() ? part[*at] : 0;
}

std::optional<double> launch_counters::figure(std::string_view key) const {
  for (const kernel_figure& one : figures)
    if (one.key == key) return one.value;
  return std::nullopt;
}

column_values launch_counters::unattributed() const {
  column_values sum(columns.size());
  for (const column_values* const part : {&recording, &outside, &unknown}) add(*part, sum);
  return sum;
}

const stage_counters* launch_counters::find(std::string_view stage, stage_kind kind) const {
  for (const stage_counters& one : stages)
    if (one.stage == stage && one.kind == kind) return &one;
  return nullptr;
}

}  // namespace iket::analysis::counters
