// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From the sites of a file to the stages, point names, roles and sources of its timeline.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "timeline.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// What a stage is whose site has the kind `kind` of the file (`iket::site_kind`): anything but a wait is work.
[[nodiscard]] stage_kind stage_kind_of(std::uint32_t kind);

/// The names in a timeline, each once: sites of one name and kind are one stage wherever they stand. Names behind the
/// first `limits::names` of a table go to one entry, "(further names)"; `finish` warns of that.
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
/// first occur, and the name "site 0x7f...". The const members may be called from several threads.
class site_numbers {
 public:
  /// What a site stands for; `none` where it is nothing of the kind, so far as is known.
  struct site {
    std::uint64_t address = 0;
    const site_view* view = nullptr;  ///< nullptr: unknown
    index stage = none;
    index point = none;
    index role = none;
    index source = none;
  };

  /// `table` may be nullptr: all sites are unknown then.
  site_numbers(const site_table_view* table, name_tables& names);

  /// One more than the largest number so far.
  [[nodiscard]] std::size_t size() const noexcept { return sites_.size(); }

  [[nodiscard]] const site& at(std::uint32_t number) const { return sites_[number]; }

  /// The number of the site at a device address; 0 for one that has none.
  [[nodiscard]] std::uint32_t find(std::uint64_t address) const;

  /// The same; one that has no number gets one.
  [[nodiscard]] std::uint32_t enter(std::uint64_t address);

  /// Makes a site a stage, a point name, a role, whatever its kind; returns which.
  index enter_stage(std::uint32_t number);
  index enter_point(std::uint32_t number);
  index enter_role(std::uint32_t number);

 private:
  [[nodiscard]] static std::string name_of(const site& of);

  name_tables& names_;
  std::vector<site> sites_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // by address
};

/// Looks sites up for one thread. What no site table has, and what is used as something else than it is there, changes
/// the tables: only a reader that may do that is sure to find all.
class site_reader {
 public:
  /// A reader that may change `sites` is the only one at that time.
  site_reader(site_numbers& sites, bool may_change) : sites_(sites), may_change_(may_change) {}

  [[nodiscard]] std::size_t size() const noexcept { return sites_.size(); }

  /// Whether something was not found since the last call: what was returned for it (0, `none`) is of no use.
  [[nodiscard]] bool take_lacking() noexcept { return std::exchange(lacking_, false); }

  /// The number of the site at a device address. A few instructions for one that occurred a short while ago.
  [[nodiscard]] std::uint32_t number_of(std::uint64_t address) {
    cached& entry = cache_[(address >> 4 ^ address >> 10) % cache_.size()];
    if (entry.address != address || entry.number == 0) entry = {address, look_up(address)};
    return entry.number;
  }

  [[nodiscard]] index stage_of(std::uint32_t number) {
    const index known = sites_.at(number).stage;
    return known != none ? known : enter(number, &site_numbers::enter_stage);
  }
  [[nodiscard]] index point_of(std::uint32_t number) {
    const index known = sites_.at(number).point;
    return known != none ? known : enter(number, &site_numbers::enter_point);
  }
  [[nodiscard]] index role_of(std::uint32_t number) {
    const index known = sites_.at(number).role;
    return known != none ? known : enter(number, &site_numbers::enter_role);
  }
  [[nodiscard]] index source_of(std::uint32_t number) const { return sites_.at(number).source; }

 private:
  struct cached {
    std::uint64_t address = 0;
    std::uint32_t number = 0;
  };

  [[nodiscard]] std::uint32_t look_up(std::uint64_t address);
  [[nodiscard]] index enter(std::uint32_t number, index (site_numbers::*as)(std::uint32_t));

  site_numbers& sites_;
  bool may_change_;
  bool lacking_ = false;
  std::array<cached, 64> cache_{};
};

}  // namespace iket::analysis
