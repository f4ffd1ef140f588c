// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Paths in commands that a user may copy.
#include <cstdio>
#include <string>

#include <iket/detail/shell_word.hpp>

#include "catch.hpp"

namespace {

using iket::detail::shell_word;

/// What a shell makes of a command's arguments, one a line.
std::string arguments_of(const std::string& command) {
  std::FILE* const shell = popen(("printf '%s\\n' " + command).c_str(), "r");
  REQUIRE(shell != nullptr);
  std::string text;
  for (int c = 0; (c = std::fgetc(shell)) != EOF;) text += static_cast<char>(c);
  REQUIRE(pclose(shell) == 0);
  return text;
}

}  // namespace

TEST_CASE("a path is written as it is where no shell minds, else in quotes") {
  CHECK(shell_word("hang.bin") == "hang.bin");
  CHECK(shell_word("/tmp/run-3/a_b+c,d@e=f:g%.bin") == "/tmp/run-3/a_b+c,d@e=f:g%.bin");
  CHECK(shell_word("a folder/hang.bin") == "'a folder/hang.bin'");
  CHECK(shell_word("-o") == "./-o");
  CHECK(shell_word("- o") == "'./- o'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("~/hang.bin") == "'~/hang.bin'");
  CHECK(shell_word("") == "''");
}

TEST_CASE("a shell reads the path that was meant") {
  for (const std::string path : {"plain", "two words", "it's", "$HOME `id` \\ \"x\" ; & | > < * ? [a] {b,c} # !", "'",
                                 "''", "line\nbreak", "tab\t", "~", "\xC3\xA4"}) {
    CAPTURE(path);
    CHECK(arguments_of(shell_word(path)) == path + "\n");
  }
}
