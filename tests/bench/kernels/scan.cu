// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "scan.cuh"

#include <memory>

#include "numbers.cuh"
#include "workloads.hpp"

namespace bench::BENCH_VARIANT {
namespace scan {
namespace {

constexpr int tiles = 32768;
constexpr std::size_t items = static_cast<std::size_t>(tiles) * tile_items;  // 512 MiB, more than an L2 holds

/// Results are right if each is that before it and one more item.
__global__ void check_kernel(const unsigned* in, const unsigned* out, unsigned* wrong) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < items; i += step) {
    const unsigned before = i == 0 ? 0 : out[i - 1];
    if (out[i] - before != in[i]) atomicAdd(wrong, 1U);
  }
}

class scan_workload final : public workload {
 public:
  explicit scan_workload(device_pool& pool)
      : pool_(pool),
        in_(pool.array<unsigned>("in", items)),
        out_(pool.array<unsigned>("out", items)),
        // What launches leave behind for one another is each variant's own, since each counts its own launches.
        statuses_(pool.array<tile_status>(IKET_ENABLED ? "statuses, traced" : "statuses, untraced", tiles)),
        next_tile_(pool.array<unsigned>(IKET_ENABLED ? "next tile, traced" : "next tile, untraced", 1)),
        grid_(static_cast<unsigned>(sm_count() * ctas_per_sm)) {
    fill_random(in_, items, 1);
  }

  [[nodiscard]] dim3 grid() const override { return grid_; }
  [[nodiscard]] dim3 block() const override { return threads; }
  [[nodiscard]] std::uint32_t records_per_warp() const override {
    // Up to 14 a tile; CTAs draw as many tiles as they get to, so leave room for twice the mean.
    return 14 * 2 * ((static_cast<std::uint32_t>(tiles) + grid_.x - 1) / grid_.x);
  }

  void launch(iket::tracer tracer) override {
    const unsigned first_ticket = launches_ * (tiles + grid_.x);
    ++launches_;
    scan_kernel<<<grid(), block()>>>(reinterpret_cast<const uint4*>(in_), reinterpret_cast<uint4*>(out_), tiles,
                                     statuses_, next_tile_, first_ticket, launches_, tracer);
    BENCH_CHECK(cudaGetLastError());
  }

  void poison() override { BENCH_CHECK(cudaMemset(out_, 0xff, items * sizeof(unsigned))); }

  [[nodiscard]] bool is_right() override {
    return counts_nothing(pool_, [&](unsigned* wrong) { check_kernel<<<1024, 256>>>(in_, out_, wrong); });
  }

 private:
  device_pool& pool_;
  unsigned *in_, *out_;
  tile_status* statuses_;
  unsigned* next_tile_;
  dim3 grid_;
  unsigned launches_ = 0;
};

}  // namespace
}  // namespace scan

std::unique_ptr<workload> make_scan(device_pool& pool) { return std::make_unique<scan::scan_workload>(pool); }

}  // namespace bench::BENCH_VARIANT
