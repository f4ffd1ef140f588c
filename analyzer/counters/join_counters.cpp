// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "join_counters.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "counter_doubts.hpp"
#include "counter_findings.hpp"
#include "division_sum.hpp"
#include "kernel_figures.hpp"
#include "kernel_names.hpp"
#include "launch_group.hpp"
#include "launch_matcher.hpp"
#include "page_use.hpp"
#include "units.hpp"

namespace iket::analysis::counters {
namespace {

bool has_several(const profiled_kernels& found) {
  return std::any_of(found.begin(), found.end(), [&](const profiled_kernel* one) {
    return !may_be_one_kernel(full_name(one->name), full_name(found.front()->name));
  });
}

/// Of one launch there may be a page `raw` and a page `details`.
std::uint64_t launches_in(const profiled_kernels& found) {
  std::uint64_t raw = 0, details = 0;
  for (const profiled_kernel* const one : found) {
    raw += one->raw.empty() ? 0 : 1;
    details += one->details.empty() ? 0 : 1;
  }
  return std::max({raw, details, std::uint64_t{1}});
}

/// The sites of its module; null where no warp was traced.
const std::vector<code_site>* sites_of(const launch_group& group) {
  for (const launch* const one : group)
    if (one->code_sites != nullptr) return one->code_sites.get();
  return nullptr;
}

class joiner {
 public:
  joiner(const ncu_profile& profile, const timeline& source, const std::string& kernel, report& to)
      : wanted_(kernel), to_(to), groups_(group_launches(source)), matcher_(profile, to, kernel), use_(profile) {}

  void join() {
    for (std::size_t i = 0; i < to_.launches.size() && i < groups_.size(); ++i) join(to_.launches[i], groups_[i]);
    use_.note(matcher_.looked_at());
    use_.warn(wanted_, to_);
  }

 private:
  void join(launch_report& launch, const launch_group& group) {
    launch_counters counters;
    const profiled_kernels found = matcher_.kernels_of(launch);
    if (has_several(found)) return use_.note_ambiguous(launch, found, to_.warnings);
    const std::vector<code_site>* const sites = sites_of(group);
    const listed_launches pages = matcher_.listings_of(launch, found, sites, counters.notes);
    if (found.empty() && pages.empty()) return;
    counters.kernel = found.empty() ? pages.front()->kernel : found.front()->name;
    counters.launches = found.empty() ? pages.size() : launches_in(found);
    std::set<std::string> files;
    for (const profiled_kernel* const one : found) files.insert(one->file);
    for (const source_listing* const one : pages) files.insert(one->file);
    counters.files.assign(files.begin(), files.end());
    counters.figures = figures_of(found);
    counters.stall_reasons = stall_reasons_of(found);
    counters.occupancy_limit = occupancy_limit_of(found);
    if (std::string note = note_on_whose(found, launch, counters.kernel); !note.empty())
      counters.notes.push_back(std::move(note));
    add_pages(pages, sites, launch, counters);
    if (std::string note = note_on_unusable(found); !note.empty()) counters.notes.push_back(std::move(note));
    for (std::string& doubt : doubts_of(found, pages, counters)) counters.doubts.push_back(std::move(doubt));
    counters.time_doubt = doubt_of_time(launch, counters);
    if (!counters.doubts.empty())
      counters.notes.emplace_back("nothing is concluded from hardware counters of which something is doubtful");
    else if (!counters.time_doubt.empty())
      counters.notes.emplace_back("what bounds it is not concluded from counters of a launch that took another time");
    use_.note(files);
    launch.counters = std::move(counters);
    add_counter_findings(launch);
  }

  /// Of counters that are not of a kernel with the launch's name, grid and block.
  [[nodiscard]] std::string note_on_whose(const profiled_kernels& found, const launch_report& launch,
                                          const std::string& kernel) const {
    if (!found.empty() && !has_shape(*found.front(), launch))
      return "the profiler saw it with " + shape_text(*found.front()) + ", not with " + shape_text(launch);
    const std::string name = base_name(kernel);
    if (name.empty() || name == launch.kernel) return {};
    const std::string whose = "hardware counters are those of " + quoted(name);
    if (!wanted_.empty()) return whose + ", which --ncu-kernel asks for";
    return whose + ", the only kernel " + (found.empty() ? "of the page" : "with this grid and block") +
           "; --ncu-kernel takes another one";
  }

  void add_pages(const listed_launches& pages, const std::vector<code_site>* sites, const launch_report& launch,
                 launch_counters& to) const {
    if (pages.empty() && matcher_.has_listings()) return;  // which is told
    if (pages.empty()) {
      to.notes.emplace_back("no page of its source lines: print one with --page source --print-source cuda,sass");
      return;
    }
    if (sites == nullptr) {
      to.notes.emplace_back("no warp was traced, so that nothing tells its stages apart");
      return;
    }
    division_sum sum(launch, to);
    for (const source_listing* const page : pages) sum.add_listing(*page, *sites);
    sum.finish();
  }

  std::string wanted_;
  report& to_;
  std::vector<launch_group> groups_;
  launch_matcher matcher_;
  page_use use_;
};

}  // namespace

void join_counters(const ncu_profile& profile, const timeline& source, const std::string& kernel, report& to) {
  to.warnings.insert(to.warnings.end(), profile.warnings.begin(), profile.warnings.end());
  joiner(profile, source, kernel, to).join();
}

}  // namespace iket::analysis::counters
