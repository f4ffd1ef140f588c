// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "terminal.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace iket::analysis {
namespace {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

bool stdout_takes_colours() {
  return stdout_is_terminal() && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

namespace {

std::size_t columns_there_are() {
  const std::string_view stated = environment("COLUMNS");
  std::size_t columns = 0;
  const auto read = std::from_chars(stated.data(), stated.data() + stated.size(), columns);
  if (read.ec == std::errc() && read.ptr == stated.data() + stated.size() && columns > 0) return columns;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

}  // namespace

std::size_t stdout_columns(std::optional<std::size_t> asked_for) {
  return std::max(asked_for ? *asked_for : columns_there_are(), least_columns);
}

}  // namespace iket::analysis
