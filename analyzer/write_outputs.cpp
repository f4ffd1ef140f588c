// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "write_outputs.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <iket/detail/whole_file.hpp>
#include <iket/error.hpp>

#include "chrome_trace.hpp"
#include "draw_limit.hpp"
#include "gzip_sink.hpp"
#include "interruption.hpp"
#include "launch_group.hpp"
#include "progress.hpp"
#include "report_csv.hpp"
#include "report_json.hpp"
#include "report_markdown.hpp"
#include "terminal.hpp"
#include "terminal_text.hpp"

namespace iket::analysis {
namespace {

using iket::detail::whole_file;

// One CTA is drawn also where it is larger than what was asked for, or than the default; up to so many times.
constexpr std::uint64_t most_overrun = 10;

/// Hardware counters by launch of the timeline; empty where there are none.
using launch_counter_list = std::vector<const counters::launch_counters*>;

launch_counter_list counters_by_launch(const timeline& of, const report& report) {
  launch_counter_list result;
  const std::vector<launch_group> groups = group_launches(of);
  for (std::size_t i = 0; i < std::min(groups.size(), report.launches.size()); ++i) {
    if (!report.launches[i].counters) continue;
    result.resize(of.launches.size());
    for (const launch* const one : groups[i])
      result[static_cast<std::size_t>(one - of.launches.data())] = &*report.launches[i].counters;
  }
  return result;
}

/// Leaves what is to be drawn; says what that is.
slice_summary choose(const cli_options& options, const drawn_counts& before, const launch_counter_list& counters,
                     timeline& of) {
  slice_summary summary{options.slice, options.group_by, options.most_json_bytes, before, counts_of(of), {}};
  if (options.output.empty()) return summary;
  keep_parts(of, options.slice);
  summary.chosen = counts_of(of);
  summary.drawn = summary.chosen;
  // What is said of it in the file counts too; how long that is hardly depends on the choice.
  const std::uint64_t said = 2 * slice_json(summary).size();
  if (options.most_json_bytes)
    limit_drawing(of, *options.most_json_bytes - std::min(said, *options.most_json_bytes),
                  {options.group_by, options.scope, "", counters});
  summary.drawn = counts_of(of);
  return summary;
}

void write_trace(const cli_options& options, const timeline& of, const launch_counter_list& counters, whole_file& file,
                 report& report) {
  const std::string slice = report.slice->tells_anything() ? slice_json(*report.slice) : "";
  progress bar("writing " + terminal_safe(options.output), report.slice->drawn->warps, stderr_is_terminal());
  std::optional<gzip_sink> packer;
  if (options.output.ends_with(".gz"))
    packer.emplace([&](const void* data, std::size_t size) { file.append(data, size); });
  std::uint64_t bytes = 0;
  const auto sink = [&](const void* data, std::size_t size) {
    bytes += size;
    if (options.most_json_bytes && bytes / most_overrun > std::max(*options.most_json_bytes, default_json_bytes))
      throw iket::error("cannot write '" + options.output + "': one CTA alone takes more than " +
                        std::to_string(most_overrun) + " times --max-json; --stage or --from and --to draw less");
    packer ? packer->append(data, size) : file.append(data, size);
    interruptible::check();
  };
  const chrome_trace_counts counts = write_chrome_trace(of, sink, [&](std::uint64_t done) { bar.update(done); },
                                                        {options.group_by, options.scope, slice, counters});
  if (packer) packer->finish();
  if (counts.too_deep != 0)
    report.warnings.push_back(std::to_string(counts.too_deep) +
                              " ranges or marks left out of the Chrome trace: nested deeper than viewers show");
}

std::string report_file_text(const std::string& path, const report& report) {
  const std::string text = report_json(report);
  if (path.ends_with(".csv")) return report_csv(text);
  return path.ends_with(".md") ? report_markdown(text) : text;
}

}  // namespace

std::uint64_t write_outputs(const cli_options& options, const drawn_counts& before, timeline& of, report& report) {
  const launch_counter_list counters = counters_by_launch(of, report);
  report.slice = choose(options, before, counters, of);
  std::optional<whole_file> trace_file;
  std::optional<whole_file> report_file;
  if (!options.output.empty()) trace_file.emplace(options.output);
  if (!options.report.empty()) report_file.emplace(options.report);
  const interruptible until_written;
  if (trace_file) write_trace(options, of, counters, *trace_file, report);
  if (report_file) {
    const std::string text = report_file_text(options.report, report);
    report_file->append(text.data(), text.size());
  }
  interruptible::check();
  if (trace_file) trace_file->finish();
  if (report_file) report_file->finish();
  const std::uint64_t trace_bytes = trace_file ? trace_file->size() : 0;
  if (trace_file) trace_file->commit();
  if (report_file) report_file->commit();
  return trace_bytes;
}

}  // namespace iket::analysis
