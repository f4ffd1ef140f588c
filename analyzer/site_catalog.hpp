// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From the sites of a file to the stages, point names, roles and sources of its timeline.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "timeline.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// The names in a timeline, each once: sites of one name and kind are one stage wherever they stand.
class name_tables {
 public:
  explicit name_tables(timeline& to) : to_(to) {}

  [[nodiscard]] index stage(std::string_view name, stage_kind kind);
  [[nodiscard]] index point(std::string_view name);
  [[nodiscard]] index role(std::string_view name);
  [[nodiscard]] index source(std::string_view file, std::uint32_t line);

  /// Adds `source` (or `none`) to a stage's or a point name's sources; `finish` sorts them, each once.
  void add_source(std::vector<source_location>& sources, index source);
  void finish();

  timeline& to() noexcept { return to_; }

 private:
  timeline& to_;
  std::unordered_map<std::string, index> stages_;  // by kind and name
  std::unordered_map<std::string, index> points_;
  std::unordered_map<std::string, index> roles_;
  std::unordered_map<std::string, index> sources_;  // by line and file
};

/// Enters every site of the file into the tables, in the order of the source, so that the order of the tables does not
/// depend on addresses.
void enter_sites(const trace_view& view, name_tables& names);

/// The sites of one table by number. Number 0 is "no site". Sites that are not in the table get a number when they
/// first occur, and the name "site 0x7f...".
class site_numbers {
 public:
  /// `table` may be nullptr: all sites are unknown then.
  site_numbers(const site_table_view* table, name_tables& names);

  /// One more than the largest number so far.
  [[nodiscard]] std::size_t size() const noexcept { return sites_.size(); }

  /// The number of the site at a device address. A few instructions for one that occurred a short while ago.
  [[nodiscard]] std::uint32_t number_of(std::uint64_t address) {
    cached& entry = cache_[(address >> 4 ^ address >> 10) % cache_.size()];
    if (entry.address != address || entry.number == 0) entry = {address, look_up(address)};
    return entry.number;
  }

  [[nodiscard]] index stage_of(std::uint32_t number);
  [[nodiscard]] index point_of(std::uint32_t number);
  [[nodiscard]] index role_of(std::uint32_t number);
  [[nodiscard]] index source_of(std::uint32_t number) const { return sites_[number].source; }

 private:
  struct site {
    std::uint64_t address = 0;
    const site_view* view = nullptr;  // nullptr: unknown
    index stage = none;
    index point = none;
    index role = none;
    index source = none;
  };
  struct cached {
    std::uint64_t address = 0;
    std::uint32_t number = 0;
  };

  [[nodiscard]] std::uint32_t look_up(std::uint64_t address);
  [[nodiscard]] static std::string name_of(const site& of);

  name_tables& names_;
  std::vector<site> sites_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // by address
  std::array<cached, 64> cache_{};
};

}  // namespace iket::analysis
