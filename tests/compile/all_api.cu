// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Every macro, payload type and kind of function that a kernel may use, for compilers to try: nvcc for each
// architecture and standard, and NVRTC, which compiles what it finds outside of the host's part.
#include <iket/iket.cuh>

// A name, a payload and a branch in a template: one site per instantiation.
template <bool traced, typename value_type>
__device__ void in_template(iket::recorder& rec, value_type value) {
  IKET_RANGE(rec, "in a template", value);
  if constexpr (traced) {
    IKET_WAIT(rec, "if constexpr");
  } else {
    IKET_MARK(rec, "else of if constexpr");
  }
}

__device__ void in_device_function(iket::recorder& rec) { IKET_RANGE(rec, "in a __device__ function"); }

// On the host the macros are nothing, so that such functions stay usable there.
__host__ __device__ inline int in_host_device_function(iket::recorder& rec, int value) {
  IKET_RANGE(rec, "in a __host__ __device__ function", value);
  IKET_PUSH(rec, "pushed");
  IKET_POP(rec);
  IKET_MARK(rec, "marked");
  return value + 1;
}

// Constants that have no address on the device.
constexpr int tile = 5;
struct constants {
  static constexpr unsigned depth = 4;
  static const int slots_used = 3;
};

__device__ void constant_payloads(iket::recorder& rec) {
  IKET_MARK(rec, "namespace", tile);
  IKET_MARK(rec, "static constexpr member", constants::depth);
  IKET_PUSH(rec, "static const member", constants::slots_used);
  IKET_POP(rec);
}

__device__ void ranges_of_one_scope(iket::recorder& rec, int value) {
  IKET_RANGE(rec, "outer", value);
  IKET_WAIT(rec, "inner");
#if !defined(__CUDACC_RTC__)
  // clang-format off
  IKET_RANGE(rec, "left", value); IKET_WAIT(rec, "right");
  // clang-format on
#endif
}

__device__ void every_payload(iket::recorder& rec, int value) {
  IKET_MARK(rec, "none");
  IKET_MARK(rec, "bool", value > 0);
  IKET_MARK(rec, "int", value);
  IKET_MARK(rec, "unsigned", static_cast<unsigned>(value));
  IKET_MARK(rec, "long", static_cast<long>(value));
  IKET_MARK(rec, "unsigned long", static_cast<unsigned long>(value));
  IKET_MARK(rec, "long long", static_cast<long long>(value));
  IKET_MARK(rec, "unsigned long long", static_cast<unsigned long long>(value));
  IKET_MARK(rec, "float", static_cast<float>(value));
  IKET_MARK(rec, "double", static_cast<double>(value));
}

__device__ void every_form(iket::recorder& rec, int value) {
  { IKET_RANGE(rec, "range"); }
  { IKET_RANGE(rec, "range with payload", value); }
  { IKET_WAIT(rec, "wait"); }
  { IKET_WAIT(rec, "wait with payload", value); }
  {
    IKET_RANGE(rec, "first of a scope");
    IKET_WAIT(rec, "second of a scope");
  }
  IKET_PUSH(rec, "push");
  IKET_PUSH(rec, "push with payload", value);
  IKET_PUSH_WAIT(rec, "push wait");
  IKET_PUSH_WAIT(rec, "push wait with payload", value);
  IKET_POP(rec);
  IKET_POP(rec);
  IKET_POP(rec);
  IKET_POP(rec);
  IKET_MARK(rec, "mark");
  IKET_MARK(rec, "mark with payload", value);

  // Two on one line, one as the body of a loop, and one beside another of the same name.
  // clang-format off
  IKET_MARK(rec, "left"); IKET_MARK(rec, "right");
  // clang-format on
  for (int i = 0; i < value; ++i) IKET_MARK(rec, "body", i);
  if (value > 1)
    IKET_MARK(rec, "then");
  else
    IKET_MARK(rec, "else");
  IKET_MARK(rec, "mark");
  IKET_MARK(rec, "a name with \"quotes\", a comma, a \\ and \u00b5s");
}

__global__ void kernel(float* out, int count, iket::tracer tracer) {
  iket::recorder rec(tracer);
  if (threadIdx.x / 32 == 0) {
    IKET_ROLE(rec, "producer");
  } else {
    IKET_ROLE(rec, "consumer");
  }
  every_form(rec, count);
  every_payload(rec, count);
  constant_payloads(rec);
  ranges_of_one_scope(rec, count);
  in_device_function(rec);
  in_template<true>(rec, count);
  in_template<false>(rec, 1.5);
  const auto in_lambda = [&](int value) {
    IKET_RANGE(rec, "in a lambda", value);
    return in_host_device_function(rec, value);
  };
  out[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)] = static_cast<float>(in_lambda(count));
  rec.close();
}

template <typename value_type>
__global__ void kernel_template(value_type* out, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_RANGE(rec, "in a kernel template");
  *out = value_type(threadIdx.x);
}
template __global__ void kernel_template<int>(int*, iket::tracer);
template __global__ void kernel_template<float>(float*, iket::tracer);

__global__ void untraced(float* out) {
  iket::recorder rec(iket::tracer{});
  IKET_RANGE(rec, "inert");
  *out = 1;
}

#if !defined(__CUDACC_RTC__)
void every_launch(float* out) {
  iket::session session;
  const dim3 grid_1d(2), block_1d(64);
  const dim3 grid_2d(2, 3), block_2d(32, 2);
  const dim3 grid_3d(2, 3, 4), block_3d(8, 8, 2);
  kernel<<<grid_1d, block_1d>>>(out, 1, session.trace("kernel", grid_1d, block_1d));
  kernel<<<grid_2d, block_2d>>>(out, 1, session.trace("kernel", grid_2d, block_2d));
  kernel<<<grid_3d, block_3d>>>(out, 1, session.trace("kernel", grid_3d, block_3d));
  kernel<<<1, 32>>>(out, 1, iket::tracer{});
  untraced<<<1, 32>>>(out);
  session.drain();
  session.write("trace.bin");
}
#endif
