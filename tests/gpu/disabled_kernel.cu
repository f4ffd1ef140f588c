// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Compiled with IKET_DISABLE: the tracer passes between this unit and one that was not.
#include <iket/iket.cuh>

__global__ void disabled_kernel(int* out, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "nobody");
  IKET_RANGE(rec, "nothing", *out);
  if (threadIdx.x == 0) *out = 42;
}

void launch_disabled_kernel(int* out, iket::tracer tracer) { disabled_kernel<<<2, 64>>>(out, tracer); }

std::string write_disabled_session(const std::string& path) {
  iket::session session;
  const iket::tracer tracer = session.trace("disabled_kernel", dim3(2), dim3(64));
  session.write(path);
  return tracer.first_ring == 0 ? "inert" : "live";
}
