// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "join_counters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "code_division.hpp"
#include "counter_doubts.hpp"
#include "counter_findings.hpp"
#include "division_sum.hpp"
#include "kernel_figures.hpp"
#include "kernel_names.hpp"
#include "launch_group.hpp"
#include "units.hpp"

namespace iket::analysis::counters {
namespace {

using kernels = std::vector<const profiled_kernel*>;
using listings = std::vector<const source_listing*>;

bool has_part(const std::string& name, const std::string& part) { return name.find(part) != std::string::npos; }

bool has_shape(const profiled_kernel& kernel, const launch_report& launch) {
  return (!kernel.grid || *kernel.grid == launch.grid) && (!kernel.block || *kernel.block == launch.block);
}

std::string shape_text(const launch_report& launch) {
  return "grid " + extent_text(launch.grid) + ", block " + extent_text(launch.block);
}

std::string shape_text(const profiled_kernel& kernel) {
  return (kernel.grid ? "grid " + extent_text(*kernel.grid) : std::string("grid unknown")) + ", " +
         (kernel.block ? "block " + extent_text(*kernel.block) : std::string("block unknown"));
}

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

/// A page's kernel or listing, with its name made short once.
template <class Entry>
struct named {
  const Entry* entry = nullptr;
  std::string base;
};

class joiner {
 public:
  joiner(const ncu_profile& profile, const timeline& source, const std::string& kernel, report& to)
      : wanted_(kernel), to_(to), groups_(group_launches(source)), pages_warn_(!profile.warnings.empty()) {
    for (const launch_report& launch : to.launches) launch_names_.insert(launch.kernel);
    for (const profiled_kernel& one : profile.kernels) add_kernel(one);
    for (const source_listing& one : profile.listings) add_listing(one, profile.kernels.empty());
  }

  void join() {
    for (std::size_t i = 0; i < to_.launches.size() && i < groups_.size(); ++i) join(to_.launches[i], groups_[i]);
    if (std::none_of(to_.launches.begin(), to_.launches.end(), has_counters))
      warn_of_no_match();
    else
      warn_of_what_is_left();
  }

 private:
  using shape = std::pair<std::optional<std::array<std::uint32_t, 3>>, std::optional<std::array<std::uint32_t, 3>>>;

  void join(launch_report& launch, const launch_group& group) {
    launch_counters counters;
    const kernels found = kernels_of(launch);
    if (has_several(found)) return warn_of_several(launch, found);
    const listings pages = listings_of(launch, found, group, counters.notes);
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
    if (!found.empty() && !has_shape(*found.front(), launch))
      counters.notes.push_back("the profiler saw it with " + shape_text(*found.front()) + ", not with " +
                               shape_text(launch));
    else if (const std::string name = base_name(counters.kernel); !name.empty() && name != launch.kernel)
      counters.notes.push_back("hardware counters are those of " + quoted(name) +
                               (!wanted_.empty() ? ", which --ncu-kernel asks for"
                                : !found.empty()
                                    ? ", the only kernel with this grid and block; --ncu-kernel takes another one"
                                    : ", the only kernel of the page; --ncu-kernel takes another one"));
    add_pages(pages, group, launch, counters);
    if (std::string note = note_on_unusable(found); !note.empty()) counters.notes.push_back(std::move(note));
    for (std::string& doubt : doubts_of(found, launch, counters)) counters.doubts.push_back(std::move(doubt));
    if (!counters.doubts.empty())
      counters.notes.emplace_back("nothing is concluded from hardware counters of which something is doubtful");
    used_files_.insert(files.begin(), files.end());
    launch.counters = std::move(counters);
    add_counter_findings(launch);
  }

  static bool has_counters(const launch_report& launch) { return launch.counters.has_value(); }

  static bool has_several(const kernels& found) {
    return std::any_of(found.begin(), found.end(), [&](const profiled_kernel* one) {
      return !may_be_one_kernel(full_name(one->name), full_name(found.front()->name));
    });
  }

  void warn_of_several(const launch_report& launch, const kernels& found) {
    std::set<std::string> names;
    for (const profiled_kernel* const one : found) names.insert(full_name(one->name));
    ambiguous_.insert(named_shape(launch));
    to_.warnings.push_back("--ncu: several kernels fit '" + launch.kernel + "': " + list_text(names) +
                           "; --ncu-kernel takes a part of one's name");
  }

  /// Of one launch there may be a page `raw` and a page `details`.
  static std::uint64_t launches_in(const kernels& found) {
    std::uint64_t raw = 0, details = 0;
    for (const profiled_kernel* const one : found) {
      raw += one->raw.empty() ? 0 : 1;
      details += one->details.empty() ? 0 : 1;
    }
    return std::max({raw, details, std::uint64_t{1}});
  }

  void add_pages(const listings& pages, const launch_group& group, const launch_report& launch,
                 launch_counters& to) const {
    if (pages.empty() && !listings_by_name_.empty()) return;  // which is told
    if (pages.empty()) {
      to.notes.emplace_back("no page of its source lines: print one with --page source --print-source cuda,sass");
      return;
    }
    const std::vector<code_site>* const sites = sites_of(group);
    if (sites == nullptr) {
      to.notes.emplace_back("no warp was traced, so that nothing tells its stages apart");
      return;
    }
    division_sum sum(launch, to);
    for (const source_listing* const page : pages) sum.add_listing(*page, *sites);
    sum.finish();
  }

  static const std::vector<code_site>* sites_of(const launch_group& group) {
    for (const launch* const one : group)
      if (one->code_sites != nullptr) return one->code_sites.get();
    return nullptr;
  }

  void add_kernel(const profiled_kernel& one) {
    std::string base = base_name(one.name);
    if (is_own_kernel(base)) return;
    note_seen(one.file, one.name + " (" + shape_text(one) + ")");
    (one.raw.empty() ? details_by_name_ : raw_by_name_)[base].push_back(&one);
    if (!has_part(one.name, wanted_)) return;
    kernels_by_name_[base].push_back(&one);
    // One whose name is another launch's is that one's.
    if (!launch_names_.contains(base)) others_[{one.grid, one.block}].push_back({&one, base});
    if (!wanted_.empty()) all_wanted_.push_back(&one);
  }

  void note_seen(const std::string& file, const std::string& name) {
    std::set<std::string>& names = names_in_file_[file];
    if (names.size() <= most_seen) names.insert(name);
  }

  void add_listing(const source_listing& one, bool is_alone) {
    std::string base = base_name(one.kernel);
    if (is_own_kernel(base)) return;
    listings_by_name_[base].push_back(&one);
    note_seen(one.file, one.kernel.empty() ? "(unnamed kernel)" : one.kernel);
    if (!has_part(one.kernel, wanted_)) return;
    listing_names_.insert(one.kernel);
    if (one.kernel.empty() || (is_alone && !launch_names_.contains(base))) other_listings_.push_back(&one);
  }

  [[nodiscard]] kernels kernels_of(const launch_report& launch) const {
    kernels found;
    for (const profiled_kernel* const one : all_wanted_)
      if (has_shape(*one, launch)) found.push_back(one);
    if (!wanted_.empty()) return found.empty() && to_.launches.size() == 1 ? all_wanted_ : found;
    if (const auto known = kernels_by_name_.find(launch.kernel); known != kernels_by_name_.end())
      for (const profiled_kernel* const one : known->second)
        if (has_shape(*one, launch)) found.push_back(one);
    if (!found.empty() || listings_by_name_.contains(launch.kernel)) return found;
    // Of launches with several names, none of which fits, nobody knows whose it is.
    const auto is_another = [&](const launch_report& other) {
      return other.kernel != launch.kernel && other.grid == launch.grid && other.block == launch.block &&
             !kernels_by_name_.contains(other.kernel);
    };
    if (std::any_of(to_.launches.begin(), to_.launches.end(), is_another)) return {};
    std::set<std::string> names;
    for (const shape& wanted : {shape(launch.grid, launch.block), any_shape}) {
      const auto known = others_.find(wanted);
      if (known == others_.end()) continue;
      for (const auto& [one, base] : known->second) {
        found.push_back(one);
        names.insert(base);
      }
    }
    return names.size() == 1 ? found : kernels();
  }

  /// The listings of a launch; where there are some and nobody knows whose, none and a note.
  [[nodiscard]] listings listings_of(const launch_report& launch, const kernels& found, const launch_group& group,
                                     std::vector<std::string>& notes) const {
    const std::string name = found.empty() ? launch.kernel : base_name(found.front()->name);
    // Its kernel was profiled with another grid or block alone.
    if (found.empty() && (raw_by_name_.contains(name) || details_by_name_.contains(name))) return {};
    if (const auto known = listings_by_name_.find(name); known != listings_by_name_.end()) {
      listings pages = best_of(known->second);
      if (found.empty())
        keep_certain(name, pages);
      else
        keep_shape(launch, found, name, pages);
      if (pages.empty())
        notes.push_back("the page 'source' has '" + name +
                        "' several times and does not say with which grid: give it the page 'raw' of the same report");
      return pages;
    }
    if (other_listings_.empty() || listing_names_.size() > 1) return {};
    const std::vector<code_site>* const sites = sites_of(group);
    if (sites == nullptr) return {};
    const code_division trial = divide(*other_listings_.front(), *sites);
    const bool has_sites = trial.kind == division_kind::lines ||
                           (trial.events != 0 && trial.events_of_sites + trial.events_untold == trial.events);
    return has_sites ? best_of(other_listings_) : listings();
  }

  /// Without a page that tells grids: the listings that `wanted_` names, if they are of one kernel, and one kind of
  /// launches has this name.
  void keep_certain(const std::string& name, listings& pages) const {
    const auto is_other = [this](const source_listing* page) { return !has_part(page->kernel, wanted_); };
    pages.erase(std::remove_if(pages.begin(), pages.end(), is_other), pages.end());
    const auto is_named = [&](const launch_report& launch) { return launch.kernel == name; };
    const auto is_another = [&](const source_listing* page) {
      return !may_be_one_kernel(full_name(page->kernel), full_name(pages.front()->kernel));
    };
    if (std::count_if(to_.launches.begin(), to_.launches.end(), is_named) > 1 ||
        std::any_of(pages.begin(), pages.end(), is_another))
      pages.clear();
  }

  /// Of the listings of all kernels called `name` those of this launch's kernel, grid and block. Listings tell neither
  /// of the two; they stand in the order of the page `raw`, or `details`.
  void keep_shape(const launch_report& launch, const kernels& found, const std::string& name, listings& pages) const {
    const auto raw = raw_by_name_.find(name);
    const kernels& rows = raw != raw_by_name_.end() ? raw->second : details_by_name_.at(name);
    const auto is_wanted = [&](const profiled_kernel* row) {
      return has_shape(*row, launch) ? wanted_.empty() || has_part(row->name, wanted_)
                                     : !has_shape(*found.front(), launch) && has_part(row->name, wanted_);
    };
    if (std::all_of(rows.begin(), rows.end(), is_wanted)) return;
    listings kept;
    for (std::size_t i = 0; i < pages.size() && rows.size() == pages.size(); ++i)
      if (is_wanted(rows[i])) kept.push_back(pages[i]);
    pages = std::move(kept);
  }

  /// Of pages with instructions and pages with lines of the same launch, the former.
  static listings best_of(listings pages) {
    const auto has_code = [](const source_listing* page) { return page->has_instructions; };
    if (std::any_of(pages.begin(), pages.end(), has_code))
      pages.erase(std::remove_if(pages.begin(), pages.end(), std::not_fn(has_code)), pages.end());
    return pages;
  }

  void warn_of_no_match() const {
    std::set<std::string> launches;
    for (const launch_report& launch : to_.launches) launches.insert(named_shape(launch));
    std::set<std::string> seen;
    for (const auto& [file, names] : names_in_file_) seen.insert(names.begin(), names.end());
    if (!ambiguous_.empty() || (seen.empty() && pages_warn_)) return;  // another warning says so
    to_.warnings.push_back("--ncu: no kernel of the pages fits a launch of the trace" +
                           (wanted_.empty() ? std::string() : " by --ncu-kernel '" + wanted_ + "'") +
                           "; the pages have " + (seen.empty() ? "none of the program's" : list_text(seen)) +
                           "; the trace has " + list_text(launches) +
                           "; --ncu-kernel takes a part of the profiler's name of the kernel");
  }

  void warn_of_what_is_left() const {
    for (const auto& [file, names] : names_in_file_)
      if (!used_files_.contains(file))
        to_.warnings.push_back("--ncu: " + quoted(file) + " was not used: no launch of the trace fits " +
                               list_text(names));
    std::set<std::string> without;
    for (const launch_report& launch : to_.launches)
      if (!has_counters(launch) && !ambiguous_.contains(named_shape(launch))) without.insert(named_shape(launch));
    if (without.empty()) return;
    to_.warnings.push_back("--ncu: the pages have no hardware counters of " + list_text(without));
  }

  static constexpr std::size_t most_seen = 100;
  inline static const shape any_shape{};

  std::string wanted_;
  report& to_;
  std::vector<launch_group> groups_;
  std::set<std::string> launch_names_;
  std::map<std::string, kernels> kernels_by_name_;
  std::map<std::string, kernels> raw_by_name_, details_by_name_;  // the same, by the page
  std::map<shape, std::vector<named<profiled_kernel>>> others_;   // whose names are no launch's, by grid and block
  kernels all_wanted_;                                            // that --ncu-kernel asks for
  std::map<std::string, listings> listings_by_name_;
  listings other_listings_;  // whose names are no launch's, where no other page tells the grid
  std::set<std::string> listing_names_;
  std::map<std::string, std::set<std::string>> names_in_file_;  // of kernels, as a message tells them
  std::set<std::string> used_files_;
  bool pages_warn_;
  std::set<std::string> ambiguous_;  // launches that several kernels fit, which is told
};

}  // namespace

void join_counters(const ncu_profile& profile, const timeline& source, const std::string& kernel, report& to) {
  to.warnings.insert(to.warnings.end(), profile.warnings.begin(), profile.warnings.end());
  joiner(profile, source, kernel, to).join();
}

}  // namespace iket::analysis::counters
