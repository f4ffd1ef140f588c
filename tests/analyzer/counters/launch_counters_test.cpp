// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/launch_counters.hpp"

#include "catch.hpp"
#include "made_counters.hpp"

namespace {

using namespace iket::analysis;
using namespace iket::analysis::counters;

}  // namespace

TEST_CASE("values of a part are found by their column") {
  const launch_counters of = iket::test::made_counters();
  CHECK(of.column("samples") == 0);
  CHECK(of.column("l2_sectors_local") == 5);
  CHECK(!of.column("l2_sectors_global"));
  CHECK(of.value(of.shared, "instructions") == 100'000);
  CHECK(of.value(of.shared, "l2_sectors_global") == 0);
  CHECK(of.value({1, 2}, "instructions") == 0);
}

TEST_CASE("a figure is found by its key, and none is no 0") {
  const launch_counters of = iket::test::made_counters();
  CHECK(of.figure("dram_throughput_percent") == 12.5);
  CHECK(!of.figure("stalled_barrier"));
}

TEST_CASE("recording, outside and unknown are what no stage has, and add up with the rest to the sums") {
  const launch_counters of = iket::test::made_counters();
  CHECK(of.unattributed() == column_values{12, 1, 5, 6, 200'000, 3});
  column_values total = of.unattributed();
  for (std::size_t i = 0; i < total.size(); ++i) {
    total[i] += of.shared[i];
    for (const stage_counters& stage : of.stages) total[i] += stage.values[i];
  }
  CHECK(total == of.sums);
}

TEST_CASE("parts of a launch without a page of its source have nothing unattributed") {
  launch_counters of;
  CHECK(of.unattributed().empty());
  of.columns = {"samples", "instructions"};
  of.outside = {5};
  CHECK(of.unattributed() == column_values{5, 0});
}

TEST_CASE("a stage is found by its name and kind") {
  const launch_counters of = iket::test::made_counters();
  REQUIRE(of.find("sync", stage_kind::wait) != nullptr);
  CHECK(of.find("sync", stage_kind::wait)->values.at(0) == 30);
  CHECK(of.find("sync", stage_kind::work)->values.at(0) == 10);
  CHECK(of.find("load", stage_kind::wait) == nullptr);
}
