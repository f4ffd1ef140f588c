// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "page_use.hpp"

#include <algorithm>

#include "kernel_names.hpp"
#include "units.hpp"

namespace iket::analysis::counters {
namespace {

constexpr const char* advice = "; --ncu-kernel takes a part of the profiler's name of the kernel";

std::string named_shape(const launch_report& launch) { return launch.kernel + " (" + shape_text(launch) + ")"; }

/// "a, b and 3 more"
std::string list_text(const std::set<std::string>& names) {
  constexpr std::size_t most = 4;
  std::string text;
  std::size_t told = 0;
  for (const std::string& name : names) {
    if (told == most) return text + " and " + std::to_string(names.size() - most) + " more";
    text += (told++ == 0 ? "" : ", ") + name;
  }
  return text;
}

bool has_counters(const launch_report& launch) { return launch.counters.has_value(); }

}  // namespace

page_use::page_use(const ncu_profile& profile) : pages_warn_(!profile.warnings.empty()) {
  const auto note_name = [this](const std::string& file, const std::string& kernel, const std::string& name) {
    if (is_own_kernel(base_name(kernel))) return;
    std::set<std::string>& names = names_in_file_[file];
    if (names.size() <= most_names) names.insert(name);
  };
  for (const profiled_kernel& one : profile.kernels)
    note_name(one.file, one.name, one.name + " (" + shape_text(one) + ")");
  for (const source_listing& one : profile.listings)
    note_name(one.file, one.kernel, one.kernel.empty() ? "(unnamed kernel)" : one.kernel);
}

void page_use::note_ambiguous(const launch_report& launch, const profiled_kernels& found,
                              std::vector<std::string>& warnings) {
  std::set<std::string> names;
  for (const profiled_kernel* const one : found) {
    names.insert(full_name(one->name));
    used_.insert(one->file);
  }
  ambiguous_.insert(named_shape(launch));
  warnings.push_back("--ncu: several kernels fit '" + launch.kernel + "': " + list_text(names) +
                     "; --ncu-kernel takes a part of one's name");
}

void page_use::warn(const std::string& kernel, report& to) const {
  if (std::none_of(to.launches.begin(), to.launches.end(), has_counters)) return warn_of_no_match(kernel, to);
  for (const auto& [file, names] : names_in_file_)
    if (!used_.contains(file))
      to.warnings.push_back("--ncu: " + quoted(file) + " was not used: no reported launch fits " + list_text(names) +
                            advice);
  std::set<std::string> without;
  for (const launch_report& launch : to.launches)
    if (!has_counters(launch) && !ambiguous_.contains(named_shape(launch))) without.insert(named_shape(launch));
  if (!without.empty()) to.warnings.push_back("--ncu: the pages have no hardware counters of " + list_text(without));
}

void page_use::warn_of_no_match(const std::string& kernel, report& to) const {
  std::set<std::string> launches, seen;
  for (const launch_report& launch : to.launches) launches.insert(named_shape(launch));
  for (const auto& [file, names] : names_in_file_) seen.insert(names.begin(), names.end());
  if (!ambiguous_.empty() || (seen.empty() && pages_warn_)) return;  // another warning says so
  to.warnings.push_back("--ncu: no kernel of the pages fits a launch of the trace" +
                        (kernel.empty() ? std::string() : " by --ncu-kernel '" + kernel + "'") + "; the pages have " +
                        (seen.empty() ? "none of the program's" : list_text(seen)) + "; the trace has " +
                        list_text(launches) + advice);
}

}  // namespace iket::analysis::counters
