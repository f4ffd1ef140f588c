// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Macros as real programs define them before they include a library: a header that uses one of these names breaks.
/// What the headers include from elsewhere comes first, since it cannot be held to this.
#pragma once

#include <cuda_runtime.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#define IKET_POISON a macro of the user

// Sizes and indices of a kernel.
#define BLOCK_SIZE IKET_POISON
#define K IKET_POISON
#define M IKET_POISON
#define N IKET_POISON
#define NUM_THREADS IKET_POISON
#define T IKET_POISON
#define TILE IKET_POISON
#define TILE_SIZE IKET_POISON
#define WARP_SIZE IKET_POISON
#define bid IKET_POISON
#define laneid IKET_POISON
#define tid IKET_POISON
#define warpid IKET_POISON

// Checks and logs.
#define ASSERT(...) IKET_POISON
#define CHECK(...) IKET_POISON
#define CUDA_CHECK(...) IKET_POISON
#define DEBUG IKET_POISON
#define ERROR IKET_POISON
#define FAIL(...) IKET_POISON
#define INFO IKET_POISON
#define LOG(...) IKET_POISON
#define REQUIRE(...) IKET_POISON
#define TRACE IKET_POISON
#define check(...) IKET_POISON
#define log_error(...) IKET_POISON
#define verify(...) IKET_POISON

// C and system headers: complex.h, sys/sysmacros.h, curses, X11, Windows, Qt.
#define Bool IKET_POISON
#define I IKET_POISON
#define IN IKET_POISON
#define None IKET_POISON
#define OUT IKET_POISON
#define Status IKET_POISON
#define Success IKET_POISON
#define emit IKET_POISON
#define far IKET_POISON
#define foreach(...) IKET_POISON
#define interface IKET_POISON
#define major(...) IKET_POISON
#define minor(...) IKET_POISON
#define near IKET_POISON
#define signals IKET_POISON
#define slots IKET_POISON
#define small IKET_POISON

// Helpers that many programs have.
#define ARRAY_SIZE(...) IKET_POISON
#define CONCAT(...) IKET_POISON
#define DIV_UP(...) IKET_POISON
#define FOR(...) IKET_POISON
#define PI IKET_POISON
#define STR(...) IKET_POISON
#define UNUSED(...) IKET_POISON
#define VERSION IKET_POISON
