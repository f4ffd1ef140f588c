// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Outputs recorded in tests/analyzer/golden. After a change that is meant: IKET_BLESS=1 ctest -R analyzer
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <catch.hpp>

namespace iket::test {

inline void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(IKET_GOLDEN_DIR) + "/" + name;
  if (std::getenv("IKET_BLESS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  INFO("recorded in " << path << "; IKET_BLESS=1 records it anew");
  REQUIRE(file);
  const std::string recorded{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // Whole files in a message help nobody.
  const auto differ = std::mismatch(text.begin(), text.end(), recorded.begin(), recorded.end());
  const auto line_at = [](const std::string& of, std::string::const_iterator at) {
    const auto place = static_cast<std::size_t>(at - of.begin());
    const std::size_t begin = place == 0 ? 0 : of.rfind('\n', place - 1) + 1;
    return of.substr(begin, of.find('\n', place) - begin);
  };
  CHECK(line_at(text, differ.first) == line_at(recorded, differ.second));
  CHECK(text.size() == recorded.size());
}

}  // namespace iket::test
