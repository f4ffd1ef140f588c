// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// A selection takes the memory that was estimated, and where there is less, an even part of it is traced.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "sign_in.cuh"

using namespace iket::analysis;
using namespace gpu_test;

TEST_CASE("a launch takes the memory that was estimated: one byte less, and it is sampled") {
  const dim3 grid(10, 10), block(96);
  for (const std::uint32_t records : {2u, 16u, 64u, 1000u})
    for (const iket::cta_selection& ctas :
         {iket::ctas::all(), iket::ctas::every(3), iket::ctas::range(10, 61), iket::ctas::list({99, 3, 50, 49, 3})})
      for (const std::uint32_t mask : {iket::warps::all, 0b101u}) {
        INFO(records << " records, mask " << mask);
        iket::trace_options how;
        how.ctas = ctas;
        how.warps = mask;
        const iket::memory_estimate needed = iket::estimate_memory(grid, block, how, records);
        const cta_set selected = selected_ctas(how, grid);
        CHECK(needed.ctas_total == 100);
        CHECK(needed.ctas_traced == selected.size());
        CHECK(needed.warps_per_cta == (mask == iket::warps::all ? 3 : 2));

        const timeline whole = trace_in(needed.bytes, grid, block, how, records);
        CHECK_FALSE(whole.launches.at(0).over_limit);
        CHECK(whole.launches[0].bytes_needed == needed.bytes);
        check_places(whole.launches[0], selected, mask);

        const timeline sampled = trace_in(needed.bytes - 1, grid, block, how, records);
        CHECK(sampled.launches.at(0).over_limit);
        CHECK(sampled.launches[0].bytes_needed == needed.bytes);
        check_places(sampled.launches[0], selected_ctas(how, grid, 2), mask);
      }
}

TEST_CASE("launches that are drained together need the sum of their estimates") {
  iket::trace_options list, range;
  list.ctas = iket::ctas::list({5, 90, 17});
  range.ctas = iket::ctas::range(20, 30);
  range.records_per_warp = 512;
  const std::size_t limit =
      iket::estimate_memory(100, 64, list, 128).bytes + iket::estimate_memory(100, 64, range, 128).bytes;
  iket::session_options options = small_session(limit);
  options.records_per_warp = 128;
  iket::session session(options);
  for (int round = 0; round < 3; ++round) {
    sign_in<<<100, 64>>>(session.trace("list", 100, 64, list));
    sign_in<<<100, 64>>>(session.trace("range", 100, 64, range));
    session.drain();
  }
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK_FALSE(trace.launches[i].over_limit);
    check_places(trace.launches[i], selected_ctas(i % 2 == 0 ? list : range, 100), iket::warps::all);
  }
}

TEST_CASE("of a selection that needs too much memory, an evenly spaced part is traced") {
  const dim3 grid(50, 20), block(64);
  std::vector<std::uint32_t> primes;
  for (std::uint32_t i = 2; i < 1000; ++i) {
    const auto divides = [&](std::uint32_t prime) { return i % prime == 0; };
    if (std::none_of(primes.begin(), primes.end(), divides)) primes.push_back(i);
  }
  for (const iket::cta_selection& ctas : {iket::ctas::all(), iket::ctas::every(3), iket::ctas::range(100, 900),
                                          iket::ctas::list({primes.rbegin(), primes.rend()})}) {
    iket::trace_options how;
    how.ctas = ctas;
    const iket::memory_estimate needed = iket::estimate_memory(grid, block, how, 64);
    const auto selected = static_cast<std::uint32_t>(needed.ctas_traced);
    const std::uint32_t fitting = 60;
    const std::size_t left_out = std::size_t{selected - fitting} * needed.warps_per_cta * needed.bytes_per_warp;
    const timeline trace = trace_in(needed.bytes - left_out, grid, block, how, 64);
    const launch& launch = trace.launches.at(0);
    const std::uint32_t thinning = (selected + fitting - 1) / fitting;
    CHECK(launch.over_limit);
    CHECK(launch.cta_stride == thinning * ctas.stride);
    check_places(launch, selected_ctas(how, grid, thinning), iket::warps::all);
  }
}

TEST_CASE("of clusters that need too much memory, some are traced, and those whole") {
  if (!has_clusters()) return;
  iket::trace_options how;
  how.cluster = dim3(2, 2, 1);
  const dim3 grid(20, 10), block(64);
  for (const iket::cta_selection& ctas : {iket::ctas::all(), iket::ctas::every(2), iket::ctas::range(30, 170)}) {
    how.ctas = ctas;
    const std::size_t limit = iket::estimate_memory(grid, block, how, 64).bytes / 3;
    const timeline trace = trace_in(limit, grid, block, how, 64);
    const launch& launch = trace.launches.at(0);
    CHECK(launch.over_limit);
    CHECK(launch.ctas_traced > 0);
    check_places(launch, selected_ctas(how, grid, launch.cta_stride / ctas.stride), iket::warps::all);
  }
}

TEST_CASE("an estimate says what it counts") {
  CHECK(iket::estimate_memory(512, 288).text() == "512 of 512 CTAs x 9 warps x 8320 bytes = 36.6 MiB");
  iket::trace_options how;
  how.ctas = iket::ctas::every(4);
  how.warps = iket::warps::one_per_warpgroup;
  CHECK(iket::estimate_memory(10, 128, how, 100).text() == "3 of 10 CTAs x 1 warp x 1152 bytes = 0.0 MiB");
  how.records_per_warp = 1;
  CHECK(iket::estimate_memory(10, 256, how, 100).text() == "3 of 10 CTAs x 2 warps x 256 bytes = 0.0 MiB");
}
