// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "other_runs.hpp"

#include <optional>

#include "load_traces.hpp"
#include "plain_times.hpp"

namespace iket::analysis {
namespace {

std::optional<timeline> load_run(const std::string& run, const std::vector<std::string>& files, bool strict,
                                 report& to) {
  if (files.empty()) return std::nullopt;
  try {
    return load_traces(files, strict, {}, nameless_sites::count);
  } catch (const unreadable_trace& error) {
    if (strict) throw;
    to.warnings.push_back("the " + run + " run: " + error.what());
    return std::nullopt;
  }
}

}  // namespace

void add_other_runs(const std::vector<std::string>& plain, const std::vector<std::string>& profiled, bool strict,
                    const timeline& traced, report& to) {
  if (const std::optional<timeline> run = load_run("plain", plain, strict, to)) {
    (void)compare_runs("plain", *run, traced, false, to.warnings);
    add_plain_times(*run, traced, to);
  }
  if (const std::optional<timeline> run = load_run("profiled", profiled, strict, to))
    (void)compare_runs("profiled", *run, traced, true, to.warnings);
}

}  // namespace iket::analysis
