// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "misuse_findings.hpp"

#include "fault_list.hpp"
#include "units.hpp"

namespace iket::analysis {

void add_misuse(const launch_report& launch, std::vector<finding>& to) {
  if (launch.launches_checked == 0) return;
  const bool all = launch.launches_checked == launch.count;
  to.push_back({severity::warning,
                "checked build: its times are not to be trusted; build without IKET_CHECKED to measure" +
                    (all ? std::string() : " (" + std::to_string(launch.launches_checked) + " of the launches)"),
                {},
                static_cast<double>(launch.launches_checked)});
  for (const fault& one : launch.faults)
    to.push_back({severity::warning, fault_text(one), {}, static_cast<double>(one.count)});
  if (launch.faults_dropped != 0)
    to.push_back({severity::warning,
                  count_text(launch.faults_dropped, "fault") + " at further places not listed: the device had no room",
                  {},
                  static_cast<double>(launch.faults_dropped)});
  if (launch.faults.empty() && launch.faults_dropped == 0 && launch.warps != 0)
    to.push_back({severity::info, "checked build: no misuse found", {}, 0.0});
}

}  // namespace iket::analysis
