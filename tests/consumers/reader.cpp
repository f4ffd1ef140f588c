// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// A program that knows only the file format.
#include <cstdio>
#include <iket/trace_file.hpp>
#include <iket/version.hpp>

int main() {
  std::printf("IKET %d.%d.%d, trace.bin %d.%d, %zu bytes a record\n", IKET_VERSION_MAJOR, IKET_VERSION_MINOR,
              IKET_VERSION_PATCH, IKET_FORMAT_VERSION_MAJOR, IKET_FORMAT_VERSION_MINOR, sizeof(iket::record));
}
