// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "cli_slice.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <CLI/CLI.hpp>

#include "slice_text.hpp"

namespace iket::analysis {
namespace {

constexpr const char* group =
    "A part of the trace (one option more than once: any of them; several options: all of them)";

/// Says of which option a wrong text is.
template <class Parse>
auto read(const char* option, Parse parse) {
  try {
    return parse();
  } catch (const std::invalid_argument& error) {
    std::string text = std::string(option) + " " + error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    throw usage_error(text);
  }
}

track_grouping parse_grouping(const std::string& text) {
  if (text == "cta") return track_grouping::cta;
  if (text == "sm") return track_grouping::sm;
  throw std::invalid_argument("takes cta or sm, not '" + text + "'");
}

}  // namespace

void slice_options::add_to(CLI::App& app) {
  const auto add = [&](const char* name, auto& to, const char* type, const char* text) {
    app.add_option(name, to, text)->type_name(type)->allow_extra_args(false)->group(group);
  };
  add("--launch", launches_, "N|NAME",
      "Only these launches, in the report too: numbers from 1 (3, 2-5, 1,4) or a kernel's name");
  add("--cta", ctas_, "CTA", "Draw only these CTAs: a linear number (7), a range (3-9) or x,y,z (1,2,0)");
  add("--warp", warps_, "N", "Draw only these warps of each CTA: 0, 4-7 or 0,4-7");
  add("--role", roles_, "NAME", "Draw only warps of this role; - for those without one");
  add("--stage", stage_, "REGEX", "Draw only ranges, marks and counters with a name that this fits anywhere");
  add("--from", from_, "TIME",
      "Draw from here on: a number with ns, us (left out: that), ms or s on the trace's time line");
  add("--to", to_, "TIME", "Draw up to here; ranges that are partly inside are drawn whole");
  add("--group-by", group_by_, "cta|sm", "Draw a process per CTA, or per SM with its CTAs in lanes");
  add("--max-json", most_json_, "SIZE",
      "Draw evenly spaced CTAs where the trace's JSON would be larger; 100M unless given, none for no limit; one is "
      "drawn "
      "at least, up to 1G");
}

void slice_options::read_into(cli_options& options, bool no_trace) const {
  slice_request& to = options.slice;
  for (const std::string& text : launches_) read("--launch", [&] { return add_launch(text, to); });
  for (const std::string& text : ctas_) read("--cta", [&] { return add_cta(text, to); });
  for (const std::string& text : warps_) read("--warp", [&] { return add_numbers(text, to.warps); });
  to.roles = roles_;
  if (!stage_.empty()) to.stage = read("--stage", [&] { return parse_pattern(stage_); });
  if (!from_.empty()) to.from = read("--from", [&] { return parse_time(from_); });
  if (!to_.empty()) to.to = read("--to", [&] { return parse_time(to_); });
  if (to.from && to.to && *to.from > *to.to) throw usage_error("--from is later than --to");
  if (!group_by_.empty()) options.group_by = read("--group-by", [&] { return parse_grouping(group_by_); });
  if (!most_json_.empty()) options.most_json_bytes = read("--max-json", [&] { return parse_size(most_json_); });
  if (no_trace && (to.has_parts() || !group_by_.empty() || !most_json_.empty()))
    throw usage_error(
        "--cta, --warp, --role, --stage, --from, --to, --group-by and --max-json are about the Chrome "
        "trace, which --no-trace leaves out");
}

}  // namespace iket::analysis
