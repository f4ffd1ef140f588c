// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT

// iket-check-trace FILE...: whether Perfetto will show all of a Chrome-trace JSON file.
// Exit: 0 all good, 1 a rule is broken, 2 wrong usage or a file that cannot be read.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "rules.hpp"

namespace {

constexpr std::size_t most_shown = 20;

std::optional<std::string> read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || file.bad()) return std::nullopt;
  return text;
}

std::size_t report(const char* path, std::string_view text) {
  iket::perfetto::statistics counts;
  const auto found = iket::perfetto::check(text, &counts);
  const std::size_t shown = std::min(found.size(), most_shown);
  for (std::size_t at = 0; at < shown; ++at) std::cout << path << ": " << found[at] << '\n';
  if (shown < found.size()) std::cout << path << ": and " << found.size() - shown << " more\n";
  std::cout << path << ": " << counts.slices << " slices on " << counts.threads << " threads, " << found.size()
            << " violations\n";
  return found.size();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: iket-check-trace FILE...\n";
    return 2;
  }
  bool unreadable = false;
  bool broken = false;
  for (int at = 1; at < argc; ++at) {
    const auto text = read_file(argv[at]);
    if (!text) {
      std::cerr << argv[at] << ": cannot be read\n";
      unreadable = true;
    } else {
      broken |= report(argv[at], *text) != 0;
    }
  }
  return unreadable ? 2 : broken ? 1 : 0;
}
