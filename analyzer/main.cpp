// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// iket-analyze: from trace.bin to a report and a Chrome trace.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <iket/detail/whole_file.hpp>
#include <iket/error.hpp>

#include "build_timeline.hpp"
#include "chrome_trace.hpp"
#include "cli.hpp"
#include "interruption.hpp"
#include "merge_timelines.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "report_text.hpp"
#include "terminal.hpp"
#include "terminal_text.hpp"
#include "units.hpp"

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

/// Writes both files, or neither.
/// @return the size of the Chrome trace [bytes]
std::uint64_t write_files(const cli_options& options, const timeline& trace, report& report) {
  std::optional<iket::detail::whole_file> trace_file;
  std::optional<iket::detail::whole_file> report_file;
  if (!options.output.empty()) trace_file.emplace(options.output);
  if (!options.report.empty()) report_file.emplace(options.report);
  const interruptible until_written;
  std::uint64_t trace_bytes = 0;
  if (trace_file) {
    std::uint64_t warps = 0;
    for (const launch& one : trace.launches) warps += one.warps.size();
    progress bar("writing " + terminal_safe(options.output), warps, stderr_is_terminal());
    const auto sink = [&](const void* data, std::size_t size) {
      trace_bytes += size;
      trace_file->append(data, size);
      interruptible::check();
    };
    const chrome_trace_counts counts = write_chrome_trace(trace, sink, [&](std::uint64_t done) { bar.update(done); });
    if (counts.too_deep != 0)
      report.warnings.push_back(std::to_string(counts.too_deep) +
                                " ranges or marks left out of the Chrome trace: nested deeper than viewers show");
  }
  if (report_file) {
    const std::string text = report_json(report);
    report_file->append(text.data(), text.size());
  }
  interruptible::check();
  if (trace_file) trace_file->finish();
  if (report_file) report_file->finish();
  if (trace_file) trace_file->commit();
  if (report_file) report_file->commit();
  return trace_bytes;
}

void print_report(const cli_options& options, const report& report) {
  // Whoever reads the report in a terminal sees the warnings at its end.
  if (options.quiet || !stdout_is_terminal())
    for (const std::string& warning : report.warnings) print_error("warning: " + warning);
  if (!options.quiet) print(report_text(report, {stdout_columns(options.columns), stdout_takes_colours()}));
}

void analyze(const cli_options& options) {
  const timeline trace = load(options);
  report report = make_report(trace, {.scope = options.scope});
  std::uint64_t trace_bytes = 0;
  try {
    trace_bytes = write_files(options, trace, report);
  } catch (const iket::error&) {
    // Where the files cannot go, the report is still worth reading.
    print_report(options, report);
    throw;
  }
  print_report(options, report);
  if (options.quiet) return;
  if (!options.report.empty()) print("report: " + terminal_safe(options.report) + "\n");
  if (options.output.empty()) return;
  print("trace:  " + terminal_safe(options.output) + " (" + bytes_text(trace_bytes) +
        "); to see it: https://ui.perfetto.dev, 'Open trace file'\n");
  if (trace_bytes > large_trace_bytes)
    print("        viewers are slow with so large a file: trace fewer CTAs for one to look at\n");
}

int run(int argc, char** argv) {
  const auto parsed = parse_command_line(argc, argv);
  if (const auto* const asked = std::get_if<requested_text>(&parsed))
    print(asked->text);
  else
    analyze(std::get<cli_options>(parsed));
  return exit_done;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const usage_error& error) {
    print_error(std::string(error.what()) + " (see --help)");
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
