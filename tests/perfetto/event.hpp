// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace iket::perfetto {

/// Strings as small numbers; 0 is the empty string, which the importer does not tell from a missing one.
class string_table {
 public:
  using handle = std::uint32_t;

  string_table() { (void)intern(""); }
  handle intern(std::string_view text) {
    const auto known = handles_.find(text);
    if (known != handles_.end()) return known->second;
    const auto added = static_cast<handle>(texts_.size());
    handles_.emplace(texts_.emplace_back(text), added);  // a deque never moves its elements
    return added;
  }
  [[nodiscard]] const std::string& operator[](handle which) const { return texts_[which]; }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, handle> handles_;
};

enum class field_state : std::uint8_t { missing, good, bad };

struct event_id {
  enum class kind : std::uint8_t { none, integer, string, bad };
  kind is = kind::none;
  bool local = false;       ///< id2.local: of the process, not of the file
  std::uint64_t value = 0;  ///< the integer, or a string handle
};

/// The fields of one event that the importer looks at, each with whether the importer could use it.
struct event {
  std::size_t index = 0;
  std::int64_t ts_ns = 0;
  std::int64_t dur_ns = 0;
  event_id id;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  string_table::handle name = 0;
  string_table::handle cat = 0;
  string_table::handle track_name = 0;  ///< args.name
  char phase = 0;                       ///< 0: missing
  char scope = 0;                       ///< "s" of an instant
  bool binds_enclosing = false;         ///< "bp":"e"
  field_state ts = field_state::missing;
  field_state dur = field_state::missing;
  field_state pid_state = field_state::missing;
  field_state tid_state = field_state::missing;
  field_state track_name_state = field_state::missing;
  field_state sort_index = field_state::missing;
  std::vector<string_table::handle> arguments;  ///< names of the args, for counters only
  std::uint32_t counter_faults = 0;             ///< how many of them are no numbers

  /// Perfetto numbers the main thread like its process and takes tid 0 for it.
  [[nodiscard]] std::uint32_t thread() const { return tid == 0 ? pid : tid; }
  [[nodiscard]] bool has_time() const { return ts == field_state::good && ts_ns >= 0; }
};

}  // namespace iket::perfetto
