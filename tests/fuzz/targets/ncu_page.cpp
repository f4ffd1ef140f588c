// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Any text as a profiler's page: read, divided among stages, joined with a launch and told.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "counters/code_division.hpp"
#include "counters/join_counters.hpp"
#include "counters/kernel_names.hpp"
#include "counters/read_ncu_page.hpp"
#include "report_json.hpp"
#include "report_text.hpp"

namespace {

using namespace iket::analysis;
using namespace iket::analysis::counters;
using fuzz::check;

/// Sites as those of the recorded kernels lie, and some lines for pages without machine code.
std::vector<code_site> sites() {
  std::vector<code_site> all;
  for (std::uint32_t bits = 0x10; bits < 0x100; bits += 0x10)
    all.push_back({bits,
                   "stage " + std::to_string(bits / 0x20),
                   bits % 0x40 == 0 ? stage_kind::wait : stage_kind::work,
                   {"counters/kernels.cu", bits / 2}});
  return all;
}

void check_division(const source_listing& listing, const std::vector<code_site>& of) {
  const code_division division = divide(listing, of);
  column_values total = sums_of(listing);
  const auto subtract = [&](const column_values& part) {
    check(part.size() == total.size(), "a part has all columns");
    for (std::size_t i = 0; i < total.size(); ++i) total[i] -= part[i];
  };
  for (const stage_counters& stage : division.stages) subtract(stage.values);
  for (const column_values* const part : {&division.shared, &division.recording, &division.outside, &division.unknown})
    subtract(*part);
  for (const std::uint64_t rest : total) check(rest == 0, "parts add up to the page");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto known_sites = std::make_shared<const std::vector<code_site>>(sites());
  ncu_profile profile;
  read_ncu_page({reinterpret_cast<const char*>(data), size}, "page.csv", profile);
  check(!profile.kernels.empty() || !profile.listings.empty() || !profile.warnings.empty(), "a page says something");
  for (const source_listing& listing : profile.listings) {
    for (const source_row& row : listing.rows) check(row.values.size() == listing.columns.size(), "rows are whole");
    check_division(listing, *known_sites);
  }

  timeline trace;
  launch one;
  one.code_sites = known_sites;
  one.grid = one.block = {1, 1, 1};
  if (!profile.kernels.empty()) {
    one.kernel = base_name(profile.kernels.front().name);
    one.grid = profile.kernels.front().grid.value_or(one.grid);
    one.block = profile.kernels.front().block.value_or(one.block);
  } else if (!profile.listings.empty()) {
    one.kernel = base_name(profile.listings.front().kernel);
  }
  trace.launches.push_back(one);
  report result = make_report(trace);
  join_counters(profile, trace, size % 3 == 0 ? "k" : "", result);
  check(!report_text(result, {80, false}).empty(), "a report is printed");
  check(!report_json(result).empty(), "a report is written");
  return 0;
}
