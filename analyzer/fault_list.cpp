// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "fault_list.hpp"

#include <algorithm>
#include <string>

#include "address_name.hpp"
#include "limits.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

const site_view* find_site(const trace_view& view, const launch_view& launch, std::uint64_t address) {
  if (launch.sites == none) return nullptr;
  const std::vector<site_view>& sites = view.site_tables[launch.sites].sites;
  const auto at = std::lower_bound(sites.begin(), sites.end(), address,
                                   [](const site_view& site, std::uint64_t wanted) { return site.address < wanted; });
  return at != sites.end() && at->address == address ? &*at : nullptr;
}

fault fault_of(const file::fault_info& from, const site_view* site) {
  fault to;
  to.kind = from.kind;
  to.count = from.count;
  to.warp = from.warp;
  std::copy_n(from.cta, 3, to.cta.begin());
  if (site != nullptr) {
    to.site = site->name;
    to.source = {std::string(site->file), site->line};
  } else if (from.site != 0) {
    to.site = address_name(from.site);
  }
  return to;
}

/// The fault itself, and what to do about it.
struct words {
  std::string what;
  const char* advice;
};

words words_of(const fault& of) {
  const bool one = of.count == 1;
  switch (of.kind) {
    case file::fault_kind::leader_absent:
      return {count_text(of.count, "event") + " ran without the leader lane",
              "make the recorder inside the branch that these lanes take, or keep its leader lane in it"};
    case file::fault_kind::second_recorder:
      return {count_text(of.count, "recorder") + (one ? " was" : " were") + " made on a warp that had one already",
              "make one at the top of the kernel and pass it by reference"};
    case file::fault_kind::pop_without_push:
      return {count_text(of.count, "pop") + " where nothing was pushed",
              "every IKET_POP needs an IKET_PUSH before it on the same recorder"};
    case file::fault_kind::end_without_start:
      return {count_text(of.count, "end") + (one ? " of a token that was" : " of tokens that were") + " not open",
              "end each token once, with the recorder that started it"};
    case file::fault_kind::recorder_copied:
      return {"a recorder was copied, seen " + count_text(of.count, "time"),
              "pass recorders by reference: a copy counts on its own and overwrites records"};
  }
  return {count_text(of.count, "fault") + " of kind " + std::to_string(static_cast<std::uint32_t>(of.kind)),
          "a newer iket-analyze knows what that is"};
}

}  // namespace

std::vector<fault> faults_of(const trace_view& view, const launch_view& launch) {
  std::vector<fault> faults;
  faults.reserve(std::min(launch.faults.size(), limits::faults));
  for (const file::fault_info& from : launch.faults) {
    if (faults.size() == limits::faults) break;
    faults.push_back(fault_of(from, from.site != 0 ? find_site(view, launch, from.site) : nullptr));
  }
  return faults;
}

std::uint64_t faults_left_out(const launch_view& launch) {
  std::uint64_t count = launch.faults_dropped;
  for (std::size_t i = limits::faults; i < launch.faults.size(); ++i) count += launch.faults[i].count;
  return count;
}

const char* kind_name(file::fault_kind kind) {
  switch (kind) {
    case file::fault_kind::leader_absent:
      return "leader_absent";
    case file::fault_kind::second_recorder:
      return "second_recorder";
    case file::fault_kind::pop_without_push:
      return "pop_without_push";
    case file::fault_kind::end_without_start:
      return "end_without_start";
    case file::fault_kind::recorder_copied:
      return "recorder_copied";
  }
  return "unknown";
}

std::string fault_text(const fault& of) {
  const words about = words_of(of);
  std::string text;
  if (!of.source.file.empty()) text = of.source.file + ":" + std::to_string(of.source.line);
  if (!of.site.empty()) text += (text.empty() ? "'" : " '") + of.site + "'";
  return text + (text.empty() ? "" : ": ") + about.what + " (first seen in CTA " + std::to_string(of.cta[0]) + "," +
         std::to_string(of.cta[1]) + "," + std::to_string(of.cta[2]) + " warp " + std::to_string(of.warp) +
         "): " + about.advice;
}

}  // namespace iket::analysis
