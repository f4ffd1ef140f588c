// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The one place that states the versions; the build system reads the library's numbers from here.
#pragma once

#define IKET_VERSION_MAJOR 0
#define IKET_VERSION_MINOR 1
#define IKET_VERSION_PATCH 0

/// The library's version as one number that compares in order: 1.2.3 is 10203.
#define IKET_VERSION (IKET_VERSION_MAJOR * 10000 + IKET_VERSION_MINOR * 100 + IKET_VERSION_PATCH)

/// The version of trace.bin (docs/trace-format.md), counted apart from the library's. A reader accepts every minor of
/// a major that it knows and refuses a newer major.
#define IKET_FORMAT_VERSION_MAJOR 1
#define IKET_FORMAT_VERSION_MINOR 4
