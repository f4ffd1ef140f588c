// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/items.hpp"

#include <algorithm>
#include <tuple>

namespace iket::analysis {
namespace {

bool is_negative(const payload& of) {
  if (of.type == payload_type::i32) return static_cast<std::int32_t>(of.bits) < 0;
  return of.type == payload_type::i64 && static_cast<std::int64_t>(of.bits) < 0;
}

/// Sets value and type: all types of integers are one where they are not negative, and another where they are.
void set_value(const payload& of, item_range& to) {
  switch (of.type) {
    case payload_type::i32:
    case payload_type::u32:
    case payload_type::i64:
    case payload_type::u64: {
      const bool sign_extends = of.type == payload_type::i32 && is_negative(of);
      to.value = sign_extends ? static_cast<std::uint64_t>(static_cast<std::int32_t>(of.bits)) : of.bits;
      to.type =
          is_negative(of) ? static_cast<std::uint8_t>(payload_type::i64) : static_cast<std::uint8_t>(payload_type::u64);
      break;
    }
    default:
      to.value = of.bits;
      to.type = static_cast<std::uint8_t>(of.type);
  }
}

bool comes_before(const item_range& a, const item_range& b) {
  return std::tie(a.type, a.value, a.stage, a.warp, a.range) < std::tie(b.type, b.value, b.stage, b.warp, b.range);
}

}  // namespace

std::span<const item_range> item_finder::find(const unit_warps& unit, std::uint32_t cta) {
  items_.clear();
  bool lacks_oldest = false;
  for (std::uint32_t number = unit.first_warp(cta); number < unit.first_warp(cta + 1); ++number) {
    const unit_warp& of = unit[number];
    lacks_oldest = lacks_oldest || of.warp->observed != of.warp->open;
    const auto count = static_cast<index>(of.warp->ranges.size());
    for (index i = 0; i < count; ++i) {
      const range& one = of.warp->ranges[i];
      if (one.stage == none || one.payload_type == payload_type::none) continue;
      item_range& item = items_.elements.emplace_back();
      set_value(one.payload(), item);
      item.stage = one.stage;
      item.warp = number;
      item.range = i;
    }
    items_.end_run(comes_before);
  }
  items_.merge(comes_before);
  number_rounds(lacks_oldest);
  return items_.elements;
}

void item_finder::number_rounds(bool from_end) {
  std::vector<item_range>& items = items_.elements;
  bool has_rounds = false;
  for (std::size_t first = 0, i = 1; i <= items.size(); ++i) {
    const item_range& of = items[first];
    if (i != items.size() && items[i].value == of.value && items[i].type == of.type && items[i].stage == of.stage &&
        items[i].warp == of.warp)
      continue;
    const std::size_t count = i - first;
    has_rounds = has_rounds || count != 1;
    for (std::size_t n = 0; n < count; ++n)
      items[first + n].round = static_cast<std::uint32_t>(from_end ? count - 1 - n : n);
    first = i;
  }
  if (!has_rounds) return;
  std::sort(items.begin(), items.end(), [](const item_range& a, const item_range& b) {
    return std::tie(a.type, a.value, a.round, a.stage, a.warp, a.range) <
           std::tie(b.type, b.value, b.round, b.stage, b.warp, b.range);
  });
}

}  // namespace iket::analysis
