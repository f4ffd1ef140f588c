// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Any text as a command line, an argument a line; what it asks for is then done to a small timeline.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "check.hpp"
#include "cli.hpp"
#include "trace_slice.hpp"

namespace {

using namespace iket::analysis;
using fuzz::check;

timeline small_timeline() {
  timeline of;
  of.devices.push_back({.name = "GPU"});
  of.stages = {{"load", stage_kind::work, {}}, {"wait for data", stage_kind::wait, {}}};
  of.points.push_back({"done", {}});
  of.roles = {"producer"};
  launch one;
  one.kernel = "gemm";
  one.device = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    warp_timeline warp;
    warp.cta = {i / 2, 0, 0};
    warp.cta_linear = i / 2;
    warp.warp = i % 2;
    warp.role = i % 2 == 0 ? 0 : none;
    warp.close = warp.unobserved = 1'000'000 * (i + 1);
    warp.ranges.push_back({.begin = 10, .end = 2000, .stage = i % 2});
    warp.points.push_back({.time = 500, .name = 0});
    one.warps.push_back(warp);
  }
  of.launches.push_back(one);
  return of;
}

void check_options(const cli_options& options) {
  check(!options.traces.empty(), "a command line that is taken names a trace");
  check(!options.columns || *options.columns >= 60, "a report has room");
  check(!options.slice.from || *options.slice.from >= 0, "times are not negative");
  timeline of = small_timeline();
  try {
    keep_launches(of, options.slice);
    keep_parts(of, options.slice);
  } catch (const empty_slice& error) {
    check(*error.what() != '\0', "an error is told in words");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words{"iket-analyze"};
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    // A shell cannot pass a zero byte.
    words.emplace_back(text.substr(0, std::min(end, text.find('\0'))));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  try {
    const auto parsed = parse_command_line(static_cast<int>(arguments.size()), arguments.data());
    if (const auto* const options = std::get_if<cli_options>(&parsed)) check_options(*options);
  } catch (const usage_error& error) {
    check(std::string_view(error.what()).find('\n') == std::string_view::npos, "an error is one line");
  }
  return 0;
}
