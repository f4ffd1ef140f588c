// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

/// Traces as text for the tests of the rules.
namespace trace_text {

/// Names of processes 1 and 2 and of their threads 10 and 11, in front of the events of a test.
inline const std::string names = [] {
  std::string text;
  for (const char* pid : {"1", "2"}) {
    const std::string head = std::string(R"({"ph":"M","pid":)") + pid;
    text += head + R"(,"name":"process_name","args":{"name":"CTA"}},)";
    for (const char* tid : {"10", "11"})
      text += head + R"(,"tid":)" + tid + R"(,"name":"thread_name","args":{"name":"warp"}},)";
  }
  text.pop_back();
  return text;
}();
inline constexpr std::size_t name_events = 6;

/// A whole file. Without events it is still a good one.
inline std::string file(const std::string& events) {
  return R"({"traceEvents":[)" + names + (events.empty() ? "" : ",\n") + events + "]}";
}

/// Nanoseconds as the microseconds of the format.
inline std::string us(std::int64_t ns) {
  const std::string decimals = std::to_string(1000 + ns % 1000).substr(1);
  return std::to_string(ns / 1000) + '.' + decimals;
}

/// A slice on thread 10 of process 1.
inline std::string slice(std::int64_t begin_ns, std::int64_t end_ns, const std::string& name = "a") {
  return R"({"ph":"X","pid":1,"tid":10,"name":")" + name + R"(","ts":)" + us(begin_ns) + R"(,"dur":)" +
         us(end_ns - begin_ns) + '}';
}

/// Any event of thread 10 of process 1; `fields` begins with what follows the phase: `"ts":1`.
inline std::string on_thread(char phase, const std::string& fields) {
  return std::string(R"({"ph":")") + phase + R"(","pid":1,"tid":10,"name":"a",)" + fields + '}';
}

}  // namespace trace_text
