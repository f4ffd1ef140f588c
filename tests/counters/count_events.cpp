// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// count_events < LISTING: of each kernel in what nvdisasm prints, how many events there are and how many of them have
/// a tag that is known: "calls 6 6".
#include <iostream>
#include <string>
#include <vector>

#include "counters/sass_events.hpp"

int main() {
  using namespace iket::analysis::counters;
  std::string kernel;
  std::vector<std::string> lines;
  const auto finish = [&] {
    std::vector<sass_instruction> code;
    for (const std::string& line : lines) code.push_back(parse_sass(line));
    std::size_t tagged = 0;
    const sass_events found = find_events(code);
    for (const sass_event& event : found.events) tagged += event.tag ? 1 : 0;
    if (!lines.empty()) std::cout << kernel << ' ' << found.events.size() << ' ' << tagged << '\n';
    lines.clear();
  };
  for (std::string line; std::getline(std::cin, line);) {
    const std::string section = ".section\t.text.";
    if (const std::size_t begin = line.find(section); begin != std::string::npos) {
      finish();
      kernel = line.substr(begin + section.size(), line.find(',') - begin - section.size());
      continue;
    }
    // "        /*0940*/               @P0 MOV R5, 0x91 ;"
    const std::size_t end = line.find("*/");
    if (line.find("/*") != line.find_first_not_of(" \t") || end == std::string::npos ||
        line.find(';') == std::string::npos)
      continue;
    lines.push_back(line.substr(end + 2, line.find(';') - end - 1));
  }
  finish();
}
