// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "flow_book.hpp"

#include <charconv>

namespace iket::perfetto {

void flow_book::report(rule broken, const event& where, std::string text) {
  found_.push_back({broken, where.index, "The flow " + strings_[where.name] + ' ' + std::move(text)});
}

std::optional<std::uint64_t> flow_book::number(const event_id& id) const {
  if (id.is == event_id::kind::integer) return id.value;
  if (id.is != event_id::kind::string || id.value == 0) return std::nullopt;
  std::string_view text = strings_[static_cast<string_table::handle>(id.value)];
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void flow_book::add(const event& what, bool bound) {
  if (what.id.is == event_id::kind::none || what.id.is == event_id::kind::bad) return;  // reported with the event
  const auto id = number(what.id);
  if (!id) return report(rule::bad_id, what, "has an id that is no hexadecimal number.");
  arrow& one = arrows_[{*id, what.cat, what.name}];
  (what.phase == 's' ? one.starts : what.phase == 't' ? one.steps : one.ends).push_back(&what);
  if (!bound)
    report(rule::flow_outside, what,
           "at " + std::to_string(what.ts_ns) + " ns is not inside the slice begun last on its thread.");
}

std::size_t flow_book::finish() {
  std::size_t whole = 0;
  for (const auto& [id, one] : arrows_) {
    for (std::size_t extra = 1; extra < one.starts.size(); ++extra)
      report(rule::reused_id, *one.starts[extra],
             "has an id that event " + std::to_string(one.starts[0]->index) + " has started.");
    for (std::size_t extra = 1; extra < one.ends.size(); ++extra)
      report(rule::reused_id, *one.ends[extra],
             "has an id that event " + std::to_string(one.ends[0]->index) + " has ended.");
    if (one.starts.empty()) {
      for (const auto* without : {&one.steps, &one.ends})
        for (const event* lone : *without) report(rule::flow_unmatched, *lone, "has no start.");
      continue;
    }
    const event& start = *one.starts.front();
    for (const auto* later : {&one.steps, &one.ends})
      for (const event* follower : *later)
        if (follower->ts_ns <= start.ts_ns)
          report(rule::flow_backwards, *follower,
                 "is not later than its start, event " + std::to_string(start.index) + '.');
    if (one.ends.empty())
      report(rule::flow_unmatched, start, "has no end.");
    else
      ++whole;
  }
  return whole;
}

}  // namespace iket::perfetto
