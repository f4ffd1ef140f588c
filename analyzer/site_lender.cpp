// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "site_lender.hpp"

#include <algorithm>
#include <limits>

namespace iket::analysis {
namespace {

constexpr std::size_t bytes_of_check = 64;  // of names that are compared

}  // namespace

site_lender::site_lender(const trace_view& from) {
  for (const site_table_view& table : from.site_tables)
    for (const site_view& site : table.sites) {
      const auto [at, is_new] = sites_.emplace(site.address, &site);
      if (!is_new && (at->second == nullptr || !same_content(*at->second, site))) at->second = nullptr;
    }
  for (const auto& [address, site] : sites_)
    if (site != nullptr && site->kind < by_kind_.size()) by_kind_[site->kind].push_back(site);
  for (const launch_view& launch : from.launches)
    for (const warp_view& warp : launch.warps) {
      const warp_header header = warp.header();
      if ((header.flags & warp_anchor_is_base) != 0) bases_.push_back(header.anchor);
    }
  std::sort(bases_.begin(), bases_.end());
  bases_.erase(std::unique(bases_.begin(), bases_.end()), bases_.end());
}

const site_view* site_lender::find(std::uint64_t address) const {
  const auto at = sites_.find(address);
  return at == sites_.end() ? nullptr : at->second;
}

bool site_lender::takes(const module_needs::need& need, const site_view& site) {
  if (need.known == nullptr) return site.kind < by_kind_.size() && (need.kinds >> site.kind & 1) != 0;
  checks_ += (site.name.size() + site.file.size()) / bytes_of_check;
  return same_content(*need.known, site);
}

/// How many of the module's sites are there: none where one does not fit, where less than half are there (or not
/// `all`), or nothing that the file lacks.
std::size_t site_lender::fitting(const module_needs& to, std::uint64_t shift, bool all) {
  bool any = false;
  std::size_t there = 0;
  for (const auto& [address, need] : to.sites) {
    ++checks_;
    const site_view* const site = find(address + shift);
    if (site == nullptr && !all) continue;
    if (site == nullptr || !takes(need, *site)) return 0;
    any = any || need.known == nullptr;
    ++there;
  }
  return any && there * 2 >= to.sites.size() ? there : 0;
}

/// Keeps the distance at which most is there. Two are as good as one where they lead to the same names.
void site_lender::take(const module_needs& to, std::uint64_t shift, std::size_t there, best_fit& best) {
  if (there == 0 || there < best.there) return;
  if (there > best.there) {
    best = {shift, there, false};
    return;
  }
  for (const auto& [address, need] : to.sites) {
    ++checks_;
    const site_view* const one = find(address + *best.shift);
    const site_view* const other = find(address + shift);
    if (one != nullptr) checks_ += (one->name.size() + one->file.size()) / bytes_of_check;
    if ((one == nullptr) != (other == nullptr) || (one != nullptr && !same_content(*one, *other)))
      best.is_ambiguous = true;
  }
}

site_lender::best_fit site_lender::try_places(const module_needs& to) {
  best_fit best;
  if (std::binary_search(bases_.begin(), bases_.end(), to.anchor)) take(to, 0, fitting(to, 0, false), best);
  const best_fit same_place = best;
  if (same_place.there == to.sites.size()) return same_place;
  for (const std::uint64_t base : bases_) {
    if (is_spent()) break;
    if (base != to.anchor) take(to, base - to.anchor, fitting(to, base - to.anchor, false), best);
  }
  return same_place.shift && same_place.there == best.there ? same_place : best;
}

site_lender::best_fit site_lender::try_same_addresses(const module_needs& to) {
  best_fit best;
  take(to, 0, fitting(to, 0, false), best);
  return best;
}

site_lender::best_fit site_lender::try_layout(const module_needs& to) {
  // What can be at the fewest places leaves the fewest distances.
  const module_needs::need* rarest = nullptr;
  std::uint64_t address = 0;
  std::uint32_t kinds = 0;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const auto& [at, need] : to.sites) {
    const std::uint32_t fit = need.known == nullptr                ? need.kinds
                              : need.known->kind < by_kind_.size() ? 1U << need.known->kind
                                                                   : 0;
    std::size_t places = 0;
    for (std::size_t kind = 0; kind < by_kind_.size(); ++kind)
      places += (fit >> kind & 1) != 0 ? by_kind_[kind].size() : 0;
    checks_ += by_kind_.size();
    if (places >= fewest) continue;
    rarest = &need;
    address = at;
    kinds = fit;
    fewest = places;
  }
  best_fit best;
  for (std::size_t kind = 0; rarest != nullptr && kind < by_kind_.size(); ++kind) {
    if ((kinds >> kind & 1) == 0) continue;
    for (const site_view* const site : by_kind_[kind]) {
      if (is_spent() || best.is_ambiguous) return best;
      take(to, site->address - address, fitting(to, site->address - address, true), best);
    }
  }
  return best;
}

loan site_lender::lend(const module_needs& to) {
  if (is_spent()) return {loan_result::given_up, 0};
  const auto result_of = [&](const best_fit& best, loan_result found) -> loan {
    if (is_spent()) return {loan_result::given_up, 0};
    if (best.is_ambiguous) return {loan_result::ambiguous, 0};
    return best.shift ? loan{found, *best.shift} : loan{loan_result::foreign, 0};
  };
  if (to.has_base && !bases_.empty()) return result_of(try_places(to), loan_result::by_place);
  const loan by_address = result_of(try_same_addresses(to), loan_result::by_address);
  if (by_address.result != loan_result::foreign) return by_address;
  if (to.sites.size() < 2) return {loan_result::single, 0};
  return result_of(try_layout(to), loan_result::by_layout);
}

}  // namespace iket::analysis
