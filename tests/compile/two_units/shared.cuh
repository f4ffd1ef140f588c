// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Traced code that both units include: the linker sees two of everything.
#pragma once

#include <iket/iket.cuh>

template <int n>
__device__ inline int shared_template(iket::recorder& rec) {
  IKET_RANGE(rec, "in both units", n);
  return n;
}

__device__ inline int shared_function(iket::recorder& rec) {
  IKET_MARK(rec, "also in both units");
  return shared_template<1>(rec);
}

void launch_other(iket::session& session, int* out);
