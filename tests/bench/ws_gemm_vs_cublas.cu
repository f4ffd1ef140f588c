// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Is the matrix multiplication of examples/ws_gemm worth tracing? Its rate, untraced, beside cuBLAS's.
///
/// 4096^3, fp16 in and out, fp32 accumulation, random data. The two take turns, over several sets of matrices, so that
/// clocks and caches treat them alike. Fails below half of cuBLAS's rate, or where either result is wrong.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../examples/ws_gemm/check.hpp"
#include "../../examples/ws_gemm/device_array.hpp"
#include "../../examples/ws_gemm/gemm.hpp"
#include "../../examples/ws_gemm/reference.cuh"
#include "../../examples/ws_gemm/timing.hpp"

namespace {

using namespace ws_gemm;

constexpr problem size{4096, 4096, 4096};
constexpr int sets = 3;  // of 96 MiB each: more than an L2 holds
constexpr int warm_up_rounds = 5, timed_rounds = 30;
constexpr double least_ratio = 0.5;

void check_cublas(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

class cublas {
 public:
  cublas() { check_cublas(cublasCreate(&handle_)); }
  ~cublas() { cublasDestroy(handle_); }
  cublas(const cublas&) = delete;
  cublas& operator=(const cublas&) = delete;

  /// The product that `gemm` makes. cuBLAS is column-major: to it this is C^T = B * A^T, with B stored transposed.
  void multiply(const __half* a, const __half* b, __half* c) const {
    const float one = 1, zero = 0;
    check_cublas(cublasGemmEx(handle_, CUBLAS_OP_T, CUBLAS_OP_N, size.n, size.m, size.k, &one, b, CUDA_R_16F, size.k, a,
                              CUDA_R_16F, size.k, &zero, c, CUDA_R_16F, size.n, CUBLAS_COMPUTE_32F,
                              CUBLAS_GEMM_DEFAULT));
  }

 private:
  cublasHandle_t handle_ = nullptr;
};

struct matrices {
  explicit matrices(std::uint32_t seed)
      : a(static_cast<std::size_t>(size.m) * size.k),
        b(static_cast<std::size_t>(size.n) * size.k),
        c(static_cast<std::size_t>(size.m) * size.n),
        product(size, a.get(), b.get(), c.get(), max_depth) {
    fill_random(a, 2 * seed);
    fill_random(b, 2 * seed + 1);
  }

  device_array<__half> a, b, c;
  gemm product;
};

/// Runs `multiply` into a poisoned C and compares every element.
template <typename Multiply>
bool is_right(const char* which, const matrices& set, const device_array<float>& reference, const Multiply& multiply) {
  set.c.poison();
  multiply();
  const deviation found = compare(size, set.c, reference);
  if (!found.is_rounding()) {
    std::printf("%s is WRONG: error %.3g of the norm, %llu elements\n", which, found.relative_error(), found.wrong);
  }
  return found.is_rounding();
}

void print_row(const char* which, double time_ms) {
  const double operations = 2.0 * size.m * size.n * size.k;
  std::printf("%-20s %10.4f %10.1f\n", which, time_ms, operations / time_ms * 1e-9);
}

bool run() {
  require_device();
  const cublas library;
  std::vector<std::unique_ptr<matrices>> all;
  for (std::uint32_t seed = 0; seed < sets; ++seed) all.push_back(std::make_unique<matrices>(seed));

  stopwatch ours(timed_rounds), theirs(timed_rounds);
  for (int round = 0; round < warm_up_rounds + timed_rounds; ++round) {
    const matrices& set = *all[static_cast<std::size_t>(round % sets)];
    const auto launch = [&] { set.product.launch(); };
    const auto call = [&] { library.multiply(set.a.get(), set.b.get(), set.c.get()); };
    if (round < warm_up_rounds) {
      launch();
      call();
    } else {
      ours.time(launch);
      theirs.time(call);
    }
  }
  const float ours_ms = ours.median_ms(), theirs_ms = theirs.median_ms();
  const double ratio = static_cast<double>(theirs_ms) / ours_ms;

  const matrices& set = *all.front();
  const device_array<float> reference(set.c.size());
  reference_multiply(size, set.a.get(), set.b.get(), reference.get());
  bool right = is_right("ws_gemm", set, reference, [&] { set.product.launch(); });
  right = is_right("cuBLAS", set, reference, [&] { library.multiply(set.a.get(), set.b.get(), set.c.get()); }) && right;

  std::printf("%dx%dx%d, fp16, medians of %d launches; kernel %s, depth %d\n\n", size.m, size.n, size.k, timed_rounds,
              set.product.shape().name, max_depth);
  std::printf("%-20s %10s %10s\n", "", "ms", "TFLOP/s");
  print_row("ws_gemm", ours_ms);
  print_row("cuBLAS", theirs_ms);
  std::printf("\nratio of rates %.3f (at least %.2f)\n", ratio, least_ratio);
  return right && ratio >= least_ratio;
}

}  // namespace

int main() {
  try {
    return run() ? 0 : 1;
  } catch (const unsupported_device& error) {
    std::fprintf(stderr, "ws_gemm_vs_cublas: skipped: %s\n", error.what());
    return 77;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ws_gemm_vs_cublas: %s\n", error.what());
    return 1;
  }
}
