// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What iket-analyze prints on a terminal: the program runs on a pseudo-terminal.
#include <catch.hpp>

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "terminal_text.hpp"

namespace {

/// The output of the program on a terminal of so many columns, 0 for one that does not say.
std::string output_of(unsigned short columns, const std::vector<std::string>& environment) {
  const winsize size{24, columns, 0, 0};
  int master = -1;
  const pid_t child = forkpty(&master, nullptr, nullptr, &size);
  if (child == 0) {
    std::vector<std::string> all = environment;
    std::vector<char*> variables;
    for (std::string& one : all) variables.push_back(one.data());
    variables.push_back(nullptr);
    const char* const trace = IKET_RECORDED_DIR "/ws_gemm_depth1.bin";
    execle(IKET_PROGRAM, "iket-analyze", "--no-trace", trace, static_cast<char*>(nullptr), variables.data());
    _exit(127);
  }
  REQUIRE(child > 0);
  std::string text;
  char buffer[4096];
  // The end of a pseudo-terminal is an error.
  for (ssize_t got = 0; (got = read(master, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(master);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(status == 0);
  return text;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::string plain;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\x1b')
        i = line.find('m', i);
      else if (line[i] != '\r')
        plain += line[i];
    }
    widest = std::max(widest, iket::analysis::display_width(plain));
  }
  return widest;
}

}  // namespace

TEST_CASE("colours are for terminals that take them, and for people who want them") {
  CHECK(output_of(100, {"TERM=xterm"}).find('\x1b') != std::string::npos);
  CHECK(output_of(100, {"TERM=xterm", "NO_COLOR="}).find('\x1b') != std::string::npos);
  CHECK(output_of(100, {"TERM=xterm", "NO_COLOR=1"}).find('\x1b') == std::string::npos);
  CHECK(output_of(100, {"TERM=dumb"}).find('\x1b') == std::string::npos);
}

TEST_CASE("the report is as wide as the terminal, 100 columns where that says nothing") {
  for (const unsigned short columns : std::initializer_list<unsigned short>{60, 80, 100, 132}) {
    const std::size_t widest = widest_line(output_of(columns, {"TERM=xterm"}));
    CHECK(widest <= columns);
    CHECK(widest > columns / 2);
  }
  const std::size_t widest = widest_line(output_of(0, {"TERM=xterm"}));
  CHECK(widest <= 100);
  CHECK(widest > 80);
  CHECK(widest_line(output_of(132, {"TERM=xterm", "COLUMNS=70"})) <= 70);
  const std::string least = output_of(132, {"TERM=xterm", "COLUMNS=60"});
  for (const char* const narrow : {"COLUMNS=1", "COLUMNS=8", "COLUMNS=20"})
    CHECK(output_of(132, {"TERM=xterm", narrow}) == least);
}
