// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// What a launch takes, and how that fits into what is left. Needs the CUDA headers, and neither nvcc nor a GPU.
#include <iket/detail/launch_plan.hpp>

#include <cstdint>
#include <random>
#include <string>

#include <iket/memory_estimate.hpp>

#include "catch.hpp"

using namespace iket;

namespace {

trace_options with_cluster(unsigned x, unsigned y, unsigned z) {
  trace_options options;
  options.cluster = {x, y, z};
  return options;
}

}  // namespace

TEST_CASE("rings have the next power of two of records") {
  CHECK(detail::checked_capacity(1) == 1);
  CHECK(detail::checked_capacity(2) == 2);
  CHECK(detail::checked_capacity(1000) == 1024);
  CHECK(detail::checked_capacity(1u << 27) == 1u << 27);
  CHECK_THROWS_AS(detail::checked_capacity(0), error);
  CHECK_THROWS_AS(detail::checked_capacity((1u << 27) + 1), error);
  CHECK_THROWS_AS(detail::checked_capacity(~0u), error);
}

TEST_CASE("launches that no GPU takes are refused") {
  const trace_options options;
  const auto plan = [&](dim3 grid, dim3 block) { return detail::plan_launch(grid, block, options, 1024); };
  CHECK_THROWS_AS(plan({0, 1, 1}, {32, 1, 1}), error);
  CHECK_THROWS_AS(plan({1, 1, 0}, {32, 1, 1}), error);
  CHECK_THROWS_AS(plan({1, 1, 1}, {32, 0, 1}), error);
  CHECK_THROWS_AS(plan({1, 1, 1}, {1025, 1, 1}), error);
  CHECK_THROWS_AS(plan({1, 1, 1}, {32, 32, 2}), error);
  CHECK_THROWS_AS(plan({1u << 31, 1, 1}, {32, 1, 1}), error);
  CHECK_THROWS_AS(plan({1u << 16, 1u << 16, 1}, {32, 1, 1}), error);
  CHECK_THROWS_AS(plan({~0u, ~0u, ~0u}, {32, 1, 1}), error);
  CHECK(plan({(1u << 31) - 1, 1, 1}, {32, 32, 1}).warps == 32);
  CHECK_THROWS_AS(detail::plan_launch({4, 1, 1}, {32, 1, 1}, with_cluster(3, 1, 1), 1024), error);
  CHECK_THROWS_AS(detail::plan_launch({4, 1, 1}, {32, 1, 1}, with_cluster(0, 1, 1), 1024), error);
}

TEST_CASE("a mask of warps counts those that a CTA has, of which there is one at least") {
  trace_options options;
  options.warps = warps::one_per_warpgroup;
  CHECK(detail::plan_launch({1, 1, 1}, {384, 1, 1}, options, 1024).traced_warps() == 3);
  CHECK(detail::plan_launch({1, 1, 1}, {1, 1, 1}, options, 1024).traced_warps() == 1);
  CHECK(detail::plan_launch({1, 1, 1}, {1024, 1, 1}, options, 1024).traced_warps() == 8);
  options.warps = 0x10;
  CHECK(detail::plan_launch({1, 1, 1}, {129, 1, 1}, options, 1024).warp_mask == 0x10);
  CHECK_THROWS_AS(detail::plan_launch({1, 1, 1}, {128, 1, 1}, options, 1024), error);
}

TEST_CASE("an estimate is what the session takes, and says so in a line") {
  const memory_estimate all = estimate_memory({512, 1, 1}, {288, 1, 1});
  CHECK(all.bytes_per_warp == 1024 * 8 + 128);
  CHECK(all.bytes >= std::uint64_t{512} * 9 * all.bytes_per_warp);
  CHECK(all.text() == "512 of 512 CTAs x 9 warps x 8320 bytes = 36.6 MiB");
  CHECK(all.bytes == detail::plan_launch({512, 1, 1}, {288, 1, 1}, {}, 1024).bytes());

  trace_options options;
  options.ctas = ctas::every(8);
  options.warps = 1;
  options.records_per_warp = 100;
  const memory_estimate some = estimate_memory({8, 8, 8}, {288, 1, 1}, options, 4096);
  CHECK(some.ctas_total == 512);
  CHECK(some.ctas_traced == 64);
  CHECK(some.bytes_per_warp == 128 * 8 + 128);
  CHECK(some.text().find("64 of 512 CTAs x 1 warp x 1152 bytes = ") == 0);

  options.cluster = {2, 2, 1};
  CHECK(estimate_memory({8, 8, 8}, {288, 1, 1}, options).ctas_traced == 64);
  options.ctas = ctas::list({0, 9, 511});
  CHECK(estimate_memory({8, 8, 8}, {288, 1, 1}, options).ctas_traced == 8);
}

TEST_CASE("a replayable tracer takes the memory of its launches, and a word a warp") {
  trace_options options;
  const detail::launch_plan once = detail::plan_launch({16, 1, 1}, {96, 1, 1}, options, 64);
  CHECK_FALSE(once.replayable());
  options.regions = 10;
  const detail::launch_plan plan = detail::plan_launch({16, 1, 1}, {96, 1, 1}, options, 64);
  CHECK(plan.replayable());
  CHECK(plan.slot_count() == 48);
  CHECK(plan.all_slots() == 480);
  CHECK(plan.head_bytes() == sizeof(detail::launch_head) + 4 * 48);
  CHECK(plan.bytes() == once.bytes() + 9 * 48 * detail::slot_bytes(64) + 4 * 48 + 2 * detail::piece_bytes);
  CHECK(estimate_memory({16, 1, 1}, {96, 1, 1}, options, 64)
            .text()
            .find("16 of 16 CTAs x 3 warps x 640 bytes x 10 launches = ") == 0);
  for (const std::uint32_t wrong : {0u, (1u << 24) + 1, ~0u}) {
    options.regions = wrong;
    CHECK_THROWS_AS(detail::plan_launch({16, 1, 1}, {96, 1, 1}, options, 64), error);
  }
}

TEST_CASE("a launch that is too large is thinned out until it fits, in whole clusters") {
  std::mt19937 random(4);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random()) % n; };
  for (int trial = 0; trial < 3000; ++trial) {
    trace_options options = with_cluster(1u << below(2), 1u << below(2), 1);
    const dim3 grid(options.cluster.x * (1 + below(20)), options.cluster.y * (1 + below(20)), 1 + below(3));
    if (trial % 2 == 0) options.ctas = ctas::every(1 + below(5));
    if (trial % 5 == 0) options.regions = 1 + below(20);
    if (trial % 3 == 0) options.ctas = ctas::range(0, 1 + below(grid.x * grid.y * grid.z));
    const dim3 block(32 * (1 + below(4)));
    detail::launch_plan plan = detail::plan_launch(grid, block, options, 16u << below(4));
    const std::uint64_t whole = plan.bytes();
    const std::uint32_t selected = plan.selection.ctas();
    const std::uint64_t available = random() % (whole + whole / 4);
    CAPTURE(grid.x, grid.y, grid.z, options.cluster.x, options.cluster.y, available, whole);

    const bool fits = plan.shrink_to(available);
    REQUIRE(plan.sampled == (available < whole));
    if (!plan.sampled) {
      REQUIRE(plan.selection.ctas() == selected);
    } else if (fits) {
      REQUIRE(plan.bytes() <= available);
      REQUIRE(plan.selection.ctas() < selected);
      REQUIRE(plan.selection.ctas() % plan.cluster.count() == 0);
      REQUIRE(plan.selection.stride > 1);
    } else {
      // Less than the fixed part and a few clusters: one that is thinned to a single cluster would take this.
      REQUIRE(available < whole);
      const std::uint64_t launches = plan.replayable() ? plan.regions : 1;
      REQUIRE(available <
              4096 + 8 * detail::ring_stride(plan.capacity) +
                  plan.cluster.count() * plan.traced_warps() * (4 + launches * detail::slot_bytes(plan.capacity)));
    }
  }
}
