// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// How launches follow each other.
#include "launch_sequence.hpp"

#include "catch.hpp"
#include "hand_made.hpp"
#include "launch_group.hpp"

using namespace iket::test;

namespace {

hand_made& from_to(hand_made& made, const std::string& kernel, picoseconds begin, picoseconds end) {
  return made.launch(kernel, 1, 1).warp(0, 0, "", begin, end);
}

launch_sequence sequence_of_group(const timeline& source, std::size_t group) {
  return launch_order(source).sequence_of(group_launches(source).at(group));
}

}  // namespace

TEST_CASE("a launch overlaps what began before it, or leaves a gap") {
  hand_made made;
  from_to(made, "first", 0, 100);
  from_to(made, "second", 80, 150);
  from_to(made, "first", 160, 260);
  from_to(made, "second", 250, 300);
  const launch_sequence first = sequence_of_group(made.result, 0), second = sequence_of_group(made.result, 1);
  CHECK(first.followers == 1);
  CHECK(first.overlapping == 0);
  CHECK(first.mean_gap_ps() == 10.0);
  CHECK_FALSE(first.mean_overlap_ps().has_value());
  CHECK(second.followers == 2);
  CHECK(second.overlapping == 2);
  CHECK(second.mean_overlap_ps() == 15.0);
  CHECK_FALSE(second.mean_gap_ps().has_value());
}

TEST_CASE("the order is that of time, and what counts is the last end of all before") {
  hand_made made;
  from_to(made, "late", 90, 95);
  from_to(made, "short", 10, 20);
  from_to(made, "long", 0, 100);
  CHECK(sequence_of_group(made.result, 0).overlap == 5);  // no longer than it lasts
  CHECK(sequence_of_group(made.result, 1).overlap == 10);
  CHECK(sequence_of_group(made.result, 2).followers == 0);
}

TEST_CASE("other devices and launches without warps have no part in it") {
  hand_made made;
  from_to(made, "a", 0, 100);
  made.result.devices.push_back(made.result.devices[0]);
  from_to(made, "b", 50, 100);
  made.last_launch().device = 1;
  made.launch("empty", 1, 1);
  CHECK(sequence_of_group(made.result, 0).followers == 0);
  CHECK(sequence_of_group(made.result, 1).followers == 0);
  CHECK(sequence_of_group(made.result, 2).followers == 0);
  from_to(made, "a", 130, 140);
  CHECK(sequence_of_group(made.result, 0).gap == 30);
}
