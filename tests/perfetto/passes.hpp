// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "event.hpp"
#include "rules.hpp"

/// The passes that check() runs, from the bytes up.
namespace iket::perfetto {

struct document {
  std::vector<event> events;  ///< the complete ones
  std::size_t begun = 0;      ///< one more than those after a syntax error inside an event
  string_table strings;
};

/// Parses and checks the JSON itself and the form of each value. On a syntax error, the events before it are kept.
document read_events(std::string_view text, violations& found);

/// Rules about the bytes that a JSON parser does not show.
void check_text(std::string_view text, violations& found);

/// Rules about one event alone.
void check_events(const document& trace, violations& found);

/// Plays the events in the importer's order: nesting on threads, async slices, flows.
void check_timeline(const document& trace, violations& found, statistics& counts);

/// Names of processes and threads, and counters by name.
void check_tracks(const document& trace, violations& found, statistics& counts);

}  // namespace iket::perfetto
