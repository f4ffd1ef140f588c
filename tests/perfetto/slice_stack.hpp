// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "passes.hpp"

namespace iket::perfetto {

/// One track as the importer builds it: events come in its order, and a slice stays open until a later event shows
/// that it has ended. Threads and async ids work alike (importers/common/slice_tracker.cc).
class slice_stack {
 public:
  static constexpr std::size_t max_depth = 512;

  slice_stack(const string_table& strings, violations& found) : strings_(&strings), found_(&found) {}

  /// X, and an instant as a slice of no length. False: the slice is not on this track.
  bool add_complete(const event& what, std::int64_t dur_ns);
  /// B or b.
  bool begin(const event& what);
  /// E or e. False: it ended nothing.
  bool end(const event& what);
  /// After the last event.
  void finish();

  /// Whether a flow event at this time binds to a slice around it: it binds to the one begun last, open or not.
  [[nodiscard]] bool binds_at(std::int64_t ts_ns) const;
  [[nodiscard]] std::size_t deepest() const { return deepest_; }

 private:
  struct slice {
    std::int64_t begin_ns;
    std::int64_t end_ns;
    bool pending;  // no end yet
    const event* source;
  };

  bool close_until(std::int64_t ts_ns, const slice* coming);
  bool push(const slice& coming);
  void cut_above(std::size_t parent, std::int64_t ts_ns);
  void add(rule broken, const event& where, std::string text);
  std::string describe(const slice& which) const;

  const string_table* strings_;
  violations* found_;
  std::vector<slice> open_;
  std::size_t deepest_ = 0;
};

}  // namespace iket::perfetto
