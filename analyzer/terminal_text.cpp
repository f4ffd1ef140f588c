// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "terminal_text.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "utf8.hpp"

namespace iket::analysis {
namespace {

std::size_t width_of(char32_t value) {
  if (within(value, 0x0300, 0x036F) || within(value, 0x200B, 0x200D) || within(value, 0x20D0, 0x20FF) ||
      within(value, 0xFE00, 0xFE0F))
    return 0;
  const bool wide = within(value, 0x1100, 0x115F) || within(value, 0x2E80, 0x303E) || within(value, 0x3041, 0xA4CF) ||
                    within(value, 0xAC00, 0xD7A3) || within(value, 0xF900, 0xFAFF) || within(value, 0xFE30, 0xFE6F) ||
                    within(value, 0xFF00, 0xFF60) || within(value, 0xFFE0, 0xFFE6) || within(value, 0x1F300, 0x1FAFF) ||
                    within(value, 0x20000, 0x3FFFD);
  return wide ? 2 : 1;
}

struct character {
  std::string_view text;
  std::size_t width = 0;
};

std::vector<character> characters_of(std::string_view text) {
  std::vector<character> result;
  while (!text.empty()) {
    const code_point next = first_code_point(text);
    result.push_back({text.substr(0, next.bytes), width_of(next.value)});
    text.remove_prefix(next.bytes);
  }
  return result;
}

}  // namespace

std::string terminal_safe(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const code_point next = first_code_point(text);
    if (!next.valid) {
      result += replacement_utf8;
    } else if (steers_terminal(next.value)) {
      char escaped[16];
      std::snprintf(escaped, sizeof(escaped), next.value < 0x100 ? "\\x%02x" : "\\u{%04x}",
                    static_cast<unsigned>(next.value));
      result += escaped;
    } else {
      result += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return result;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const character& one : characters_of(text)) width += one.width;
  return width;
}

std::string shorten_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  const std::vector<character> all = characters_of(text);
  const std::size_t tail_width = (width - 1) / 2;
  const std::size_t head_width = width - 1 - tail_width;
  std::string head;
  std::size_t used = 0;
  for (std::size_t i = 0; i < all.size() && used + all[i].width <= head_width; ++i) {
    used += all[i].width;
    head += all[i].text;
  }
  std::size_t first = all.size();
  used = 0;
  while (first > 0 && used + all[first - 1].width <= tail_width) used += all[--first].width;
  std::string result = head + "…";
  for (; first < all.size(); ++first) result += all[first].text;
  return result;
}

std::string shorten_list(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::vector<std::string_view> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(", ", begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  // As many names as have room for four columns each; the first one may have less.
  constexpr std::size_t least = 4;
  std::size_t shown = names.size();
  std::size_t needed = shown - 1;
  for (const std::string_view name : names) needed += std::min(least, display_width(name));
  std::string rest;
  while (shown > 1 && needed + rest.size() > width) {
    needed -= 1 + std::min(least, display_width(names[--shown]));
    rest = ",+" + std::to_string(names.size() - shown);
  }
  if (rest.size() >= width) return shorten_middle(text, width);

  std::vector<std::size_t> widths;
  std::size_t used = shown - 1 + rest.size();
  for (std::size_t i = 0; i < shown; ++i) used += widths.emplace_back(display_width(names[i]));
  for (; used > width; --used) --*std::max_element(widths.begin(), widths.end());
  std::string result;
  for (std::size_t i = 0; i < shown; ++i) result += (i == 0 ? "" : ",") + shorten_middle(names[i], widths[i]);
  return result + rest;
}

std::string styled(std::string_view text, style look, bool colours) {
  if (!colours || look == style::plain || text.empty()) return std::string(text);
  const char* const begin = look == style::strong  ? "\x1b[1m"
                            : look == style::faint ? "\x1b[2m"
                            : look == style::wait  ? "\x1b[33m"
                                                   : "\x1b[1;33m";
  return begin + std::string(text) + "\x1b[0m";
}

}  // namespace iket::analysis
