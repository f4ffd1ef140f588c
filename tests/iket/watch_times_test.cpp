// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// When a watchdog speaks, tries again, and gives up.
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <iket/detail/watch_times.hpp>

#include "catch.hpp"

namespace {

using namespace std::chrono_literals;
using iket::detail::overdue_launches;
using iket::detail::running_launch;
using iket::detail::snapshot_tries;
using iket::detail::step_timer;
using iket::detail::watch_step;
using iket::detail::watch_time;

/// Names of what `overdue` tells, with the time since they were seen.
std::string told(overdue_launches& overdue, const std::vector<running_launch>& running, std::chrono::milliseconds now) {
  std::string text;
  for (const auto& launch : overdue.look(running, watch_time(now)))
    text += launch.name + " " +
            std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(launch.since).count()) + " ";
  return text;
}

/// Which of `looks` looks try, where each try fails.
std::string failing(snapshot_tries& tries, int looks) {
  std::string text;
  for (int look = 0; look < looks; ++look) {
    const bool is_due = tries.is_due();
    text += is_due ? '+' : '.';
    if (is_due) text += tries.fail() ? "!" : "";
  }
  return text;
}

}  // namespace

TEST_CASE("a launch is overdue when it has been seen to run for the limit, once, and others have clocks of their own") {
  overdue_launches overdue(100ms);
  const running_launch a{{1, 0, 0}, "a"}, b{{2, 0, 0}, "b"}, replay{{3, 0, 1}, "r"}, next{{3, 0, 2}, "r"},
      later{{3, 1, 1}, "r"};
  CHECK(told(overdue, {}, 0ms).empty());
  CHECK_FALSE(overdue.is_any_left());
  CHECK(told(overdue, {a}, 10ms).empty());
  CHECK(told(overdue, {a, b}, 60ms).empty());
  CHECK(told(overdue, {a, b}, 109ms).empty());
  CHECK(told(overdue, {a, b}, 110ms) == "a 100 ");
  CHECK(told(overdue, {a, b}, 160ms) == "b 100 ");
  CHECK(told(overdue, {a, b}, 1000ms).empty());
  // What was not seen for once begins anew, and is not told again if it was.
  CHECK(told(overdue, {replay}, 1000ms).empty());
  CHECK(told(overdue, {}, 1050ms).empty());
  CHECK(told(overdue, {replay, a}, 1060ms).empty());
  CHECK(told(overdue, {replay, a}, 1150ms).empty());
  CHECK(told(overdue, {replay, a}, 1160ms) == "r 100 ");
  // The next launch of a replayable tracer is another one, also behind a drain.
  CHECK(told(overdue, {next}, 1170ms).empty());
  CHECK(told(overdue, {later}, 1270ms).empty());
  CHECK(told(overdue, {later}, 1370ms) == "r 100 ");
}

TEST_CASE("of launches that were told, some are left or none") {
  overdue_launches overdue(100ms);
  const running_launch a{{1, 0, 0}, "a"}, b{{2, 0, 0}, "b"};
  CHECK(told(overdue, {a}, 0ms).empty());
  CHECK_FALSE(overdue.is_any_left());
  CHECK(told(overdue, {a, b}, 100ms) == "a 100 ");
  CHECK(overdue.is_any_left());
  CHECK(told(overdue, {b}, 150ms).empty());
  CHECK_FALSE(overdue.is_any_left());
}

TEST_CASE("a snapshot that fails is tried again after pauses that double, so many times, and told at first") {
  snapshot_tries tries(4);
  CHECK(tries.is_over());
  CHECK(failing(tries, 3) == "...");
  tries.begin();
  CHECK(failing(tries, 12) == "+!+.+...+....");
  CHECK(tries.is_over());
  tries.begin();
  CHECK(failing(tries, 2) == "+!+");
  CHECK_FALSE(tries.is_over());
  tries.begin();  // something new
  CHECK(failing(tries, 3) == "+!+.");
  tries.end();
  CHECK(tries.is_over());
  CHECK(failing(tries, 3) == "...");
}

TEST_CASE("a step is told of once, when it takes longer than the limit, and than what it may take anyway") {
  const watch_time start(1h);
  const auto tells_at = [&](step_timer& timer, watch_step step, std::chrono::milliseconds after) {
    timer.begin(step, start);
    return timer.overrun(start + after - 1ms) == watch_step::none && timer.overrun(start + after) == step &&
           timer.overrun(start + 10 * after) == watch_step::none;
  };
  step_timer quick(50ms, std::size_t{256} << 20), slow(70s, std::size_t{3} << 30);
  CHECK(quick.overrun(start) == watch_step::none);
  CHECK(tells_at(quick, watch_step::copying, 2s));
  CHECK(tells_at(quick, watch_step::copying, 2s));
  CHECK(tells_at(quick, watch_step::waiting, 2s));
  CHECK(tells_at(quick, watch_step::writing, 60s));
  CHECK(tells_at(quick, watch_step::looking, 2s));
  CHECK_FALSE(tells_at(quick, watch_step::looking, 2s));  // of this one once and for all
  CHECK(tells_at(slow, watch_step::copying, 73s));
  CHECK(tells_at(slow, watch_step::waiting, 73s));
  CHECK(tells_at(slow, watch_step::writing, 70s));
  CHECK(tells_at(slow, watch_step::looking, 70s));
  slow.begin(watch_step::copying, start);
  slow.end();
  CHECK(slow.overrun(start + 1h) == watch_step::none);
}

TEST_CASE("with a limit without end no step takes too long") {
  const watch_time start(1h);
  step_timer timer(std::chrono::nanoseconds::max(), std::size_t{3} << 30);
  for (const watch_step step : {watch_step::looking, watch_step::waiting, watch_step::copying, watch_step::writing}) {
    CHECK(timer.bound(step) >= 24h * 365);
    CHECK(timer.bound(step) < 24h * 366);
    timer.begin(step, start);
    CHECK(timer.overrun(start + 24h * 364) == watch_step::none);
  }
}
