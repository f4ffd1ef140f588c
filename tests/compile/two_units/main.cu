// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// That it links is the test; where there is a GPU it also runs.
#include <cstdio>

#include "shared.cuh"

namespace {

constexpr int exit_skipped = 77;

__global__ void kernel(int* out, iket::tracer tracer) {
  iket::recorder rec(tracer);
  *out = shared_function(rec);
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return exit_skipped;
  int* out = nullptr;
  if (cudaMallocManaged(&out, 2 * sizeof(int)) != cudaSuccess) return 1;
  iket::session session;
  kernel<<<1, 32>>>(out, session.trace("main", 1, 32));
  launch_other(session, out + 1);
  session.drain();
  std::printf("%d %d\n", out[0], out[1]);
  return out[0] == 1 && out[1] == 3 ? 0 : 1;
}
