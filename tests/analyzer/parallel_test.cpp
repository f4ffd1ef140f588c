// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <catch.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/analyzer/large_trace.hpp"
#include "build_timeline.hpp"
#include "chrome_trace.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "synthetic.hpp"
#include "trace_reader.hpp"

using namespace iket::analysis;
using iket::record_kind;

namespace {

/// Holds the number of threads while it lives.
struct thread_count {
  explicit thread_count(unsigned count) { limit_threads(count); }
  thread_count(const thread_count&) = delete;
  thread_count& operator=(const thread_count&) = delete;
  ~thread_count() { limit_threads(0); }
};

/// All that the program writes of a file.
std::string outputs_of(const std::string& bytes, unsigned threads) {
  const thread_count held(threads);
  const std::variant<trace_view, read_error> read = read_trace(synthetic::bytes_of(bytes));
  REQUIRE(std::holds_alternative<trace_view>(read));
  const timeline trace = build_timeline(std::get<trace_view>(read), "trace.bin");
  std::string text = report_json(make_report(trace));
  write_chrome_trace(trace,
                     [&](const void* data, std::size_t size) { text.append(static_cast<const char*>(data), size); });
  return text;
}

/// Warps that record at sites which are in no table, and use others as what they are not, each block another one first.
std::string with_unknown_sites(std::uint64_t seed) {
  synthetic::trace trace;
  const std::uint32_t work = trace.site(iket::site_kind::work, "work");
  const std::uint32_t mark = trace.site(iket::site_kind::mark, "mark");
  synthetic::random_numbers random(seed);
  for (int launch = 0; launch < 3; ++launch) {
    std::vector<synthetic::warp> warps;
    for (std::uint32_t cta = 0; cta < 40; ++cta) {
      synthetic::warp warp;
      warp.cta = cta;
      warp.sm = cta % 4;
      if (random.below(4) == 0) warp.role = random.below(2) == 0 ? mark : synthetic::site_bits(20);
      std::uint64_t now = warp.open.cycles;
      for (int i = 0; i < 900; ++i) {
        const bool is_known = cta % 3 != 0 || random.below(50) != 0;
        const auto unknown = synthetic::site_bits(static_cast<std::uint32_t>(2 + random.below(6)));
        const std::uint32_t site = is_known ? work : random.below(2) == 0 ? unknown : mark;
        warp.log.event(record_kind::range_begin, site, now += 10);
        if (random.below(30) == 0) warp.log.event(record_kind::mark, site, now += 10);
        if (random.below(30) != 0) warp.log.event(record_kind::range_end, site, now += 10);
      }
      warps.push_back(std::move(warp));
    }
    trace.launch("kernel", 40, 1, 1024, warps);
  }
  return trace.bytes();
}

}  // namespace

TEST_CASE("Every job runs once, and no two at a time on one thread") {
  for (const unsigned threads : {1u, 2u, 7u}) {
    const thread_count held(threads);
    for (const std::size_t count : {0u, 1u, 2u, 1000u}) {
      std::vector<std::atomic<int>> runs(count);
      std::vector<std::atomic<int>> busy(threads_for(count));
      std::atomic<int> overlaps{0};
      for_each_job(count, [&](std::size_t number, unsigned thread) {
        overlaps += busy.at(thread)++;
        ++runs[number];
        --busy[thread];
      });
      CHECK(std::all_of(runs.begin(), runs.end(), [](const std::atomic<int>& run) { return run == 1; }));
      CHECK(overlaps == 0);
    }
  }
}

TEST_CASE("There are as many threads as jobs at most, and one at least") {
  const thread_count held(4);
  CHECK(threads_for(0) == 1);
  CHECK(threads_for(3) == 3);
  CHECK(threads_for(1000) == 4);
  limit_threads(0);
  CHECK(threads_for(1) == 1);
  CHECK(threads_for(1'000'000) >= 1);
}

TEST_CASE("What a job throws comes out, and the jobs that run end first") {
  for (const unsigned threads : {1u, 3u}) {
    const thread_count held(threads);
    std::atomic<int> running{0};
    const auto job = [&](std::size_t number, unsigned) {
      ++running;
      const bool fails = number >= 5;
      --running;
      if (fails) throw std::runtime_error("job " + std::to_string(number));
    };
    CHECK_THROWS_AS(for_each_job(100, job), std::runtime_error);
    CHECK(running == 0);
  }
  const thread_count one(1);
  CHECK_THROWS_WITH(
      for_each_job(100, [](std::size_t number, unsigned) { throw std::runtime_error(std::to_string(number)); }), "0");
}

TEST_CASE("Outputs do not depend on the number of threads") {
  std::string large;
  iket::bench::write_large_trace({.records = 500'000}, [&](const void* data, std::size_t size) {
    large.append(static_cast<const char*>(data), size);
  });
  CHECK(outputs_of(large, 1) == outputs_of(large, 2));
  CHECK(outputs_of(large, 1) == outputs_of(large, 5));
}

TEST_CASE("Sites that no table has get the same places on any number of threads") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::string bytes = with_unknown_sites(seed);
    const std::string alone = outputs_of(bytes, 1);
    CHECK(alone.find("site 0x7f") != std::string::npos);
    CHECK(alone == outputs_of(bytes, 2));
    CHECK(alone == outputs_of(bytes, 5));
  }
}
