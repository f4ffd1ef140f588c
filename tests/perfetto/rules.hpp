// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

/// A model of what Perfetto's importer makes of Chrome-trace JSON, independent of the code that writes it.
///
/// The importer reports success even when it dropped, moved or cut events. So a trace is good only if this model finds
/// nothing: `CHECK(iket::perfetto::check(text) == iket::perfetto::violations{})`, which prints what it found. Rules
/// marked "ours" are stricter than the importer.
///
/// Most rules come from trials with the trace processor. Those read off its source (github.com/google/perfetto, 2025
/// and 2026) name the file in brackets: importers/json/json_trace_{tokenizer,parser}.cc, util/json_{parser.h,utils.cc},
/// importers/common/{slice,flow}_tracker.cc. The order of events at one time is that of sorter/trace_sorter.h.
namespace iket::perfetto {

enum class rule {
  // The file as text.
  byte_order_mark,    ///< refused: the first character must be the brace
  leading_blank,      ///< ours: format detection looks at the first bytes
  trailing_data,      ///< "data after EOF" [tokenizer]; one final line feed is allowed
  malformed,          ///< not JSON
  truncated,          ///< ends early
  control_character,  ///< raw control character in a string (0x7f included: iscntrl decides) [tokenizer]
  surrogate_escape,   ///< \ud800 to \udfff fail the load even in valid pairs
  not_an_object,      ///< an array also loads, but then a truncated file loads silently
  no_trace_events,    ///< "traceEvents" is missing or no array
  display_time_unit,  ///< must be a string
  // Numbers.
  non_finite,         ///< NaN, Infinity, or beyond a double: costs the file, or hangs the importer
  big_integer,        ///< ours: beyond 2^53 viewers round it, beyond 2^63 the file fails; write a string
  long_fraction,      ///< more than 18 fraction digits overflow the importer's accumulator [json_parser]
  exponent_in_time,   ///< ours: write plain decimals
  too_many_decimals,  ///< ours: times have at most three decimals, since Perfetto keeps nanoseconds
  inexact_time,       ///< the double on the way changes the nanosecond
  // Any event.
  missing_phase,      ///< no "ph", or the element is no object
  unknown_phase,      ///< ignored silently [parser]
  missing_time,       ///< no "ts"
  bad_time,           ///< "ts", "dur", "tts" or "tdur" is no number; a null "dur" fails even unused [tokenizer]
  negative_time,      ///< dropped, and with metadata the name
  missing_duration,   ///< X without "dur"
  negative_duration,  ///< dropped
  bad_pid,            ///< missing or no unsigned 32-bit number: becomes 0
  bad_tid,            ///< the same, for events on a thread
  main_thread,        ///< tid 0 is taken as tid = pid, so those two collide
  missing_name,       ///< shown as "[No name]" [parser]
  lost_argument,      ///< "args" no object, or null or empty containers in it: vanish silently [json_utils]
  // Slices, on a thread or of an async id.
  moved,           ///< overlaps another slice in part: put on another track, or dropped by older versions
  too_deep,        ///< nested deeper than 512: dropped
  cut,             ///< an open slice is ended by an enclosing one that ended before [slice_tracker]
  lone_end,        ///< E or e that ends nothing: ignored silently
  unclosed_begin,  ///< B or b that nothing ends: keeps duration -1
  // Async slices.
  bad_id,     ///< no id, or neither integer nor string
  reused_id,  ///< ours: one (cat, id, name) names one range, or one arrow, in the whole file
  // Instants and counters.
  instant_scope,   ///< "s" must be "t": other scopes leave the thread
  counter_value,   ///< no args, or one that is no number
  shared_counter,  ///< counters of one process merge by name, whatever their tid and integer id [parser]
  // Flows.
  flow_binding,    ///< f without "bp":"e" binds to the next slice
  flow_outside,    ///< binds to the slice begun last on the thread, not around the flow event [flow_tracker]
  flow_unmatched,  ///< an arrow without one of its ends
  flow_backwards,  ///< the end must be later than the start
  // Names of tracks.
  empty_name,       ///< an error in the importer
  renamed,          ///< the last name wins
  bad_sort_index,   ///< no number
  unnamed_thread,   ///< ours: every thread with slices has a thread_name
  unnamed_process,  ///< ours: every process with slices or counters has a process_name
};

[[nodiscard]] std::string_view name(rule broken);
std::ostream& operator<<(std::ostream& out, rule broken);

inline constexpr std::size_t no_event = static_cast<std::size_t>(-1);

struct violation {
  rule broken;
  std::size_t event;  ///< index into traceEvents, or no_event
  std::string text;   ///< one sentence

  bool operator==(const violation&) const = default;
};
using violations = std::vector<violation>;

std::ostream& operator<<(std::ostream& out, const violation& found);

/// What Perfetto would show: slices dropped or moved are not counted, so a test can compare with what it wrote.
struct statistics {
  std::size_t events = 0;  ///< elements of traceEvents
  std::size_t slices = 0;  ///< X, and B with its E, on their own thread
  std::size_t instants = 0;
  std::size_t async_pairs = 0;  ///< b with its e
  std::size_t counters = 0;     ///< samples
  std::size_t flows = 0;        ///< arrows
  std::size_t threads = 0;      ///< (pid, tid) with slices or instants
  std::size_t processes = 0;    ///< pids with slices, instants, async slices or counters
  std::size_t max_depth = 0;    ///< 1: nothing is nested
};

/// All violations, in the order of the events they are about.
[[nodiscard]] violations check(std::string_view json_text, statistics* counts = nullptr);

/// For tests: whether `rule` is among them.
[[nodiscard]] bool contains(const violations& found, rule broken);

}  // namespace iket::perfetto
