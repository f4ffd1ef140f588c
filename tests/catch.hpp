// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Catch2, version 2 or 3: what tests include. Link through `iket_add_catch_test` (cmake/catch.cmake).
#pragma once

#if __has_include(<catch2/catch_all.hpp>)

#include <catch2/catch_all.hpp>

// Version 3 moved these out of the global namespace.
using Catch::Approx;

#else

#include <catch2/catch.hpp>

#endif
