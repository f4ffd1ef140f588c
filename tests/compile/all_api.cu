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

__device__ void every_counter(iket::recorder& rec, int value) {
  IKET_COUNTER(rec, "bool", value > 0);
  IKET_COUNTER(rec, "int", value);
  IKET_COUNTER(rec, "unsigned", static_cast<unsigned>(value));
  IKET_COUNTER(rec, "long", static_cast<long>(value));
  IKET_COUNTER(rec, "unsigned long", static_cast<unsigned long>(value));
  IKET_COUNTER(rec, "long long", static_cast<long long>(value));
  IKET_COUNTER(rec, "unsigned long long", static_cast<unsigned long long>(value));
  IKET_COUNTER(rec, "float", static_cast<float>(value));
  IKET_COUNTER(rec, "double", static_cast<double>(value));
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
  IKET_SYNC(rec);
  iket::token token = IKET_START(rec, "token");
  IKET_END(rec, token);
  token = IKET_START(rec, "token with payload", value);
  IKET_END(rec, token);
  token = IKET_START_WAIT(rec, "wait token");
  IKET_END(rec, token);
  token = IKET_START_WAIT(rec, "wait token with payload", value);
  IKET_END(rec, token);
  IKET_ROLE(rec, "role");

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

__device__ void every_conditional_form(iket::recorder& rec, int value) {
  const bool odd = value % 2 != 0;
  { IKET_RANGE_IF(rec, odd, "range"); }
  { IKET_RANGE_IF(rec, odd, "range with payload", value); }
  { IKET_WAIT_IF(rec, odd, "wait"); }
  { IKET_WAIT_IF(rec, odd, "wait with payload", value); }
  IKET_PUSH_IF(rec, odd, "push");
  IKET_PUSH_IF(rec, odd, "push with payload", value);
  IKET_PUSH_WAIT_IF(rec, odd, "push wait");
  IKET_PUSH_WAIT_IF(rec, odd, "push wait with payload", value);
  IKET_POP_IF(rec, odd);
  IKET_POP_IF(rec, odd);
  IKET_POP_IF(rec, odd);
  IKET_POP_IF(rec, odd);
  IKET_MARK_IF(rec, odd, "mark");
  IKET_MARK_IF(rec, odd && value > 7, "mark with payload", value);
  IKET_MARK_IF(rec, true, "always");
  IKET_MARK_IF(rec, false, "never");
  IKET_COUNTER_IF(rec, odd, "counter", value);
  IKET_COUNTER_IF(rec, odd, "counter", 0.5);
  IKET_SYNC_IF(rec, odd);
  iket::token token = IKET_START_IF(rec, odd, "token");
  IKET_END_IF(rec, odd, token);
  token = IKET_START_IF(rec, odd, "token with payload", value);
  IKET_END(rec, token);
  token = IKET_START_WAIT_IF(rec, odd, "wait token");
  IKET_END_IF(rec, value > 3, token);
  token = IKET_START_WAIT_IF(rec, odd, "wait token with payload", value);
  IKET_END(rec, token);
  IKET_ROLE_IF(rec, odd, "role");
}

struct in_flight {
  iket::token load;
  int number;
};

__device__ void start(iket::recorder& rec, in_flight& slot, int number) {
  slot = {IKET_START(rec, "load", number), number};
}

// Tokens in variables, arrays, structs and returns, across iterations and branches, and the sentinel.
__device__ iket::token every_token(iket::recorder& rec, int value) {
  iket::token previous;
  for (int i = 0; i < value; ++i) {
    const iket::token next = IKET_START(rec, "iteration", i);
    IKET_END(rec, previous);
    previous = next;
  }
  IKET_END(rec, previous);

  iket::token slots[3];
  for (int i = 0; i < value; ++i) {
    IKET_END(rec, slots[i % 3]);
    slots[i % 3] = IKET_START_WAIT(rec, "slot", i);
  }
#pragma unroll
  for (const iket::token& slot : slots) IKET_END(rec, slot);

  in_flight loads[2] = {};
  for (int i = 0; i < value; ++i) {
    start(rec, loads[i & 1], i);
    if (loads[~i & 1].number > 5)
      IKET_END(rec, loads[~i & 1].load);
    else
      IKET_END_IF(rec, i > 2, loads[~i & 1].load);
  }
  auto deduced = IKET_START(rec, "deduced");
  IKET_END(rec, value > 4 ? deduced : iket::token{});
  IKET_END(rec, IKET_START(rec, "at once"));
  IKET_END(rec, iket::token{});
  return IKET_START(rec, "returned");
}

__global__ void kernel(float* out, int count, iket::tracer tracer) {
  iket::recorder rec(tracer);
  if (threadIdx.x / 32 == 0) {
    IKET_ROLE(rec, "producer");
  } else {
    IKET_ROLE(rec, "consumer");
  }
  every_form(rec, count);
  every_conditional_form(rec, count);
  every_payload(rec, count);
  every_counter(rec, count);
  const iket::token whole = every_token(rec, count);
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
  IKET_END(rec, whole);
  rec.close();
}

// A recorder for some of the warps, one of a lane, one that closes early and one that is left by a return.
__global__ void recorders(float* out, int count, iket::tracer tracer) {
  iket::recorder rec(tracer, threadIdx.x / 32 != 1);
  IKET_RANGE(rec, "some warps");
  if (count == 3) return;
  rec.close();
  rec.close();
  IKET_MARK(rec, "behind the close");
  if (threadIdx.x == 64) {
    iket::recorder lane(tracer, count > 0);
    IKET_MARK(lane, "one lane");
  }
  *out = 1;
}

__constant__ iket::tracer constant_tracer;

__global__ void without_parameter(float* out) {
  iket::recorder rec(constant_tracer);
  IKET_RANGE(rec, "tracer in constant memory");
  *out = 2;
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
iket::trace_options every_option(cudaStream_t stream) {
  iket::trace_options options;
  options.stream = stream;
  options.records_per_warp = 64;
  options.when_over_limit = iket::over_limit::fail;
  options.ctas = iket::ctas::every(2);
  options.ctas = iket::ctas::range(0, 8);
  options.ctas = iket::ctas::list({0, 3});
  options.warps = iket::warps::one_per_warpgroup;
  options.cluster = {2, 1, 1};
  return options;
}

void every_launch(float* out, cudaStream_t stream) {
  iket::session_options of_session;
  of_session.records_per_warp = 256;
  iket::session session(of_session);
  const dim3 grid_1d(2), block_1d(64);
  const dim3 grid_2d(2, 3), block_2d(32, 2);
  const dim3 grid_3d(2, 3, 4), block_3d(8, 8, 2);
  kernel<<<grid_1d, block_1d>>>(out, 1, session.trace("kernel", grid_1d, block_1d));
  kernel<<<grid_2d, block_2d>>>(out, 1, session.trace("kernel", grid_2d, block_2d));
  kernel<<<grid_3d, block_3d, 0, stream>>>(out, 1, session.trace("kernel", grid_3d, block_3d, every_option(stream)));
  kernel<<<1, 32>>>(out, 1, iket::tracer{});
  untraced<<<1, 32>>>(out);
  recorders<<<1, 96>>>(out, 1, session.trace("recorders", 1, 96));
  const iket::tracer copied = session.trace("without_parameter", 1, 32);
  cudaMemcpyToSymbolAsync(constant_tracer, &copied, sizeof(copied), 0, cudaMemcpyHostToDevice, stream);
  without_parameter<<<1, 32, 0, stream>>>(out);

  cudaLaunchConfig_t config{};
  config.gridDim = grid_1d;
  config.blockDim = block_1d;
  iket::launch(session, "kernel", config, kernel, out, 1);
  iket::launch(session, "kernel", config, every_option(stream), kernel, out, 1);
  iket::launch(session, "kernel_template", config, kernel_template<int>, nullptr);
  session.drain();
  session.write(iket::estimate_memory(grid_1d, block_1d).text());
}
#endif
