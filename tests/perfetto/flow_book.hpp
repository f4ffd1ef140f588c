// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "passes.hpp"

namespace iket::perfetto {

/// Arrows: s, t and f with one id, category and name. String ids are read as hexadecimal, so "10" and 16 are one id.
class flow_book {
 public:
  flow_book(const string_table& strings, violations& found) : strings_(strings), found_(found) {}

  /// `bound`: the event found a slice to bind to.
  void add(const event& what, bool bound);
  /// After the last event: the number of whole arrows.
  std::size_t finish();

 private:
  using key = std::array<std::uint64_t, 3>;
  struct arrow {
    std::vector<const event*> starts, steps, ends;
  };

  std::optional<std::uint64_t> number(const event_id& id) const;
  void report(rule broken, const event& where, std::string text);

  const string_table& strings_;
  violations& found_;
  std::map<key, arrow> arrows_;
};

}  // namespace iket::perfetto
