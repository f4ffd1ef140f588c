// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "passes.hpp"

namespace iket::perfetto {

/// SAX handler: one event at a time, so a file of any size costs only its events.
class event_reader {
 public:
  event_reader(std::string_view text, document& trace, violations& found) : text_(text), trace_(trace), found_(found) {}

  bool null();
  bool boolean(bool value);
  bool number_integer(std::int64_t value);
  bool number_unsigned(std::uint64_t value);
  bool number_float(double value, const std::string& token);
  bool string(std::string& value);
  bool binary(nlohmann::json::binary_t& value);
  bool start_object(std::size_t size);
  bool key(std::string& name);
  bool end_object();
  bool start_array(std::size_t size);
  bool end_array();
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error);

  /// To be called after the last token.
  void finish();

 private:
  enum class value_kind { null, boolean, integer, real, string, object, array };
  struct scalar {
    value_kind kind;
    std::string_view text;  // of a string, or the token of a number
  };

  bool in_event() const { return events_depth_ != 0 && depth_ > events_depth_; }
  bool at_event_field() const { return in_event() && depth_ == events_depth_ + 1; }
  bool in_args() const { return in_event() && depth_ > events_depth_ + 1 && field_ == "args"; }
  bool at_argument() const { return in_args() && depth_ == events_depth_ + 2; }

  void add(rule broken, std::string text);
  void number(value_kind kind, std::string_view token);
  void value(const scalar& what);
  void event_field(const scalar& what);
  void argument(const scalar& what);
  void id2_field(const scalar& what);
  void open(value_kind kind);
  void close();
  void time_field(const scalar& what, field_state& state, std::int64_t& ns);
  event_id read_id(const scalar& what);

  std::string_view text_;
  document& trace_;
  violations& found_;
  event event_;
  std::size_t depth_ = 0;         // open objects and arrays
  std::size_t events_depth_ = 0;  // depth inside traceEvents, 0 outside
  std::string root_key_;
  std::string field_;  // of the event
  std::string inner_;  // of an object in the event
  bool empty_container_ = false;
  bool has_id_ = false;
  bool saw_events_ = false;
  bool root_closed_ = false;
};

}  // namespace iket::perfetto
