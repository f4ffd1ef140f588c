// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "load_traces.hpp"

#include <utility>

#include "build_timeline.hpp"
#include "merge_timelines.hpp"

namespace iket::analysis {
namespace {

timeline load_trace(const std::string& path, bool strict) {
  load_result loaded = load_timeline(path);
  if (loaded.error) throw unreadable_trace("'" + path + "': " + loaded.error->message());
  if (strict && loaded.damaged)
    throw unreadable_trace("'" + path + "': " + (loaded.damage ? loaded.damage->message() : "a part of it is damaged"));
  return std::move(*loaded.trace);
}

}  // namespace

timeline load_traces(const std::vector<std::string>& paths, bool strict) {
  std::vector<timeline> files;
  for (const std::string& path : paths) files.push_back(load_trace(path, strict));
  return files.size() == 1 ? std::move(files.front()) : merge_timelines(std::move(files));
}

}  // namespace iket::analysis
