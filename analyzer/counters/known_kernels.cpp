// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "known_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace iket::analysis::counters {
namespace {

/// Whether the profiler scales a unit, and rounds what it scales.
bool is_scaled(const std::string& unit) {
  return unit == "s" || unit == "hz" || unit.ends_with("/s") || unit.find("byte") != std::string::npos;
}

/// Whether two pages have one launch. Pages `raw` may have other units: what is whole in both is the same, clock cycles
/// among it, which no other launch has.
bool is_same_launch(const profiled_kernel& a, const profiled_kernel& b) {
  if (a.name != b.name || a.grid != b.grid || a.block != b.block) return false;
  if (!a.details.empty() || !b.details.empty()) return a.details == b.details;
  if (a.raw == b.raw && a.texts == b.texts) return true;
  bool has_cycles = false;
  for (const auto& [name, one] : a.raw) {
    const auto at = b.raw.find(name);
    if (at == b.raw.end() || at->second.unit != one.unit || is_scaled(one.unit)) continue;
    const double other = at->second.value;
    if (std::trunc(one.value) != one.value || std::trunc(other) != other) continue;
    if (one.value != other) return false;
    has_cycles = has_cycles || (one.unit == "cycle" && one.value != 0);
  }
  return has_cycles;
}

}  // namespace

known_kernels::known_kernels(std::vector<profiled_kernel>& kernels) : kernels_(kernels) {
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (std::vector<std::size_t>& places = places_[kernels[i].id]; places.size() < most_of_an_id) places.push_back(i);
}

void known_kernels::add(profiled_kernel&& kernel) {
  std::vector<std::size_t>& places = places_[kernel.id];
  if (std::any_of(places.begin(), places.end(),
                  [&](std::size_t place) { return is_same_launch(kernels_[place], kernel); }))
    return;
  if (places.size() < most_of_an_id) places.push_back(kernels_.size());
  kernels_.push_back(std::move(kernel));
}

}  // namespace iket::analysis::counters
