// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "rules.hpp"

#include <algorithm>
#include <ostream>

#include "passes.hpp"

namespace iket::perfetto {

// A switch, so that the compiler names the rule that is missing here.
std::string_view name(rule broken) {
  switch (broken) {
    case rule::byte_order_mark:
      return "byte_order_mark";
    case rule::leading_blank:
      return "leading_blank";
    case rule::trailing_data:
      return "trailing_data";
    case rule::malformed:
      return "malformed";
    case rule::truncated:
      return "truncated";
    case rule::control_character:
      return "control_character";
    case rule::surrogate_escape:
      return "surrogate_escape";
    case rule::not_an_object:
      return "not_an_object";
    case rule::no_trace_events:
      return "no_trace_events";
    case rule::display_time_unit:
      return "display_time_unit";
    case rule::non_finite:
      return "non_finite";
    case rule::big_integer:
      return "big_integer";
    case rule::long_fraction:
      return "long_fraction";
    case rule::exponent_in_time:
      return "exponent_in_time";
    case rule::too_many_decimals:
      return "too_many_decimals";
    case rule::inexact_time:
      return "inexact_time";
    case rule::missing_phase:
      return "missing_phase";
    case rule::unknown_phase:
      return "unknown_phase";
    case rule::missing_time:
      return "missing_time";
    case rule::bad_time:
      return "bad_time";
    case rule::negative_time:
      return "negative_time";
    case rule::missing_duration:
      return "missing_duration";
    case rule::negative_duration:
      return "negative_duration";
    case rule::bad_pid:
      return "bad_pid";
    case rule::bad_tid:
      return "bad_tid";
    case rule::main_thread:
      return "main_thread";
    case rule::missing_name:
      return "missing_name";
    case rule::lost_argument:
      return "lost_argument";
    case rule::moved:
      return "moved";
    case rule::too_deep:
      return "too_deep";
    case rule::cut:
      return "cut";
    case rule::lone_end:
      return "lone_end";
    case rule::unclosed_begin:
      return "unclosed_begin";
    case rule::bad_id:
      return "bad_id";
    case rule::reused_id:
      return "reused_id";
    case rule::instant_scope:
      return "instant_scope";
    case rule::counter_value:
      return "counter_value";
    case rule::shared_counter:
      return "shared_counter";
    case rule::flow_binding:
      return "flow_binding";
    case rule::flow_outside:
      return "flow_outside";
    case rule::flow_unmatched:
      return "flow_unmatched";
    case rule::flow_backwards:
      return "flow_backwards";
    case rule::empty_name:
      return "empty_name";
    case rule::renamed:
      return "renamed";
    case rule::bad_sort_index:
      return "bad_sort_index";
    case rule::unnamed_thread:
      return "unnamed_thread";
    case rule::unnamed_process:
      return "unnamed_process";
  }
  return "unknown";
}

std::ostream& operator<<(std::ostream& out, rule broken) { return out << name(broken); }

std::ostream& operator<<(std::ostream& out, const violation& found) {
  out << found.broken;
  if (found.event != no_event) out << " (event " << found.event << ')';
  return out << ": " << found.text;
}

violations check(std::string_view json_text, statistics* counts) {
  statistics ignored;
  statistics& all = counts == nullptr ? ignored : *counts;
  all = {};

  violations found;
  check_text(json_text, found);
  const document trace = read_events(json_text, found);
  check_events(trace, found);
  check_timeline(trace, found, all);
  check_tracks(trace, found, all);
  all.events = trace.begun;

  // What is about the whole file has the largest index, but belongs in front.
  const auto place = [](const violation& one) { return one.event == no_event ? 0 : one.event + 1; };
  std::stable_sort(found.begin(), found.end(),
                   [&](const violation& a, const violation& b) { return place(a) < place(b); });
  return found;
}

bool contains(const violations& found, rule broken) {
  return std::any_of(found.begin(), found.end(), [=](const violation& one) { return one.broken == broken; });
}

}  // namespace iket::perfetto
