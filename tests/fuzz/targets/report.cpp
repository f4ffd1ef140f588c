// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Any bytes through the whole program: read, placed in time, counted, and written in one of its forms. The outputs
/// have to be what they claim to be, and nothing in them may steer a terminal or be taken for a formula.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <iket/detail/crc32c.hpp>

#include "borrowed_sites.hpp"
#include "build_timeline.hpp"
#include "check.hpp"
#include "chrome_trace.hpp"
#include "draw_limit.hpp"
#include "merge_timelines.hpp"
#include "output_rules.hpp"
#include "parallel.hpp"
#include "report.hpp"
#include "report_csv.hpp"
#include "report_json.hpp"
#include "report_markdown.hpp"
#include "report_text.hpp"
#include "trace_reader.hpp"

namespace {

using namespace iket::analysis;
using fuzz::check;

enum class form : std::uint8_t { csv, markdown, text, chrome };

/// What is done with a file, by its own bytes: one input is always treated alike.
struct choices {
  explicit choices(std::uint32_t bits)
      : by(static_cast<scope>(bits % 4)),
        group_by((bits & 4) != 0 ? track_grouping::sm : track_grouping::cta),
        merges((bits & 0x38) == 0),
        limits((bits & 0x40) != 0),
        borrows((bits & 0x80) != 0),
        columns(60 + (bits >> 8) % 80),
        output(static_cast<form>(bits >> 16 & 3)) {}
  scope by;
  track_grouping group_by;
  bool merges;
  bool limits;
  bool borrows;
  std::size_t columns;
  form output;
};

void check_report(const report& of, const choices& by) {
  const std::string json = report_json(of);
  switch (by.output) {
    case form::csv: {
      check(fuzz::is_json(json), "report.json is JSON");
      check(!fuzz::steers_terminal(json), "report.json does not steer a terminal");
      const std::string csv = report_csv(json);
      check(fuzz::is_table(csv, 7), "report.csv is a table of seven columns without formulas");
      check(!fuzz::steers_terminal(csv), "report.csv does not steer a terminal");
      break;
    }
    case form::markdown:
      check(!fuzz::steers_terminal(report_markdown(json)), "report.md does not steer a terminal");
      break;
    default:
      check(!fuzz::steers_terminal(report_text(of, {by.columns, false})),
            "the printed report does not steer a terminal");
  }
}

void check_drawing(timeline& of, const choices& by) {
  constexpr std::uint64_t most_bytes = 20'000;
  const chrome_options options{.group_by = by.group_by};
  if (by.limits) limit_drawing(of, most_bytes, options);
  std::string text;
  write_chrome_trace(
      of, [&](const void* bytes, std::size_t size) { text.append(static_cast<const char*>(bytes), size); }, {},
      options);
  check(fuzz::is_json(text), "the Chrome trace is JSON");
  check(!fuzz::steers_terminal(text), "the Chrome trace does not steer a terminal");
}

/// As if the second half of all sites were those of another file.
timeline build_from_other_names(const trace_view& view) {
  trace_view without = view;
  for (site_table_view& table : without.site_tables) table.sites.resize(table.sites.size() / 2);
  for (const std::string& text : borrow_sites(view, "other.bin", without))
    check(!text.empty(), "a loan is told in words");
  return build_timeline(without, "trace.bin");
}

void check_times(const timeline& of) {
  for (const launch& one : of.launches) {
    check(one.begin <= one.end, "a launch ends behind its begin");
    for (const warp_timeline& warp : one.warps) {
      check(warp.open <= warp.close && warp.observed <= warp.close && warp.unobserved <= warp.close,
            "a warp's window is in order");
      for (const range& range : warp.ranges) check(range.begin <= range.end, "a range ends behind its begin");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  limit_threads(1);
  const std::variant<trace_view, read_error> read = read_trace({reinterpret_cast<const std::byte*>(data), size});
  if (std::holds_alternative<read_error>(read)) return 0;
  const auto& view = std::get<trace_view>(read);
  const choices by(iket::detail::crc32c(data, size));
  timeline of = by.borrows ? build_from_other_names(view) : build_timeline(view, "trace.bin");
  check_times(of);
  if (by.merges) {
    std::vector<timeline> files;
    files.push_back(std::move(of));
    files.push_back(build_timeline(view, "again.bin"));
    of = merge_timelines(std::move(files));
    check_times(of);
  }
  const report report = make_report(of, {.scope = by.by});
  if (by.output == form::chrome)
    check_drawing(of, by);
  else
    check_report(report, by);
  return 0;
}
