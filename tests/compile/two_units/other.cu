// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "shared.cuh"

namespace {

__global__ void kernel(int* out, iket::tracer tracer) {
  iket::recorder rec(tracer);
  *out = shared_function(rec) + shared_template<2>(rec);
}

}  // namespace

void launch_other(iket::session& session, int* out) { kernel<<<1, 32>>>(out, session.trace("other", 1, 32)); }
