// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Each kernel is compiled twice, with and without IKET_DISABLE, into one program. All that its unit defines lies in a
/// namespace that tells the two apart, or the linker would keep one of them for both.
#pragma once

#include <iket/config.hpp>

#if IKET_ENABLED
#define BENCH_VARIANT traced
#else
#define BENCH_VARIANT untraced
#endif
