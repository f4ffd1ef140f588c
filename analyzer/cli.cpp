// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "cli.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <iket/version.hpp>

#include "cli_files.hpp"
#include "cli_slice.hpp"
#include "compare/cli_compare.hpp"
#include "memory_limit.hpp"
#include "slice_text.hpp"
#include "terminal.hpp"

namespace iket::analysis {
namespace {

constexpr const char* description =
    "Reads a trace that iket::session::write has written, prints which stage of the kernel makes the others wait,\n"
    "and writes a Chrome trace for Perfetto.";

constexpr const char* examples =
    "Examples:\n"
    "  iket-analyze trace.bin                        print the report, write trace.json beside trace.bin\n"
    "  iket-analyze trace.bin -o /tmp/gemm.json      write the Chrome trace there\n"
    "  iket-analyze trace.bin --report report.json   write the report for programs as well\n"
    "  iket-analyze --no-trace trace.bin             print the report only\n"
    "  iket-analyze rank0.bin rank1.bin              put several files on one time line, write merged.json\n"
    "  iket-analyze trace.bin --cta 0-3 --to 180us   draw four CTAs up to then, report on all\n"
    "  iket-analyze hang.bin                         print first where every warp of a kernel that hangs stands\n"
    "  iket-analyze crash.bin --sites good.bin       take the names of sites from another trace of the binary\n"
    "  iket-analyze trace.bin --ncu raw.csv --ncu source.csv\n"
    "                                                put a profiler's hardware counters beside the stages\n"
    "  iket-analyze capture                          the same, and what tracing costs, of iket-capture's folder\n"
    "  iket-analyze new.bin --baseline old.bin       compare each kernel with what it was\n"
    "  iket-analyze new.bin --baseline old.bin --fail-on \"stage:wait for data:p50>+10%\"\n"
    "\n"
    "To look at trace.json: https://ui.perfetto.dev, 'Open trace file'. The file stays on your machine.\n"
    "\n"
    "Of a file it takes names of at most 4096 bytes, SMs below 1024, warps of a CTA below 64; SECURITY.md has all "
    "limits.\n"
    "\n"
    "Exit codes: 0 done, 1 a gate failed, 2 wrong usage, 3 nothing readable (or any damage with --strict), or no "
    "launch that the pages of hardware counters fit, 4 output not written.\n";

std::string version_text() {
  return "iket-analyze " + std::to_string(IKET_VERSION_MAJOR) + "." + std::to_string(IKET_VERSION_MINOR) + "." +
         std::to_string(IKET_VERSION_PATCH) + " (reads trace format " + std::to_string(IKET_FORMAT_VERSION_MAJOR) +
         "." + std::to_string(IKET_FORMAT_VERSION_MINOR) + ")";
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

scope scope_of(const std::string& name) {
  for (const scope one : {scope::cta, scope::cluster, scope::sm, scope::gpu})
    if (scope_name(one) == name) return one;
  throw usage_error("--scope takes cta, cluster, sm or gpu, not '" + one_line(name) + "'");
}

std::string text_on_extras(const std::vector<std::string>& extras) {
  return "unknown option '" + one_line(extras.empty() ? "" : extras.front()) + "'";
}

std::optional<std::uint64_t> parse_memory(const std::string& text) {
  constexpr std::uint64_t least = 64'000'000;  // the program and its threads take some, whatever the file
  std::optional<std::uint64_t> limit;
  try {
    limit = parse_size(text);
  } catch (const std::invalid_argument& error) {
    throw usage_error(one_line(std::string("--max-memory ") + error.what()));
  }
  if (limit && *limit < least) throw usage_error("--max-memory takes 64M or more");
  return limit;
}

}  // namespace

std::variant<cli_options, requested_text> parse_command_line(int argc, const char* const* argv) {
  CLI::App app(description, "iket-analyze");
  app.footer(std::string(compare_options::help()) + "\n" + examples);
  app.get_formatter()->column_width(32);
  app.get_formatter()->label("REQUIRED", "");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", version_text(), "Print the version and exit");

  cli_options options;
  bool no_trace = false;
  std::string scope_text;
  std::string memory_text;
  std::optional<int> columns;
  app.add_option("TRACE", options.traces, "The trace to read, usually named trace.bin; several go onto one time line")
      ->type_name("")
      ->required();
  const auto* const output = app.add_option("-o,--output", options.output,
                                            "Write the Chrome trace to this file, .json or packed .json.gz; left out: "
                                            "beside TRACE; for several, merged.json beside the first")
                                 ->type_name("FILE");
  app.add_flag("--no-trace", no_trace, "Write no Chrome trace");
  const auto* const report =
      app.add_option("--report", options.report, "Write the report to this file: .json, .csv or .md by its ending")
          ->type_name("FILE");
  const auto* const sites =
      app.add_option("--sites", options.sites,
                     "Take the names that TRACE lacks, as after a crash, from another trace of the same binary")
          ->type_name("TRACE");
  app.add_flag("--strict", options.strict, "Fail where any part of the file is damaged");
  app.add_flag("-q,--quiet", options.quiet, "Print no report");
  app.add_option("--scope", scope_text,
                 "Where stages overlap: within each cta (left out: this), cluster, sm, or the gpu; waits are looked at "
                 "within each CTA, or with the others within each cluster")
      ->type_name("SCOPE");
  app.add_option("--ncu", options.ncu,
                 "Take hardware counters from what ncu --csv has printed: its pages raw, details and source")
      ->type_name("FILE");
  const auto* const ncu_kernel =
      app.add_option("--ncu-kernel", options.ncu_kernel,
                     "Take those of the kernel whose name at the profiler has this in it, whatever the trace calls it")
          ->type_name("NAME");
  slice_options slice;
  slice.add_to(app);
  compare_options comparing;
  comparing.add_to(app);
  app.add_option("--columns", columns, "Columns of the printed report, 60 at least")->type_name("N");
  const CLI::Option* const max_memory =
      app.add_option("--max-memory", memory_text,
                     "Fail where reading the files or reporting on them takes more memory, such as 2G, 64M at least; "
                     "unless given 1 GB, 96 MB a thread and 64 bytes for each byte of the files; none for no limit")
          ->type_name("SIZE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return requested_text{app.help()};
  } catch (const CLI::CallForVersion&) {
    return requested_text{version_text() + "\n"};
  } catch (const CLI::ExtrasError&) {
    throw usage_error(text_on_extras(app.remaining()));
  } catch (const CLI::RequiredError&) {
    throw usage_error("no trace given");
  } catch (const CLI::ParseError& error) {
    throw usage_error(one_line(error.what()));
  }

  if (!scope_text.empty()) options.scope = scope_of(scope_text);
  if (columns && *columns < static_cast<int>(least_columns)) throw usage_error("--columns takes a number from 60 on");
  if (columns) options.columns = static_cast<std::size_t>(*columns);
  if (no_trace && output->count() != 0) throw usage_error("--output and --no-trace exclude each other");
  if (sites->count() != 0 && options.sites.empty()) throw usage_error("--sites takes the name of a trace");
  slice.read_into(options, no_trace);
  comparing.read_into(options);
  for (const std::string& page : options.ncu)
    if (page.starts_with("--")) throw usage_error("--ncu takes a file, not '" + one_line(page) + "'");
  unfold_captures(options);
  if (ncu_kernel->count() != 0 && options.ncu.empty()) throw usage_error("--ncu-kernel needs --ncu");
  if (ncu_kernel->count() != 0 && options.ncu_kernel.empty()) throw usage_error("--ncu-kernel takes a name");
  if (no_trace)
    options.output.clear();
  else if (output->count() == 0)
    options.output = output_beside(options);
  check_files(options);
  if (output->count() != 0) check_ending("--output", options.output, {".json", ".json.gz"});
  if (report->count() != 0) check_ending("--report", options.report, {".json", ".csv", ".md"});
  options.most_memory = max_memory->count() == 0 ? memory_limit_for(input_files(options)) : parse_memory(memory_text);
  return options;
}

}  // namespace iket::analysis
