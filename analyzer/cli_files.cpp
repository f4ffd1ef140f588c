// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "cli_files.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "capture/capture_folder.hpp"

namespace iket::analysis {
namespace {

namespace fs = std::filesystem;

/// Pipes and devices take any name; a file's name says what is in it.
bool is_special_file(const std::string& path) {
  std::error_code failure;
  return fs::exists(path, failure) && !fs::is_regular_file(path, failure) && !fs::is_directory(path, failure);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code failure;
  if (is_special_file(a) || is_special_file(b)) return false;
  if (fs::equivalent(a, b, failure)) return true;
  return fs::weakly_canonical(fs::absolute(a, failure), failure) ==
         fs::weakly_canonical(fs::absolute(b, failure), failure);
}

void check_named_once(const std::vector<std::string>& files, const std::string& as) {
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (same_file(files[i], files[k])) throw usage_error("'" + files[i] + "' is named twice" + as);
}

/// An input, and what it is for.
using named_input = std::pair<std::string, const char*>;

std::vector<named_input> inputs_of(const cli_options& options) {
  std::vector<named_input> inputs;
  const auto add = [&](const std::vector<std::string>& files, const char* what) {
    for (const std::string& file : files) inputs.emplace_back(file, what);
  };
  add(options.traces, "the trace itself");
  add(options.baseline, "the baseline");
  if (!options.sites.empty()) inputs.emplace_back(options.sites, "the trace with the sites");
  add(options.plain, "the capture's plain run");
  add(options.profiled, "the capture's profiled run");
  add(options.ncu, "a page of hardware counters");
  return inputs;
}

/// Whether a path is that of a page in a folder of iket-capture.
bool is_page_of_capture(const std::string& path) {
  const fs::path name = fs::path(path).filename();
  const bool is_page = name == "raw.csv" || name == "details.csv" || name == "source.csv";
  return is_page && find_capture((fs::path(path).parent_path() / ".").string()).has_value();
}

}  // namespace

void check_ending(const std::string& option, const std::string& path, std::initializer_list<const char*> endings) {
  if (is_special_file(path)) return;
  std::string allowed;
  for (const char* const ending : endings) {
    if (path.ends_with(ending)) return;
    allowed += (allowed.empty() ? "" : " or ") + std::string(ending);
  }
  throw usage_error(option + " takes a name that ends in " + allowed + ", not '" + path + "'");
}

void unfold_captures(cli_options& options) {
  for (const std::string& trace : options.traces) {
    const std::optional<capture_folder> found = find_capture(trace);
    if (!found) continue;
    if (options.traces.size() > 1)
      throw usage_error("'" + trace + "' is a capture, which is analysed by itself; of several traces name each file");
    options.capture = trace;
    options.traces = found->traced;
    options.plain = found->plain;
    options.profiled = found->profiled;
    options.ncu.insert(options.ncu.end(), found->pages.begin(), found->pages.end());
    break;
  }
  std::vector<std::string> baseline;
  for (const std::string& file : options.baseline)
    if (const std::optional<capture_folder> found = find_capture(file))
      baseline.insert(baseline.end(), found->traced.begin(), found->traced.end());
    else
      baseline.push_back(file);
  options.baseline = std::move(baseline);
  if (const std::optional<capture_folder> found = find_capture(options.sites)) options.sites = found->traced.front();
}

std::string output_beside(const cli_options& options) {
  if (!options.capture.empty()) return (fs::path(options.capture) / "trace.json").string();
  const std::string& trace = options.traces.front();
  if (options.traces.size() > 1) return (fs::path(trace).parent_path() / "merged.json").string();
  const std::string_view ending = ".bin";
  return (trace.ends_with(ending) ? trace.substr(0, trace.size() - ending.size()) : trace) + ".json";
}

std::vector<std::string> input_files(const cli_options& options) {
  std::vector<std::string> files;
  for (const named_input& input : inputs_of(options)) files.push_back(input.first);
  return files;
}

void check_files(const cli_options& options) {
  for (const auto& [input, what] : inputs_of(options))
    for (const std::string* const output : {&options.output, &options.report})
      if (!output->empty() && same_file(*output, input))
        throw usage_error("'" + *output + "' is " + what + " and would be overwritten");
  for (const std::string* const output : {&options.output, &options.report})
    if (is_page_of_capture(*output))
      throw usage_error("'" + *output + "' is a page of a capture and would be overwritten");
  check_named_once(options.traces, "");
  check_named_once(options.baseline, " as baseline");
  check_named_once(options.ncu, " as a page");
  if (!options.output.empty() && !options.report.empty() && same_file(options.output, options.report))
    throw usage_error("the Chrome trace and the report would both be written to '" + options.output + "'");
}

}  // namespace iket::analysis
