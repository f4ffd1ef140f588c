// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "borrowed_sites.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "site_lender.hpp"
#include "site_needs.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

/// Counts of sites.
struct tally {
  std::size_t by_place = 0;
  std::size_t by_address = 0;
  std::size_t by_layout = 0;
  std::size_t not_there = 0;  // in a module of which others are
  std::size_t ambiguous = 0;
  std::size_t single = 0;
  std::size_t given_up = 0;
  std::size_t foreign = 0;

  std::size_t& of(loan_result result) {
    switch (result) {
      case loan_result::by_place:
        return by_place;
      case loan_result::by_address:
        return by_address;
      case loan_result::by_layout:
        return by_layout;
      case loan_result::ambiguous:
        return ambiguous;
      case loan_result::single:
        return single;
      case loan_result::given_up:
        return given_up;
      case loan_result::foreign:
        break;
    }
    return foreign;
  }
};

void take(const module_needs& of, const loan& found, const site_lender& from, std::vector<site_view>& to,
          tally& counts) {
  for (const auto& [address, need] : of.sites) {
    if (need.known != nullptr) continue;
    if (const site_view* const site = from.find(address + found.shift)) {
      to.push_back(*site);
      to.back().address = address;
      ++counts.of(found.result);
    } else {
      ++counts.not_there;
    }
  }
}

std::vector<std::string> text_of(const tally& counts, const std::string& file) {
  std::vector<std::string> text;
  const std::string quoted = "'" + file + "'";
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count != 0) text.push_back(count_text(count, "site") + " without a name in the file: " + what);
  };
  add(counts.by_place, "taken from " + quoted);
  add(counts.by_address, "taken from " + quoted +
                             " by their addresses alone: they lie there at the same ones, and nothing states that it "
                             "is the same binary");
  add(counts.by_layout, "taken from " + quoted +
                            " by their layout alone: they lie there at the same distances from each other, and nothing "
                            "states that it is the same binary");
  add(counts.not_there, "not in " + quoted + " either: it has those that its own run came by");
  add(counts.ambiguous, "more than one place in " + quoted + " fits, none is taken");
  add(counts.single,
      "nothing states its module's place in " + quoted + ", and one site alone fits anywhere: none is taken");
  add(counts.given_up, "too many places in " + quoted + " to try, none is taken");
  add(counts.foreign,
      "no place in " + quoted +
          " fits: it lacks some of them, as those that only a failure reaches, or is of another binary");
  return text;
}

/// Adds sites to a table, which stays sorted with each address once.
void add_sites(const std::vector<site_view>& taken, std::vector<site_view>& to) {
  to.insert(to.end(), taken.begin(), taken.end());
  const auto before = [](const site_view& a, const site_view& b) { return a.address < b.address; };
  const auto same = [](const site_view& a, const site_view& b) { return a.address == b.address; };
  std::stable_sort(to.begin(), to.end(), before);
  to.erase(std::unique(to.begin(), to.end(), same), to.end());
}

}  // namespace

std::variant<site_source, read_error> site_source::open(const std::string& path) {
  std::variant<mapped_file, read_error> file = mapped_file::open(path);
  if (auto* const error = std::get_if<read_error>(&file)) return std::move(*error);
  std::variant<trace_view, read_error> read = read_trace(std::get<mapped_file>(file).bytes());
  if (auto* const error = std::get_if<read_error>(&read)) return std::move(*error);
  return site_source(path, std::move(std::get<mapped_file>(file)), std::move(std::get<trace_view>(read)));
}

std::vector<std::string> borrow_sites(const trace_view& from, const std::string& name, trace_view& to) {
  site_lender lends(from);
  tally counts;
  for (const auto& [number, modules] : site_needs_of(to)) {
    std::vector<site_view> taken;
    for (const auto& [anchor, needs] : modules) {
      if (needs.lacking == 0) continue;
      const loan found = lends.lend(needs);
      if (found.result == loan_result::by_place || found.result == loan_result::by_address ||
          found.result == loan_result::by_layout)
        take(needs, found, lends, taken, counts);
      else
        counts.of(found.result) += needs.lacking;
    }
    if (taken.empty()) continue;
    if (number != none) {
      add_sites(taken, to.site_tables[number].sites);
      continue;
    }
    for (launch_view& launch : to.launches)
      if (launch.sites == none) launch.sites = static_cast<index>(to.site_tables.size());
    add_sites(taken, to.site_tables.emplace_back().sites);
  }
  return text_of(counts, name);
}

}  // namespace iket::analysis
