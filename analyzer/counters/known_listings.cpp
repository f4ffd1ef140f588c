// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "known_listings.hpp"

#include <algorithm>

namespace iket::analysis::counters {
namespace {

/// Lines of two files may have the same text and figures; an instruction may be listed with its lines, or without.
auto same_row(bool is_instruction) {
  return [=](const source_row& a, const source_row& b) {
    return a.address == b.address && a.values == b.values && a.text == b.text &&
           (is_instruction || a.sources == b.sources);
  };
}

bool is_same(const source_listing& a, const source_listing& b) {
  const auto same_key = [](const source_column& one, const source_column& other) { return one.key == other.key; };
  return a.kernel == b.kernel && a.has_instructions == b.has_instructions &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(), same_key) &&
         std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), same_row(a.has_instructions));
}

bool has_lines(const source_listing& listing) {
  return std::any_of(listing.rows.begin(), listing.rows.end(), [](const auto& row) { return !row.sources.empty(); });
}

std::uint64_t hash_of(const source_listing& listing) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, over words
  const auto take = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
  for (const source_row& row : listing.rows) {
    take(row.address);
    for (const std::uint64_t value : row.values) take(value);
  }
  return hash;
}

}  // namespace

known_listings::known_listings(std::vector<source_listing>& listings) : listings_(listings) {
  for (std::size_t i = 0; i < listings.size(); ++i) places_.try_emplace({listings[i].kernel, hash_of(listings[i])}, i);
}

void known_listings::add(source_listing&& listing) {
  const auto [at, is_new] = places_.try_emplace({listing.kernel, hash_of(listing)}, listings_.size());
  if (is_new || !is_same(listings_[at->second], listing)) {
    listings_.push_back(std::move(listing));
  } else if (!has_lines(listings_[at->second]) && has_lines(listing)) {
    listings_[at->second] = std::move(listing);
  }
}

bool known_listings::is_cut_repetition(const source_listing& listing) const {
  if (listings_.empty()) return false;
  const source_listing& last = listings_.back();
  return last.file == listing.file && last.kernel == listing.kernel && listing.rows.size() < last.rows.size() &&
         std::equal(listing.rows.begin(), listing.rows.end(), last.rows.begin(), same_row(last.has_instructions));
}

}  // namespace iket::analysis::counters
