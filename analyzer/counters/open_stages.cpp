// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "open_stages.hpp"

#include <algorithm>

namespace iket::analysis::counters {

bool open_stages::apply(std::optional<std::uint32_t> tag) {
  if (!tag) {
    close_token(std::nullopt);
    return true;
  }
  const std::uint32_t bits = site_bits_of(*tag);
  switch (kind_of(*tag)) {
    case record_kind::range_begin:
    case record_kind::push:
    case record_kind::token_begin:
      stages_.push_back({kind_of(*tag), bits});
      break;
    case record_kind::range_end:
      close_stack(record_kind::range_begin, bits);
      break;
    case record_kind::pop:
      close_stack(record_kind::push, std::nullopt);
      break;
    case record_kind::token_end:
      close_token(bits);
      break;
    default:
      break;  // a mark, a counter, a clock pair
  }
  return stages_.size() <= most;
}

std::optional<std::uint32_t> open_stages::innermost() const {
  if (stages_.empty()) return std::nullopt;
  return stages_.back().site_bits;
}

void open_stages::close_stack(record_kind begun_by, std::optional<std::uint32_t> site_bits) {
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const open_stage& one = stages_[i];
    if (one.begun_by != begun_by || (site_bits && one.site_bits != *site_bits)) continue;
    const auto is_skipped = [](const open_stage& later) { return later.begun_by != record_kind::token_begin; };
    const auto behind = stages_.begin() + static_cast<std::ptrdiff_t>(i);
    stages_.erase(std::remove_if(behind, stages_.end(), is_skipped), stages_.end());
    return;
  }
}

void open_stages::close_token(std::optional<std::uint32_t> site_bits) {
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const open_stage& one = stages_[i];
    if (one.begun_by != record_kind::token_begin || (site_bits && one.site_bits != *site_bits)) continue;
    stages_.erase(stages_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

}  // namespace iket::analysis::counters
