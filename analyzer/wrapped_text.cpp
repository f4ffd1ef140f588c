// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "wrapped_text.hpp"

#include <algorithm>

#include "terminal_text.hpp"

namespace iket::analysis {

std::string wrapped(const std::vector<std::string>& words, const std::string& gap, std::size_t width,
                    std::size_t hang) {
  std::string result;
  std::size_t used = 0;
  for (const std::string& word : words) {
    const std::size_t needed = display_width(word);
    if (used != 0 && used + display_width(gap) + needed > width) {
      result += "\n" + std::string(hang, ' ');
      used = 0;
    }
    if (used != 0) result += gap;
    used += (used != 0 ? display_width(gap) : 0) + needed;
    result += word;
  }
  return result;
}

std::vector<std::string> words_of(std::string_view text, std::size_t width) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) words.push_back(shorten_middle(text.substr(0, end), width));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace iket::analysis
