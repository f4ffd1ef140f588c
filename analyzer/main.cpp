// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// iket-analyze: from trace.bin to a report and a Chrome trace.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <iket/error.hpp>

#include "capture/other_runs.hpp"
#include "cli.hpp"
#include "compare/comparison.hpp"
#include "compare/judge_gates.hpp"
#include "counters/join_counters.hpp"
#include "counters/read_ncu_page.hpp"
#include "interruption.hpp"
#include "load_traces.hpp"
#include "mapped_file.hpp"
#include "memory_limit.hpp"
#include "parallel.hpp"
#include "report.hpp"
#include "report_text.hpp"
#include "slice_summary.hpp"
#include "terminal.hpp"
#include "terminal_text.hpp"
#include "trace_slice.hpp"
#include "units.hpp"
#include "wrapped_text.hpp"
#include "write_outputs.hpp"

namespace {

using namespace iket::analysis;

constexpr std::uint64_t large_trace_bytes = std::uint64_t{300} << 20;
constexpr std::size_t where_indent = 8;  // columns, of what is said of the trace

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

void print_report(const cli_options& options, const report& report) {
  // Whoever reads the report in a terminal sees the warnings at its end.
  if (options.quiet || !stdout_is_terminal())
    for (const std::string& warning : report.warnings) print_error("warning: " + warning);
  if (options.quiet || !stdout_is_terminal())
    for (const gate_result& gate : report.gates)
      if (gate.failed) print_error("gate failed: " + gate_text(gate));
  if (!options.quiet) print(report_text(report, {stdout_columns(options.columns), stdout_takes_colours()}));
}

void print_where(const cli_options& options, const report& report, std::uint64_t trace_bytes) {
  if (!options.report.empty()) print("report: " + terminal_safe(options.report) + "\n");
  if (options.output.empty()) return;
  print("trace:  " + terminal_safe(options.output) + " (" + bytes_text(trace_bytes) + ")\n");
  const std::size_t width = stdout_columns(options.columns) - where_indent;
  const auto add = [&](const std::string& text) {
    print(std::string(where_indent, ' ') + wrapped(words_of(text, width), " ", width, where_indent) + "\n");
  };
  add("see it: https://ui.perfetto.dev, 'Open trace file'");
  const std::string slice = report.slice->tells_anything() ? slice_text(*report.slice) : "";
  if (!slice.empty()) add(terminal_safe(slice));
  if (trace_bytes > large_trace_bytes)
    add("viewers are slow with so large a file; --max-json, --cta and --from with --to draw less");
}

/// Holds the trace against what was asked for.
void judge(const cli_options& options, const timeline& trace, report& to) {
  if (!options.baseline.empty()) {
    const timeline baseline = load_traces(options.baseline, options.strict, {}, nameless_sites::count);
    to.comparison = compare(baseline, trace, options.bootstrap);
    to.warnings.insert(to.warnings.end(), to.comparison->warnings.begin(), to.comparison->warnings.end());
    for (const std::string& warning : baseline.warnings) to.warnings.push_back("baseline: " + warning);
  }
  to.gates = judge_gates(options.gates, trace, to.comparison ? &*to.comparison : nullptr);
}

/// Hardware counters beside the stages. Returns false where there are pages, and no launch has any.
bool add_counters(const cli_options& options, const timeline& trace, report& to) {
  if (options.ncu.empty()) {
    if (!options.capture.empty())
      to.warnings.emplace_back(
          "the capture has no hardware counters: there is no raw.csv, details.csv or source.csv in it; iket-capture "
          "has "
          "said why");
    return true;
  }
  const counters::ncu_profile profile = counters::read_ncu_files(options.ncu);
  if (options.strict && !profile.warnings.empty()) throw unreadable_trace(profile.warnings.front());
  counters::join_counters(profile, trace, options.ncu_kernel, to);
  return std::any_of(to.launches.begin(), to.launches.end(),
                     [](const launch_report& one) { return one.counters.has_value(); });
}

/// Throws what is no result: wrong usage, files that cannot be read or written.
exit_code analyze(const cli_options& options) {
  timeline trace = load_traces(options.traces, options.strict, options.sites);
  const drawn_counts before = counts_of(trace);
  keep_launches(trace, options.slice);
  report report = make_report(trace, {.scope = options.scope});
  add_other_runs(options.plain, options.profiled, options.strict, trace, report);
  const bool has_counters = add_counters(options, trace, report);
  std::optional<gate_about_nothing> unjudged;
  try {
    judge(options, trace, report);
  } catch (const gate_about_nothing& error) {
    unjudged = error;  // damage may be why: the report tells
  }
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
  if (unjudged) throw gate_about_nothing(*unjudged);
  const auto has_failed = [](const gate_result& gate) { return gate.failed; };
  if (std::any_of(report.gates.begin(), report.gates.end(), has_failed)) return exit_gate_failed;
  return has_counters ? exit_done : exit_unreadable;  // the warnings tell why
}

/// The same, with the memory that it may take.
exit_code analyze_within(const cli_options& options) {
  if (!options.most_memory) return analyze(options);
  limit_memory(*options.most_memory);
  try {
    return analyze(options);
  } catch (const std::bad_alloc&) {
    throw failure{exit_unreadable, "out of memory: this takes more than " + bytes_text(*options.most_memory) +
                                       " (--max-memory takes another limit)"};
  }
}

int run(int argc, char** argv) {
  const auto parsed = parse_command_line(argc, argv);
  if (const auto* const asked = std::get_if<requested_text>(&parsed)) {
    print(asked->text);
    return exit_done;
  }
  return analyze_within(std::get<cli_options>(parsed));
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
  } catch (const gate_about_nothing& error) {
    print_error(error.what());
    return exit_usage;
  } catch (const failure& error) {
    print_error(error.text);
    return error.code;
  } catch (const unreadable_trace& error) {
    print_error(error.what());
    return exit_unreadable;
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
