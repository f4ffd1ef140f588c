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

timeline load_trace(const std::string& path, bool strict, const site_source* sites) {
  load_result loaded = load_timeline(path, sites);
  if (loaded.error) throw unreadable_trace("'" + path + "': " + loaded.error->message());
  if (strict && loaded.damaged)
    throw unreadable_trace("'" + path + "': " + (loaded.damage ? loaded.damage->message() : "a part of it is damaged"));
  return std::move(*loaded.trace);
}

}  // namespace

timeline load_traces(const std::vector<std::string>& paths, bool strict, const std::string& sites) {
  std::optional<site_source> source;
  if (!sites.empty()) {
    std::variant<site_source, read_error> opened = site_source::open(sites);
    if (const auto* const error = std::get_if<read_error>(&opened))
      throw unreadable_trace("'" + sites + "': " + error->message());
    source.emplace(std::move(std::get<site_source>(opened)));
  }
  std::vector<timeline> files;
  for (const std::string& path : paths) files.push_back(load_trace(path, strict, source ? &*source : nullptr));
  return files.size() == 1 ? std::move(files.front()) : merge_timelines(std::move(files));
}

}  // namespace iket::analysis
