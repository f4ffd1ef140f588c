// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "site_catalog.hpp"

#include <algorithm>
#include <tuple>

#include <iket/site.hpp>

#include "address_name.hpp"
#include "limits.hpp"

namespace iket::analysis {
namespace {

/// Stands for all names behind the first `limits::names`.
constexpr std::string_view further_names = "(further names)";

/// The index of `key` in a table; `append` makes the entry if it is new.
template <class Append>
index find_or_append(std::unordered_map<std::string, index>& known, std::string key, std::size_t size, Append append) {
  const auto [at, is_new] = known.emplace(std::move(key), static_cast<index>(size));
  if (is_new) append();
  return at->second;
}

}  // namespace

stage_kind stage_kind_of(std::uint32_t kind) {
  return kind == static_cast<std::uint32_t>(site_kind::wait) ? stage_kind::wait : stage_kind::work;
}

index name_tables::stage(std::string_view name, stage_kind kind) {
  if (to_.stages.size() >= limits::names &&
      !stages_.contains((kind == stage_kind::wait ? "w" : "-") + std::string(name)))
    name = further_names;
  std::string key(kind == stage_kind::wait ? "w" : "-");
  key += name;
  return find_or_append(stages_, std::move(key), to_.stages.size(), [&] {
    to_.stages.push_back({std::string(name), kind, {}});
  });
}

index name_tables::point(std::string_view name) {
  if (to_.points.size() >= limits::names && !points_.contains(std::string(name))) name = further_names;
  return find_or_append(points_, std::string(name), to_.points.size(), [&] {
    to_.points.push_back({std::string(name), {}});
  });
}

index name_tables::role(std::string_view name) {
  if (to_.roles.size() >= limits::names && !roles_.contains(std::string(name))) name = further_names;
  return find_or_append(roles_, std::string(name), to_.roles.size(), [&] { to_.roles.emplace_back(name); });
}

index name_tables::source(std::string_view file, std::uint32_t line) {
  std::string key = std::to_string(line) + ' ';
  key += file;
  return find_or_append(sources_, std::move(key), to_.sources.size(), [&] {
    to_.sources.push_back({std::string(file), line});
  });
}

void name_tables::add_source(std::vector<source_location>& sources, index source) {
  if (source != none) sources.push_back(to_.sources[source]);
}

void name_tables::finish() {
  const auto tidy = [](std::vector<source_location>& sources) {
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  };
  for (analysis::stage& entry : to_.stages) tidy(entry.sources);
  for (point_name& entry : to_.points) tidy(entry.sources);
  if (std::max({to_.stages.size(), to_.points.size(), to_.roles.size()}) > limits::names)
    to_.warnings.push_back("more than " + std::to_string(limits::names) +
                           " names: those behind them are put together as '" + std::string(further_names) + "'");
}

void enter_sites(const trace_view& view, name_tables& names) {
  std::vector<const site_view*> sites;
  for (const site_table_view& table : view.site_tables)
    for (const site_view& site : table.sites) sites.push_back(&site);
  const auto key = [](const site_view* site) { return std::tie(site->file, site->line, site->name, site->kind); };
  std::sort(sites.begin(), sites.end(), [&](const site_view* a, const site_view* b) { return key(a) < key(b); });
  for (const site_view* site : sites) {
    switch (static_cast<site_kind>(site->kind)) {
      case site_kind::work:
      case site_kind::wait: {
        const index stage = names.stage(site->name, stage_kind_of(site->kind));
        names.add_source(names.to().stages[stage].sources, names.source(site->file, site->line));
        break;
      }
      case site_kind::mark:
      case site_kind::counter: {
        const index point = names.point(site->name);
        names.add_source(names.to().points[point].sources, names.source(site->file, site->line));
        break;
      }
      case site_kind::role:
        (void)names.role(site->name);
        break;
      default:
        break;
    }
  }
}

site_numbers::site_numbers(const site_table_view* table, name_tables& names) : names_(names), sites_(1) {
  if (table == nullptr) return;
  for (const site_view& view : table->sites) {
    const auto number = static_cast<std::uint32_t>(sites_.size());
    numbers_.emplace(view.address, number);
    sites_.push_back({.address = view.address, .view = &view, .source = names.source(view.file, view.line)});
    switch (static_cast<site_kind>(view.kind)) {
      case site_kind::work:
      case site_kind::wait:
        enter_stage(number);
        break;
      case site_kind::mark:
      case site_kind::counter:
        enter_point(number);
        break;
      case site_kind::role:
        enter_role(number);
        break;
      default:
        break;
    }
  }
}

std::uint32_t site_numbers::find(std::uint64_t address) const {
  const auto at = numbers_.find(address);
  return at == numbers_.end() ? 0 : at->second;
}

std::uint32_t site_numbers::enter(std::uint64_t address) {
  const auto [at, is_new] = numbers_.emplace(address, static_cast<std::uint32_t>(sites_.size()));
  if (is_new) sites_.push_back({.address = address});
  return at->second;
}

std::string site_numbers::name_of(const site& of) {
  return of.view != nullptr ? std::string(of.view->name) : address_name(of.address);
}

index site_numbers::enter_stage(std::uint32_t number) {
  site& of = sites_[number];
  of.stage = names_.stage(name_of(of), of.view == nullptr ? stage_kind::work : stage_kind_of(of.view->kind));
  names_.add_source(names_.to().stages[of.stage].sources, of.source);
  return of.stage;
}

index site_numbers::enter_point(std::uint32_t number) {
  site& of = sites_[number];
  of.point = names_.point(name_of(of));
  names_.add_source(names_.to().points[of.point].sources, of.source);
  return of.point;
}

index site_numbers::enter_role(std::uint32_t number) {
  site& of = sites_[number];
  return of.role = names_.role(name_of(of));
}

std::uint32_t site_reader::look_up(std::uint64_t address) {
  if (may_change_) return sites_.enter(address);
  const std::uint32_t number = sites_.find(address);
  lacking_ = lacking_ || number == 0;
  return number;
}

index site_reader::enter(std::uint32_t number, index (site_numbers::*as)(std::uint32_t)) {
  if (may_change_) return (sites_.*as)(number);
  lacking_ = true;
  return none;
}

}  // namespace iket::analysis
