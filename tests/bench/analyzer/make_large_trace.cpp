// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// make_large_trace RECORDS FILE: writes a trace of so many records, see large_trace.hpp.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <iket/detail/whole_file.hpp>

#include "large_trace.hpp"

int main(int argc, char** argv) {
  const unsigned long long records = argc == 3 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (records == 0) {
    std::fputs("usage: make_large_trace RECORDS FILE\n", stderr);
    return 2;
  }
  try {
    iket::detail::whole_file file(argv[2]);
    iket::bench::write_large_trace({.records = records},
                                   [&](const void* data, std::size_t size) { file.append(data, size); });
    file.commit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_large_trace: %s\n", error.what());
    return 1;
  }
  return 0;
}
