// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Functions with sites that two separately compiled translation units share.
#pragma once

#include <iket/iket.cuh>

constexpr unsigned shared_line = __LINE__ + 1;
inline __device__ void in_shared_function(iket::recorder& rec, int x) { IKET_RANGE(rec, "in a shared function", x); }

template <class Value>
__device__ void in_shared_template(iket::recorder& rec, Value value) {
  IKET_MARK(rec, "in a shared template", value);
}

// Of the other unit.
__device__ void in_other_unit(iket::recorder& rec, int x);
void launch_in_other_unit(iket::tracer tracer);
