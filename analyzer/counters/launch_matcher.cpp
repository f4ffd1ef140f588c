// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "launch_matcher.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "code_division.hpp"
#include "kernel_names.hpp"
#include "units.hpp"

namespace iket::analysis::counters {
namespace {

bool has_part(const std::string& name, const std::string& part) { return name.find(part) != std::string::npos; }

/// The listings that are of these launches, whatever they are called: with as many samples as one of them.
listed_launches of_samples(const listed_launches& pages, const profiled_kernels& launches) {
  listed_launches kept;
  for (const source_listing* const page : pages) {
    const std::optional<std::uint64_t> listed = samples_of(*page);
    const auto has_as_many = [&](const profiled_kernel* one) {
      const std::optional<double> counted = samples_of(*one);
      return listed && counted && static_cast<double>(*listed) == *counted;
    };
    if (std::any_of(launches.begin(), launches.end(), has_as_many)) kept.push_back(page);
  }
  return kept;
}

/// Of pages with instructions and pages with lines of the same launch, the former.
listed_launches best_of(listed_launches pages) {
  const auto has_code = [](const source_listing* page) { return page->has_instructions; };
  if (std::any_of(pages.begin(), pages.end(), has_code))
    pages.erase(std::remove_if(pages.begin(), pages.end(), std::not_fn(has_code)), pages.end());
  return pages;
}

template <class Entry>
bool are_of_one_file(const std::vector<const Entry*>& entries) {
  return std::all_of(entries.begin(), entries.end(),
                     [&](const Entry* one) { return one->file == entries.front()->file; });
}

}  // namespace

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

launch_matcher::launch_matcher(const ncu_profile& profile, const report& of, std::string kernel)
    : report_(of), wanted_(std::move(kernel)) {
  for (const launch_report& launch : of.launches) launch_names_.insert(launch.kernel);
  for (const profiled_kernel& one : profile.kernels) add_kernel(one);
  for (const source_listing& one : profile.listings) add_listing(one, profile.kernels.empty());
}

void launch_matcher::add_kernel(const profiled_kernel& one) {
  std::string base = base_name(one.name);
  if (is_own_kernel(base)) return;
  (one.raw.empty() ? details_by_name_ : raw_by_name_)[base].push_back(&one);
  if (!has_part(one.name, wanted_)) return;
  kernels_by_name_[base].push_back(&one);
  // One whose name is another launch's is that one's.
  if (!launch_names_.contains(base)) others_[{one.grid, one.block}].emplace_back(&one, base);
  if (!wanted_.empty()) all_wanted_.push_back(&one);
}

void launch_matcher::add_listing(const source_listing& one, bool is_alone) {
  std::string base = base_name(one.kernel);
  if (is_own_kernel(base)) return;
  listings_by_name_[base].push_back(&one);
  if (!has_part(one.kernel, wanted_)) return;
  listing_names_.insert(one.kernel);
  if (one.kernel.empty() || (is_alone && !launch_names_.contains(base))) other_listings_.push_back(&one);
}

profiled_kernels launch_matcher::kernels_of(const launch_report& launch) const {
  profiled_kernels found;
  for (const profiled_kernel* const one : all_wanted_)
    if (has_shape(*one, launch)) found.push_back(one);
  if (!wanted_.empty()) return found.empty() && report_.launches.size() == 1 ? all_wanted_ : found;
  if (const auto known = kernels_by_name_.find(launch.kernel); known != kernels_by_name_.end())
    for (const profiled_kernel* const one : known->second)
      if (has_shape(*one, launch)) found.push_back(one);
  if (!found.empty()) return found;
  // Of launches with several names, none of which fits, nobody knows whose it is.
  const auto is_another = [&](const launch_report& other) {
    return other.kernel != launch.kernel && other.grid == launch.grid && other.block == launch.block &&
           !kernels_by_name_.contains(other.kernel);
  };
  if (std::any_of(report_.launches.begin(), report_.launches.end(), is_another)) return {};
  std::set<std::string> names;
  for (const shape& wanted : {shape(launch.grid, launch.block), any_shape}) {
    const auto known = others_.find(wanted);
    if (known == others_.end()) continue;
    for (const auto& [one, base] : known->second) {
      found.push_back(one);
      names.insert(base);
    }
  }
  if (names.size() != 1) return {};
  const auto known = listings_by_name_.find(launch.kernel);
  return known == listings_by_name_.end() || !of_samples(known->second, found).empty() ? found : profiled_kernels();
}

listed_launches launch_matcher::listings_of(const launch_report& launch, const profiled_kernels& found,
                                            const std::vector<code_site>* sites, std::vector<std::string>& notes) {
  const std::string name = found.empty() ? launch.kernel : base_name(found.front()->name);
  if (const auto known = listings_by_name_.find(launch.kernel);
      known != listings_by_name_.end() && !listings_by_name_.contains(name)) {
    listed_launches pages = of_samples(best_of(known->second), found);
    for (const source_listing* const page : pages) looked_at_.insert(page->file);
    return pages;
  }
  // Its kernel was profiled with another grid or block alone.
  if (found.empty() && (raw_by_name_.contains(name) || details_by_name_.contains(name))) return {};
  if (const auto known = listings_by_name_.find(name); known != listings_by_name_.end()) {
    for (const source_listing* const page : known->second) looked_at_.insert(page->file);
    listed_launches pages = best_of(known->second);
    if (found.empty())
      keep_certain(name, pages);
    else
      keep_shape(launch, found, name, pages);
    if (pages.empty())
      notes.push_back("the page 'source' has '" + name +
                      "' several times, and nothing tells which of them is this launch's: give it the page 'raw' of "
                      "the same report, or pages of one launch");
    return pages;
  }
  if (other_listings_.empty() || listing_names_.size() > 1) return {};
  if (sites == nullptr) return {};
  const code_division trial = divide(*other_listings_.front(), *sites);
  const bool has_sites = trial.kind == division_kind::lines ||
                         (trial.events != 0 && trial.events_of_sites + trial.events_untold == trial.events);
  return has_sites ? best_of(other_listings_) : listed_launches();
}

void launch_matcher::keep_certain(const std::string& name, listed_launches& pages) const {
  const auto is_other = [this](const source_listing* page) { return !has_part(page->kernel, wanted_); };
  pages.erase(std::remove_if(pages.begin(), pages.end(), is_other), pages.end());
  const auto is_named = [&](const launch_report& launch) { return launch.kernel == name; };
  const auto is_another = [&](const source_listing* page) {
    return !may_be_one_kernel(full_name(page->kernel), full_name(pages.front()->kernel));
  };
  if (std::count_if(report_.launches.begin(), report_.launches.end(), is_named) > 1 ||
      std::any_of(pages.begin(), pages.end(), is_another))
    pages.clear();
}

void launch_matcher::keep_shape(const launch_report& launch, const profiled_kernels& found, const std::string& name,
                                listed_launches& pages) const {
  if (listed_launches sampled = of_samples(pages, found); !sampled.empty()) {
    pages = std::move(sampled);
    return;
  }
  const auto raw = raw_by_name_.find(name);
  const profiled_kernels& rows = raw != raw_by_name_.end() ? raw->second : details_by_name_.at(name);
  const auto is_wanted = [&](const profiled_kernel* row) {
    return has_shape(*row, launch) ? wanted_.empty() || has_part(row->name, wanted_)
                                   : !has_shape(*found.front(), launch) && has_part(row->name, wanted_);
  };
  if (std::all_of(rows.begin(), rows.end(), is_wanted)) return;
  listed_launches kept;
  const bool is_in_order = rows.size() == pages.size() && are_of_one_file(rows) && are_of_one_file(pages);
  for (std::size_t i = 0; i < pages.size() && is_in_order; ++i)
    if (is_wanted(rows[i])) kept.push_back(pages[i]);
  pages = std::move(kept);
}

}  // namespace iket::analysis::counters
