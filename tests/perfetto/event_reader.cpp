// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "event_reader.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "json_number.hpp"

namespace iket::perfetto {
namespace {

std::string in_quotes(std::string_view text) { return '"' + std::string(text.substr(0, 80)) + '"'; }

// The importer turns everything that is no unsigned 32-bit number into 0.
field_state read_u32(std::string_view token, bool is_integer, std::uint32_t& out) {
  if (!is_integer) return field_state::bad;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), out);
  return error == std::errc() && end == token.data() + token.size() ? field_state::good : field_state::bad;
}

// Whether the unquoted word that holds the character at `at` begins like NaN or Infinity, in any case.
bool is_non_finite_word(std::string_view text, std::size_t at) {
  const auto is_letter = [&](std::size_t where) { return std::isalpha(static_cast<unsigned char>(text[where])) != 0; };
  if (at >= text.size() || !is_letter(at)) return false;
  while (at > 0 && is_letter(at - 1)) --at;
  std::string word(text.substr(at, 3));
  for (char& letter : word) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return word == "nan" || word == "inf";
}

}  // namespace

void event_reader::add(rule broken, std::string text) {
  found_.push_back({broken, in_event() ? event_.index : no_event, std::move(text)});
}

bool event_reader::null() {
  value({value_kind::null, {}});
  return true;
}

bool event_reader::boolean(bool) {
  value({value_kind::boolean, {}});
  return true;
}

bool event_reader::number_integer(std::int64_t value) {
  number(value_kind::integer, std::to_string(value));
  return true;
}

bool event_reader::number_unsigned(std::uint64_t value) {
  number(value_kind::integer, std::to_string(value));
  return true;
}

bool event_reader::number_float(double, const std::string& token) {
  // An integer beyond 64 bits comes as a float.
  number(token.find_first_of(".eE") == token.npos ? value_kind::integer : value_kind::real, token);
  return true;
}

bool event_reader::string(std::string& text) {
  value({value_kind::string, text});
  return true;
}

bool event_reader::binary(nlohmann::json::binary_t&) { return true; }

bool event_reader::key(std::string& name) {
  if (depth_ == 1) root_key_ = name;
  if (at_event_field())
    field_ = name;
  else if (in_event() && depth_ == events_depth_ + 2)
    inner_ = name;
  return true;
}

void event_reader::number(value_kind kind, std::string_view token) {
  if (is_big_integer(token)) add(rule::big_integer, "The number " + std::string(token) + " is beyond 2^53.");
  if (fraction_digits(token) > 18)
    add(rule::long_fraction, "The number " + std::string(token) + " has more than 18 fraction digits.");
  value({kind, token});
}

void event_reader::value(const scalar& what) {
  empty_container_ = false;
  if (at_event_field()) return event_field(what);
  if (in_args()) return argument(what);
  if (in_event() && field_ == "id2") return id2_field(what);
  if (events_depth_ != 0 && depth_ == events_depth_)
    found_.push_back({rule::missing_phase, trace_.begun++, "The element of traceEvents is no object."});
  if (depth_ == 0) add(rule::not_an_object, "The file is no object.");
  if (depth_ != 1) return;
  if (root_key_ == "displayTimeUnit" && what.kind != value_kind::string)
    add(rule::display_time_unit, "displayTimeUnit is no string.");
  if (root_key_ == "traceEvents") add(rule::no_trace_events, "traceEvents is no array."), saw_events_ = true;
}

void event_reader::time_field(const scalar& what, field_state& state, std::int64_t& ns) {
  if (what.kind != value_kind::integer && what.kind != value_kind::real) {
    state = field_state::bad;
    return add(rule::bad_time, '"' + field_ + "\" is no number.");
  }
  const trace_time time = read_time(what.text);
  state = field_state::good;
  ns = time.ns;
  const std::string said = '"' + field_ + "\" is " + std::string(what.text);
  if (time.exponent) add(rule::exponent_in_time, said + ": with an exponent.");
  if (time.decimals > 3) add(rule::too_many_decimals, said + ": more than three decimals.");
  if (!time.exact) add(rule::inexact_time, said + " us, which arrives as " + std::to_string(time.ns) + " ns.");
}

event_id event_reader::read_id(const scalar& what) {
  using kind = event_id::kind;
  if (what.kind == value_kind::string) return {kind::string, false, trace_.strings.intern(what.text)};
  if (what.kind != value_kind::integer) return {kind::bad, false, 0};
  std::int64_t signed_value = 0;
  const char* end = what.text.data() + what.text.size();
  if (std::from_chars(what.text.data(), end, signed_value).ec != std::errc()) return {kind::bad, false, 0};
  return {kind::integer, false, static_cast<std::uint64_t>(signed_value)};
}

void event_reader::event_field(const scalar& what) {
  const bool is_string = what.kind == value_kind::string;
  const bool is_integer = what.kind == value_kind::integer;
  const auto first = [&] { return is_string && !what.text.empty() ? what.text.front() : '\0'; };
  if (field_ == "ph") {
    event_.phase = first();  // the importer looks at one character only
    if (is_string && what.text.size() > 1)
      add(rule::unknown_phase, "The phase " + in_quotes(what.text) + " is too long.");
  } else if (field_ == "ts") {
    time_field(what, event_.ts, event_.ts_ns);
  } else if (field_ == "dur") {
    time_field(what, event_.dur, event_.dur_ns);
  } else if (field_ == "tts" || field_ == "tdur") {
    field_state ignored{};
    std::int64_t ignored_ns = 0;
    time_field(what, ignored, ignored_ns);
  } else if (field_ == "pid") {
    event_.pid_state = read_u32(what.text, is_integer, event_.pid);
  } else if (field_ == "tid") {
    event_.tid_state = read_u32(what.text, is_integer, event_.tid);
  } else if (field_ == "name") {
    event_.name = is_string ? trace_.strings.intern(what.text) : 0;
  } else if (field_ == "cat") {
    event_.cat = is_string ? trace_.strings.intern(what.text) : 0;
  } else if (field_ == "id") {
    event_.id = read_id(what);
    has_id_ = event_.id.is != event_id::kind::bad;
  } else if (field_ == "s") {
    event_.scope = what.text.size() == 1 ? first() : '?';
  } else if (field_ == "bp") {
    event_.binds_enclosing = is_string && what.text == "e";
  } else if (field_ == "args") {
    add(rule::lost_argument, "\"args\" is no object.");
  }
}

void event_reader::argument(const scalar& what) {
  const bool is_number = what.kind == value_kind::integer || what.kind == value_kind::real;
  if (what.kind == value_kind::null) add(rule::lost_argument, "The argument " + in_quotes(inner_) + " is null.");
  if (!at_argument()) return;
  event_.arguments.push_back(trace_.strings.intern(inner_));
  if (!is_number) ++event_.counter_faults;
  if (inner_ == "name") {
    event_.track_name = what.kind == value_kind::string ? trace_.strings.intern(what.text) : 0;
    event_.track_name_state = event_.track_name == 0 ? field_state::bad : field_state::good;
  } else if (inner_ == "sort_index") {
    event_.sort_index = is_number ? field_state::good : field_state::bad;
  }
}

// "id" wins over id2.global, and that over id2.local.
void event_reader::id2_field(const scalar& what) {
  if (has_id_ || depth_ != events_depth_ + 2 || (inner_ != "local" && inner_ != "global")) return;
  const bool local = inner_ == "local";
  if (local && event_.id.is != event_id::kind::none && !event_.id.local) return;
  event_.id = read_id(what);
  event_.id.local = local;
}

void event_reader::open(value_kind kind) {
  if (at_argument()) {
    event_.arguments.push_back(trace_.strings.intern(inner_));
    ++event_.counter_faults;
  }
  if (at_event_field()) {
    const bool is_args = field_ == "args" && kind == value_kind::object;
    if (is_args || field_ == "id2")
      inner_.clear();
    else
      event_field({kind, {}});
  } else if (depth_ == 1 && root_key_ == "displayTimeUnit") {
    add(rule::display_time_unit, "displayTimeUnit is no string.");
  } else if (depth_ == 1 && root_key_ == "traceEvents") {
    saw_events_ = true;
    if (kind == value_kind::array)
      events_depth_ = 2;
    else
      add(rule::no_trace_events, "traceEvents is no array.");
  } else if (depth_ == 0 && kind == value_kind::array) {
    add(rule::not_an_object, "The file is an array.");
    saw_events_ = true;
    events_depth_ = 1;
  } else if (events_depth_ != 0 && depth_ == events_depth_) {
    event_ = event{};
    event_.index = trace_.begun++;
    has_id_ = false;
    if (kind == value_kind::array)
      found_.push_back({rule::missing_phase, event_.index, "The element of traceEvents is no object."});
  }
  ++depth_;
  empty_container_ = true;
}

void event_reader::close() {
  if (empty_container_ && in_args() && depth_ > events_depth_ + 2)
    add(rule::lost_argument, "The argument " + in_quotes(inner_) + " is an empty object or array.");
  empty_container_ = false;
  --depth_;
  if (depth_ == 0) root_closed_ = true;
  if (events_depth_ != 0 && depth_ < events_depth_) events_depth_ = 0;
}

bool event_reader::start_object(std::size_t) {
  open(value_kind::object);
  return true;
}

bool event_reader::start_array(std::size_t) {
  open(value_kind::array);
  return true;
}

bool event_reader::end_object() {
  const bool ends_event = at_event_field();
  close();
  if (!ends_event) return true;
  if (event_.phase != 'C') event_.arguments = {};
  trace_.events.push_back(std::move(event_));
  return true;
}

bool event_reader::end_array() {
  close();
  return true;
}

bool event_reader::parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
  // The position is one past the last character read, which for the end of the text is one more.
  const std::size_t at = position == 0 ? 0 : position - 1;
  const std::string where = " at byte " + std::to_string(at) + '.';

  constexpr int number_out_of_range = 406;
  if (error.id == number_out_of_range || is_non_finite_word(text_, at))
    add(rule::non_finite, "A number that is not finite" + where);
  else if (root_closed_)
    add(rule::trailing_data, "Something follows the closing brace" + where);
  else if (at >= text_.size())
    add(rule::truncated, "The file ends early" + where);
  else if (std::string_view(error.what()).find("control character") != std::string_view::npos)
    add(rule::control_character, "A raw control character in a string" + where);
  else
    add(rule::malformed, "Not JSON" + where);
  saw_events_ = true;  // not to report what the rest of the file may hold
  return false;
}

void event_reader::finish() {
  if (!saw_events_) found_.push_back({rule::no_trace_events, no_event, "There is no traceEvents array."});
}

document read_events(std::string_view text, violations& found) {
  document trace;
  event_reader reader(text, trace, found);
  nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  reader.finish();
  return trace;
}

}  // namespace iket::perfetto
