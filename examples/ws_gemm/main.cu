// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A warp-specialised matrix multiplication on tensor cores, timed, checked and traced. The trace shows what the depth
/// of its pipeline does: at --depth 1 copies and multiplications take turns, at --depth 4 the copies hide.
#include <cuda_fp16.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iket/iket.cuh>
#include <stdexcept>

#include "check.hpp"
#include "device_array.hpp"
#include "gemm.hpp"
#include "options.hpp"
#include "reference.cuh"
#include "timing.hpp"

namespace {

using namespace ws_gemm;

enum exit_code { passed = 0, failed = 1, wrong_usage = 2, skipped = 77 };

constexpr int warm_up_launches = 3;

/// Inputs, what the result should be, and room for two: what the traced launch writes is its own.
struct matrices {
  explicit matrices(problem size)
      : a(static_cast<std::size_t>(size.m) * size.k),
        b(static_cast<std::size_t>(size.n) * size.k),
        reference(static_cast<std::size_t>(size.m) * size.n),
        result(reference.size()),
        traced_result(reference.size()) {
    fill_random(a, 1);
    fill_random(b, 2);
    reference_multiply(size, a.get(), b.get(), reference.get());
    result.poison();
    traced_result.poison();
    WS_GEMM_CHECK(cudaDeviceSynchronize());
  }

  device_array<__half> a, b;
  device_array<float> reference;
  device_array<__half> result, traced_result;
};

void print_setup(const gemm& product, const options& chosen) {
  cudaDeviceProp device{};
  WS_GEMM_CHECK(cudaGetDeviceProperties(&device, 0));
  const kernel_shape& shape = product.shape();
  std::printf("device    %s, sm_%d%d\n", device.name, device.major, device.minor);
  std::printf("kernel    %s, tile %dx%dx%d, %u CTAs of %d threads\n", shape.name, shape.tile_m, shape.tile_n,
              shape.tile_k, product.grid().x, shape.threads);
  std::printf("size      %dx%dx%d\n", chosen.size.m, chosen.size.n, chosen.size.k);
  std::printf("depth     %d (%d bytes of shared memory)\n", chosen.depth, product.shared_bytes());
}

void print_time(const char* which, const gemm& product, float time_ms) {
  std::printf("%-9s %.4f ms, %.1f TFLOP/s\n", which, time_ms, product.floating_point_operations() / time_ms * 1e-9);
}

/// The median. [ms]
float time_untraced(const gemm& product, int repeat) {
  for (int i = 0; i < warm_up_launches; ++i) product.launch();
  stopwatch watch(repeat);
  for (int i = 0; i < repeat; ++i) watch.time([&] { product.launch(); });
  return watch.median_ms();
}

iket::session_options session_options_of(const options& chosen) {
  iket::session_options session_options;
  if (chosen.records_per_warp != 0) session_options.records_per_warp = chosen.records_per_warp;
  if (chosen.memory_limit_bytes != 0) session_options.memory_limit = chosen.memory_limit_bytes;
  return session_options;
}

iket::trace_options trace_options_of(const gemm& product) {
  iket::trace_options trace_options;
  trace_options.warps = product.shape().warps;  // idle ones take no memory
  return trace_options;
}

/// One launch, traced, right behind others that are not: it finds the GPU as they do. [ms]
float time_traced(const gemm& traced, const gemm& untraced, const options& chosen) {
  iket::session session(session_options_of(chosen));
  stopwatch watch(1);
  for (int i = 0; i < warm_up_launches; ++i) untraced.launch();
  watch.time([&] { traced.launch(session, trace_options_of(traced)); });
  const float time_ms = watch.median_ms();
  session.write(chosen.trace_file);
  return time_ms;
}

/// A launch that never ends, watched: the watchdog writes the trace and ends the process while this waits.
void hang(const gemm& product, const options& chosen) {
  using namespace std::chrono_literals;
  iket::session session(session_options_of(chosen));
  const iket::watchdog watchdog(session, 2s, chosen.trace_file, iket::after_hang::exit_process);
  product.launch_hanging(session.trace("ws_gemm", product.grid(), product.block(), trace_options_of(product)));
  std::printf("hanging   the watchdog writes %s\n", chosen.trace_file.c_str());
  static_cast<void>(std::fflush(stdout));  // the watchdog does not
  session.drain();
}

/// Says how far the result is from the reference. True if no further than rounding takes it.
bool report_result(const char* which, const options& chosen, const matrices& data, const device_array<__half>& result) {
  const deviation found = compare(chosen.size, result, data.reference);
  std::printf("%-9s error %.3g of the norm (limit %.3g), the worst element at %.3g of its limit\n", which,
              found.relative_error(), norm_tolerance, found.worst());
  if (found.wrong != 0) {
    const auto columns = static_cast<unsigned long long>(chosen.size.n);
    std::printf("%-9s %llu of %zu elements are wrong, the first in row %llu, column %llu\n", which, found.wrong,
                result.size(), found.first_wrong / columns, found.first_wrong % columns);
  }
  return found.is_rounding();
}

int run(const options& chosen) {
  require_device();
  gemm::require_size(chosen.size);
  matrices data(chosen.size);
  const gemm untraced(chosen.size, data.a.get(), data.b.get(), data.result.get(), chosen.depth);
  const gemm traced(chosen.size, data.a.get(), data.b.get(), data.traced_result.get(), chosen.depth);
  print_setup(untraced, chosen);
  if (chosen.hang) {
    hang(traced, chosen);
    return failed;  // as it has ended
  }

  const float untraced_ms = time_untraced(untraced, chosen.repeat);
  print_time("untraced", untraced, untraced_ms);
  bool right = report_result("untraced", chosen, data, data.result);

  if (chosen.trace) {
    const float traced_ms = time_traced(traced, untraced, chosen);
    print_time("traced", traced, traced_ms);
    right = report_result("traced", chosen, data, data.traced_result) && right;
    std::printf("overhead  %+.1f %%\n", 100.0 * (traced_ms / untraced_ms - 1));
    std::printf("trace     %s\n", chosen.trace_file.c_str());
  }
  std::printf("result: %s\n", right ? "ok" : "WRONG");
  return right ? passed : failed;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const options chosen = parse_options(argc, argv);
    if (!chosen.help) return run(chosen);
    std::fputs(usage, stdout);
    return passed;
  } catch (const usage_error& error) {
    std::fprintf(stderr, "ws_gemm: %s\n%s", error.what(), usage);
    return wrong_usage;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "ws_gemm: %s\n", error.what());
    return wrong_usage;
  } catch (const unsupported_device& error) {
    std::fprintf(stderr, "ws_gemm: skipped: %s\n", error.what());
    return skipped;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ws_gemm: %s\n", error.what());
    return failed;
  }
}
