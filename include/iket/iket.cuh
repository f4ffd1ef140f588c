// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The door: all that a program needs, in one include. Works with nvcc, with NVRTC (the device side alone) and with a
/// plain C++ compiler (the host side; the macros are nothing).
#pragma once

#include <iket/config.hpp>
#include <iket/macros.cuh>
#include <iket/record.hpp>
#include <iket/recorder.cuh>
#include <iket/tracer.hpp>
#include <iket/version.hpp>

#if !defined(__CUDACC_RTC__)
#include <iket/error.hpp>
#include <iket/launch.hpp>
#include <iket/session.hpp>
#include <iket/watchdog.hpp>
#endif
