// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/cli_compare.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <system_error>

#include <CLI/CLI.hpp>

namespace iket::analysis {
namespace {

std::uint64_t read_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    throw usage_error("--seed takes a number from 0 to 18446744073709551615");
  return seed;
}

gate read_gate(const std::string& text) {
  try {
    return parse_gate(text);
  } catch (const std::invalid_argument& error) {
    std::string line = "--fail-on " + std::string(error.what());
    std::replace(line.begin(), line.end(), '\n', ' ');
    throw usage_error(line);
  }
}

}  // namespace

void compare_options::add_to(CLI::App& app) {
  constexpr const char* group = "Before and after";
  const auto add = [&](const char* name, auto& to, const char* type, const char* text) {
    app.add_option(name, to, text)->type_name(type)->allow_extra_args(false)->group(group);
  };
  add("--baseline", baseline_, "FILE",
      "Compare with the kernels of this trace, of the same name, grid and block; given several times: of all of them");
  add("--fail-on", gates_, "GATE", "Exit with 1 where this holds, see below; may be given several times");
  add("--seed", seed_, "N", "Of the random samples that the comparison's intervals are from; 1 unless given");
}

void compare_options::read_into(cli_options& options) const {
  options.baseline = baseline_;
  for (const std::string& text : gates_) options.gates.push_back(read_gate(text));
  if (seed_) options.bootstrap.seed = read_seed(*seed_);
  if (!baseline_.empty()) return;
  if (seed_) throw usage_error("--seed is about a comparison, which needs --baseline");
  for (const gate& one : options.gates)
    if (one.needs_baseline())
      throw usage_error("--fail-on '" + one.text + "' is about a change, which needs --baseline");
}

const char* compare_options::help() {
  return "Gates: SUBJECT:NAME:METRIC>BOUND fails where the figure is above the bound, with < where it is below:\n"
         "  stage:NAME:METRIC     self, total, count: of a traced CTA; mean, min, p50, p90, p99, max: of a range; "
         "share\n"
         "  role:NAME:METRIC      work, wait, untracked: of a warp\n"
         "  launch[:NAME]:duration\n"
         "The name may hold anything. Bounds: +10% or -5% and +200ns (us, ms, s) are changes of the baseline's "
         "figure,\n"
         "2us is one by itself (a share's 40%, a count's 64). Of a launch that had not ended, ranges that are still "
         "open\n"
         "do not count.\n";
}

}  // namespace iket::analysis
