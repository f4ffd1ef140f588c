// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "load_traces.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "borrowed_sites.hpp"
#include "build_timeline.hpp"
#include "merge_timelines.hpp"

namespace iket::analysis {
namespace {

unreadable_trace error_of(const std::string& path, const std::string& text) {
  return unreadable_trace("'" + path + "': " + text);
}

timeline load_trace(const std::string& path, bool strict, const site_source* sites, nameless_sites nameless) {
  load_result loaded = load_timeline(path, sites, nameless);
  if (loaded.error) throw error_of(path, loaded.error->message());
  if (strict && loaded.damaged)
    throw error_of(path, loaded.damage ? loaded.damage->message() : "a part of it is damaged");
  return std::move(*loaded.trace);
}

site_source open_sites(const std::string& path, bool strict) {
  std::variant<site_source, read_error> opened = site_source::open(path);
  if (const auto* const error = std::get_if<read_error>(&opened)) throw error_of(path, error->message());
  auto& source = std::get<site_source>(opened);
  if (strict && !source.view().damages.empty()) throw error_of(path, source.view().damages.front().message());
  return std::move(source);
}

}  // namespace

timeline load_traces(const std::vector<std::string>& paths, bool strict, const std::string& sites,
                     nameless_sites nameless) {
  std::optional<site_source> source;
  if (!sites.empty()) source.emplace(open_sites(sites, strict));
  std::vector<timeline> files;
  for (const std::string& path : paths)
    files.push_back(load_trace(path, strict, source ? &*source : nullptr, nameless));
  timeline result = files.size() == 1 ? std::move(files.front()) : merge_timelines(std::move(files));
  if (source)
    for (const read_error& damage : source->view().damages)
      result.warnings.push_back("names may be missing in '" + sites + "': " + damage.message());
  return result;
}

}  // namespace iket::analysis
