// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/gate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "units.hpp"

namespace iket::analysis {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw std::invalid_argument("takes SUBJECT:NAME:METRIC>BOUND, not '" + text + "': " + why);
}

gate_subject parse_subject(const std::string& word, const std::string& text) {
  constexpr std::pair<std::string_view, gate_subject> subjects[] = {
      {"stage", gate_subject::stage}, {"role", gate_subject::role}, {"launch", gate_subject::launch}};
  for (const auto& [name, subject] : subjects)
    if (word == name) return subject;
  refuse(text, "it is about a stage, a role or a launch");
}

std::string listed(const std::vector<std::string_view>& words) {
  std::string list;
  for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
  return list;
}

/// The bound behind > or <.
void parse_bound(std::string_view bound, gate& to) {
  const bool is_signed = bound.starts_with('+') || bound.starts_with('-');
  const bool is_negative = bound.starts_with('-');
  if (is_signed) bound.remove_prefix(1);
  double number = 0;
  const auto [end, failure] =
      std::from_chars(bound.data(), bound.data() + bound.size(), number, std::chars_format::fixed);
  // std::from_chars takes "inf" and "nan", too.
  if (failure != std::errc() || std::string_view(".0123456789").find(bound.front()) == std::string_view::npos)
    refuse(to.text, "the bound is a number");
  std::string_view unit = bound.substr(static_cast<std::size_t>(end - bound.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);

  to.bound = !is_signed ? gate_bound::absolute : unit == "%" ? gate_bound::relative : gate_bound::difference;
  to.limit = is_negative ? -number : number;
  if (to.bound == gate_bound::relative) {
    to.limit /= 100;
    return;
  }
  constexpr std::pair<std::string_view, double> times[] = {{"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
  switch (to.unit()) {
    case gate_unit::time:
      for (const auto& [name, factor] : times)
        if (unit == name) {
          to.limit *= factor;
          return;
        }
      refuse(to.text, "a time is in ns, us, ms or s, a change in them or in %");
    case gate_unit::count:
      if (!unit.empty()) refuse(to.text, "a count has no unit, a change of it may be in %");
      return;
    case gate_unit::fraction:
      if (unit != "%" || is_signed) refuse(to.text, "a share is in %, a change a part of it in %");
      to.limit /= 100;
  }
}

std::string value_text(double value, gate_unit unit) {
  if (unit == gate_unit::time) return duration_text(value);
  if (unit == gate_unit::fraction) return percent_text(value);
  return fixed_text(value, value == std::floor(value) ? 0 : 3);
}

}  // namespace

const std::vector<std::string_view>& gate_metrics(gate_subject of) {
  static const std::vector<std::string_view> stages{"self", "total", "mean", "min",   "p50",
                                                    "p90",  "p99",   "max",  "share", "count"};
  static const std::vector<std::string_view> roles{"work", "wait", "untracked"};
  static const std::vector<std::string_view> launches{"duration"};
  return of == gate_subject::stage ? stages : of == gate_subject::role ? roles : launches;
}

gate_unit gate::unit() const {
  if (metric == "share") return gate_unit::fraction;
  return metric == "count" ? gate_unit::count : gate_unit::time;
}

gate parse_gate(const std::string& text) {
  gate result;
  result.text = text;
  const std::size_t first = text.find(':'), last = text.rfind(':');
  if (first == std::string::npos) refuse(text, "there is no colon");
  result.subject = parse_subject(text.substr(0, first), text);
  if (last != first) result.name = text.substr(first + 1, last - first - 1);
  if (result.name.empty() && result.subject != gate_subject::launch) refuse(text, "there is no name");
  const std::size_t sign = text.find_first_of("<>", last);
  if (sign == std::string::npos) refuse(text, "there is no > or < behind the last colon");
  result.metric = text.substr(last + 1, sign - last - 1);
  const std::vector<std::string_view>& known = gate_metrics(result.subject);
  if (std::find(known.begin(), known.end(), result.metric) == known.end())
    refuse(text, "its figures are " + listed(known) + ", not '" + result.metric + "'");
  result.above = text[sign] == '>';
  if (sign + 1 == text.size()) refuse(text, "there is no bound");
  parse_bound(std::string_view(text).substr(sign + 1), result);
  return result;
}

namespace {

/// "; 1 launch had not ended: ranges that are still open do not count"
std::string unended_text(const gate_result& of) {
  if (of.unended == 0) return "";
  return "; " + std::to_string(of.unended) + (of.unended == 1 ? " launch" : " launches") + " had not ended: " +
         (of.gate.subject == gate_subject::stage ? "ranges that are still open do not count"
                                                 : "what it had done so far counts");
}

}  // namespace

std::string gate_text(const gate_result& of) {
  const gate_unit unit = of.gate.unit();
  std::string text = of.gate.text + ": " + value_text(of.after, unit) + " in " +
                     (of.kernel.empty() ? "a kernel without a name" : "'" + of.kernel + "'");
  if (of.before) text += ", was " + value_text(*of.before, unit);
  if (of.before && *of.before != 0) text += ": " + signed_percent_text((of.after - *of.before) / *of.before);
  return text + unended_text(of);
}

}  // namespace iket::analysis
