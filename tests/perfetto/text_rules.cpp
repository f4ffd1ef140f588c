// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "passes.hpp"

namespace iket::perfetto {
namespace {

// The event that is being written at `offset`: the parser does not tell positions, but it can count up to one.
std::size_t event_at(std::string_view text, std::size_t offset) {
  violations ignored;
  const std::size_t begun = read_events(text.substr(0, offset), ignored).begun;
  return begun == 0 ? no_event : begun - 1;
}

// Only a backslash that is not itself escaped begins an escape; in valid JSON each stands in a string.
std::size_t find_surrogate(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('\\', from); at != text.npos; at = text.find('\\', at + 2)) {
    const std::string_view escape = text.substr(at, 4);
    if (escape.size() == 4 && escape[1] == 'u' && (escape[2] == 'd' || escape[2] == 'D') &&
        std::string_view("89abcdefABCDEF").find(escape[3]) != std::string_view::npos)
      return at;
  }
  return text.npos;
}

// One violation for all places: they have one cause, and finding the event takes time.
template <typename Find>
void report_first(std::string_view text, rule broken, std::string_view what, Find find, violations& found) {
  const std::size_t first = find(0);
  if (first == text.npos) return;
  std::size_t places = 0;
  for (std::size_t at = first; at != text.npos; at = find(at + 1)) ++places;
  found.push_back(
      {broken, event_at(text, first),
       std::string(what) + " at byte " + std::to_string(first) + ", " + std::to_string(places) + " in the file."});
}

}  // namespace

void check_text(std::string_view text, violations& found) {
  if (text.starts_with("\xef\xbb\xbf"))
    found.push_back({rule::byte_order_mark, no_event, "The file begins with a byte order mark."});
  else if (!text.empty() && std::string_view(" \t\r\n\v\f").find(text.front()) != std::string_view::npos)
    found.push_back({rule::leading_blank, no_event, "The file begins with a blank."});

  // The importer takes what follows the closing brace as an error if it arrives in a chunk of its own.
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last != text.npos && text.substr(last + 1) != "" && text.substr(last + 1) != "\n")
    found.push_back({rule::trailing_data, no_event, "Blanks follow the closing brace."});

  report_first(
      text, rule::surrogate_escape, "A surrogate escape", [&](std::size_t from) { return find_surrogate(text, from); },
      found);
  report_first(
      text, rule::control_character, "A raw DEL character", [&](std::size_t from) { return text.find('\x7f', from); },
      found);
}

}  // namespace iket::perfetto
