// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "time_shift.hpp"

#include <algorithm>
#include <memory>

#include "clock_accuracy.hpp"

namespace iket::analysis {
namespace {

void move(range& of, const time_shift& by) {
  of.begin = by(of.begin);
  of.end = by(of.end);
  // The span less parts that are each rounded by themselves.
  of.self = std::clamp<picoseconds>(by.stretched(of.self), 0, of.end - of.begin);
}

void move(warp_timeline& of, const time_shift& by) {
  for (picoseconds* time :
       {&of.open, &of.observed, &of.unobserved, &of.close, &of.last_event, &of.doubts.first_pair, &of.doubts.last_pair})
    *time = by(*time);
  for (range& one : of.ranges) move(one, by);
  for (point& one : of.points) one.time = by(one.time);
}

}  // namespace

void move_launch(launch& of, const time_shift& by) {
  of.begin = by(of.begin);
  of.end = by(of.end);
  if (of.snapshot) of.snapshot->time = by(of.snapshot->time);
  for (warp_timeline& warp : of.warps) move(warp, by);
  if (of.accuracy != nullptr) of.accuracy = std::make_shared<const clock_accuracy>(of.accuracy->moved(by));
}

}  // namespace iket::analysis
