// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// iket-analyze: from trace.bin to a report and a Chrome trace.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <iket/error.hpp>

#include "build_timeline.hpp"
#include "cli.hpp"
#include "interruption.hpp"
#include "mapped_file.hpp"
#include "memory_limit.hpp"
#include "merge_timelines.hpp"
#include "parallel.hpp"
#include "report.hpp"
#include "report_text.hpp"
#include "slice_summary.hpp"
#include "terminal.hpp"
#include "terminal_text.hpp"
#include "trace_slice.hpp"
#include "units.hpp"
#include "write_outputs.hpp"

namespace {

using namespace iket::analysis;

constexpr std::uint64_t large_trace_bytes = std::uint64_t{300} << 20;

/// Stops the program with one line on standard error.
struct failure {
  exit_code code;
  std::string text;
};

void print_error(const std::string& text) { std::fprintf(stderr, "iket-analyze: %s\n", terminal_safe(text).c_str()); }

/// Output that did not arrive is an error too: a full disk, a closed pipe.
void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw failure{exit_unwritten, "cannot write to standard output"};
}

timeline load(const std::string& path, bool strict) {
  load_result loaded = load_timeline(path);
  if (loaded.error) throw failure{exit_unreadable, "'" + path + "': " + loaded.error->message()};
  if (strict && loaded.damaged)
    throw failure{exit_unreadable,
                  "'" + path + "': " + (loaded.damage ? loaded.damage->message() : "a part of it is damaged")};
  return std::move(*loaded.trace);
}

timeline load(const cli_options& options) {
  std::vector<timeline> files;
  for (const std::string& path : options.traces) files.push_back(load(path, options.strict));
  return files.size() == 1 ? std::move(files.front()) : merge_timelines(std::move(files));
}

void print_report(const cli_options& options, const report& report) {
  // Whoever reads the report in a terminal sees the warnings at its end.
  if (options.quiet || !stdout_is_terminal())
    for (const std::string& warning : report.warnings) print_error("warning: " + warning);
  if (!options.quiet) print(report_text(report, {stdout_columns(options.columns), stdout_takes_colours()}));
}

void print_where(const cli_options& options, const report& report, std::uint64_t trace_bytes) {
  if (!options.report.empty()) print("report: " + terminal_safe(options.report) + "\n");
  if (options.output.empty()) return;
  print("trace:  " + terminal_safe(options.output) + " (" + bytes_text(trace_bytes) +
        "); to see it: https://ui.perfetto.dev, 'Open trace file'\n");
  if (report.slice->tells_anything() && !slice_text(*report.slice).empty())
    print("        " + slice_text(*report.slice) + "\n");
  if (trace_bytes > large_trace_bytes)
    print("        viewers are slow with so large a file; --max-json, --cta and --from with --to draw less\n");
}

void analyze(const cli_options& options) {
  timeline trace = load(options);
  const drawn_counts before = counts_of(trace);
  keep_launches(trace, options.slice);
  report report = make_report(trace, {.scope = options.scope});
  std::uint64_t trace_bytes = 0;
  try {
    trace_bytes = write_outputs(options, before, trace, report);
  } catch (const iket::error&) {
    // Where the files cannot go, the report is still worth reading.
    print_report(options, report);
    throw;
  }
  print_report(options, report);
  if (!options.quiet) print_where(options, report, trace_bytes);
}

void analyze_within(const cli_options& options) {
  if (!options.most_memory) return analyze(options);
  limit_memory(*options.most_memory);
  try {
    analyze(options);
  } catch (const std::bad_alloc&) {
    throw failure{exit_unreadable, "out of memory: this takes more than " + bytes_text(*options.most_memory) +
                                       " (--max-memory takes another limit)"};
  }
}

int run(int argc, char** argv) {
  const auto parsed = parse_command_line(argc, argv);
  if (const auto* const asked = std::get_if<requested_text>(&parsed))
    print(asked->text);
  else
    analyze_within(std::get<cli_options>(parsed));
  return exit_done;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    prepare_memory();
    exit_if_file_shrinks(exit_unreadable);
    return run(argc, argv);
  } catch (const usage_error& error) {
    print_error(std::string(error.what()) + " (see --help)");
    return exit_usage;
  } catch (const empty_slice& error) {
    print_error(error.what());
    return exit_usage;
  } catch (const failure& error) {
    print_error(error.text);
    return error.code;
  } catch (const interrupted& by) {
    print_error("interrupted, nothing written");
    return 128 + by.signal;
  } catch (const iket::error& error) {
    print_error(error.what());
    return exit_unwritten;
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
    return exit_unreadable;
  } catch (const std::exception& error) {
    print_error(error.what());
    return exit_unreadable;
  }
}
