// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "pipeline.cuh"
#include "tile.cuh"

namespace ws_gemm {

constexpr const char* usage =
    "usage: ws_gemm [options]\n"
    "  --size N | MxNxK      multiply M x K by K x N (default 4096)\n"
    "  --depth N             slots between producer and consumers, 1 to 4 (default 4)\n"
    "  --repeat N            timed launches without tracing (default 10)\n"
    "  --trace FILE          where the trace goes (default trace.bin)\n"
    "  --no-trace            time and check only\n"
    "  --hang                run a kernel that hangs, for lack of one arrival; a watchdog writes the trace after 2 s\n"
    "                        and ends the process with its exit code, 70\n"
    "  --records N           records per warp (default: the library's)\n"
    "  --memory-limit MIB    for all records of the launch (default: the library's)\n";

/// Wrong usage; the message says what is wrong.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// 0 stands for the library's default.
struct options {
  problem size{4096, 4096, 4096};
  int depth = max_depth;
  int repeat = 10;
  bool trace = true;
  bool hang = false;
  bool help = false;
  std::string trace_file = "trace.bin";
  std::uint32_t records_per_warp = 0;
  std::size_t memory_limit_bytes = 0;
};

inline int parse_number(const std::string& name, const std::string& text, int least, int most) {
  std::size_t used = 0;
  int value = 0;
  try {
    value = std::stoi(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || value < least || value > most) {
    throw usage_error(name + ": \"" + text + "\" is not a number from " + std::to_string(least) + " to " +
                      std::to_string(most));
  }
  return value;
}

inline problem parse_size(const std::string& name, const std::string& text) {
  constexpr int most = 1 << 19;
  const std::size_t first = text.find('x');
  if (first == std::string::npos) {
    const int extent = parse_number(name, text, 1, most);
    return {extent, extent, extent};
  }
  const std::size_t second = text.find('x', first + 1);
  if (second == std::string::npos) throw usage_error(name + ": \"" + text + "\" is neither N nor MxNxK");
  return {parse_number(name, text.substr(0, first), 1, most),
          parse_number(name, text.substr(first + 1, second - first - 1), 1, most),
          parse_number(name, text.substr(second + 1), 1, most)};
}

/// @throws usage_error
inline options parse_options(int argc, char** argv) {
  options result;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&]() -> std::string {
      if (++i == argc) throw usage_error(name + " needs a value");
      return argv[i];
    };
    if (name == "--size") {
      result.size = parse_size(name, value());
    } else if (name == "--depth") {
      result.depth = parse_number(name, value(), 1, max_depth);
    } else if (name == "--repeat") {
      result.repeat = parse_number(name, value(), 1, 100000);
    } else if (name == "--trace") {
      result.trace_file = value();
    } else if (name == "--no-trace") {
      result.trace = false;
    } else if (name == "--hang") {
      result.hang = true;
    } else if (name == "--records") {
      result.records_per_warp = static_cast<std::uint32_t>(parse_number(name, value(), 1, 1 << 24));
    } else if (name == "--memory-limit") {
      result.memory_limit_bytes = static_cast<std::size_t>(parse_number(name, value(), 1, 1 << 20)) << 20;
    } else if (name == "--help") {
      result.help = true;
    } else {
      throw usage_error("unknown option " + name);
    }
  }
  return result;
}

}  // namespace ws_gemm
