// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "source_files.hpp"

#include <algorithm>
#include <array>

namespace iket::analysis::counters {
namespace {

bool ends_in(std::string_view path, std::string_view tail) {
  return path.ends_with(tail) && (path.size() == tail.size() || path[path.size() - tail.size() - 1] == '/');
}

}  // namespace

bool may_be_one_file(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return false;
  return ends_in(a, b) || ends_in(b, a);
}

bool is_recorder_file(std::string_view path) {
  constexpr std::array<std::string_view, 7> headers = {"iket/recorder.cuh", "iket/scoped_range.cuh", "iket/macros.cuh",
                                                       "iket/tracer.hpp",   "iket/token.hpp",        "iket/record.hpp",
                                                       "iket/site.hpp"};
  return path.find("/iket/detail/") != std::string_view::npos || path.starts_with("iket/detail/") ||
         std::any_of(headers.begin(), headers.end(), [&](std::string_view header) { return ends_in(path, header); });
}

}  // namespace iket::analysis::counters
