// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "borrowed_sites.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <iket/site.hpp>

#include "units.hpp"

namespace iket::analysis {
namespace {

constexpr std::uint64_t most_checks = std::uint64_t{1} << 26;

std::uint32_t bit_of(site_kind kind) { return 1u << static_cast<std::uint32_t>(kind); }

/// The kinds of sites that a record may refer to, as bits.
std::uint32_t kinds_for(record_kind kind) {
  if (kind == record_kind::mark) return bit_of(site_kind::mark);
  if (kind == record_kind::counter) return bit_of(site_kind::counter);
  return bit_of(site_kind::work) | bit_of(site_kind::wait);
}

bool same_content(const site_view& a, const site_view& b) {
  return std::tie(a.kind, a.name, a.file, a.line) == std::tie(b.kind, b.name, b.file, b.line);
}

/// All sites of a file by address, without those at addresses where it has several.
class known_sites {
 public:
  explicit known_sites(const trace_view& from) {
    for (const site_table_view& table : from.site_tables)
      for (const site_view& site : table.sites) {
        const auto [at, is_new] = sites_.emplace(site.address, &site);
        if (!is_new && (at->second == nullptr || !same_content(*at->second, site))) at->second = nullptr;
      }
  }

  /// nullptr where there is none.
  [[nodiscard]] const site_view* find(std::uint64_t address) const {
    const auto at = sites_.find(address);
    return at == sites_.end() ? nullptr : at->second;
  }

  [[nodiscard]] const std::unordered_map<std::uint64_t, const site_view*>& all() const noexcept { return sites_; }

 private:
  std::unordered_map<std::uint64_t, const site_view*> sites_;
};

/// What the records of one module refer to.
struct module_needs {
  struct need {
    std::uint32_t kinds = 0;           // that fit all of its records, as bits
    const site_view* known = nullptr;  // as the file itself has it
  };
  bool has_base = false;  // `anchor` is the same for all of the module's warps
  std::uint64_t anchor = 0;
  std::map<std::uint64_t, need> sites;  // by address
  std::size_t lacking = 0;
};

/// The modules of launches that share a site table; `none`: those that have none.
using table_needs = std::map<std::uint64_t, module_needs>;  // by anchor

void collect(const launch_view& launch, table_needs& to) {
  for (const warp_view& warp : launch.warps) {
    const warp_header header = warp.header();
    module_needs& needs = to[header.anchor];
    needs.anchor = header.anchor;
    needs.has_base = (header.flags & warp_anchor_is_base) != 0;
    const auto add = [&](std::uint32_t bits, std::uint32_t kinds) {
      const std::uint64_t address = iket::detail::site_address(header.anchor, header.flags, bits);
      const auto [at, is_new] = needs.sites.try_emplace(address, module_needs::need{kinds, nullptr});
      if (!is_new) at->second.kinds &= kinds;
    };
    if (header.role != 0) add(site_bits_of(header.role), bit_of(site_kind::role));
    std::uint32_t last = 0;  // records of a site come in pairs
    for (std::size_t i = 0; i < warp.records.size(); ++i) {
      const std::uint32_t tag = warp.records[i].tag;
      const record_kind kind = kind_of(tag);
      if (!has_site(kind) || tag == last) continue;
      last = tag;
      add(site_bits_of(tag), kinds_for(kind));
    }
  }
}

/// Looks up in the file's own table what it has.
void mark_known(const site_table_view* table, module_needs& of) {
  for (auto& [address, need] : of.sites) {
    if (table != nullptr) {
      const auto at =
          std::lower_bound(table->sites.begin(), table->sites.end(), address,
                           [](const site_view& site, std::uint64_t wanted) { return site.address < wanted; });
      if (at != table->sites.end() && at->address == address) need.known = &*at;
    }
    of.lacking += need.known == nullptr;
  }
}

/// What became of a module.
struct loan {
  std::optional<std::uint64_t> shift;  // from the file's addresses to the source's
  bool is_ambiguous = false;
  bool is_given_up = false;
};

class lender {
 public:
  explicit lender(const trace_view& from) : sites_(from) {
    for (const launch_view& launch : from.launches)
      for (const warp_view& warp : launch.warps) {
        const warp_header header = warp.header();
        if ((header.flags & warp_anchor_is_base) != 0) anchors_.insert(header.anchor);
      }
  }

  [[nodiscard]] const known_sites& sites() const noexcept { return sites_; }

  [[nodiscard]] loan lend(const module_needs& to) {
    if (fits(to, 0, true)) return {0};
    std::set<std::uint64_t> shifts;
    if (to.has_base)
      for (const std::uint64_t anchor : anchors_) shifts.insert(anchor - to.anchor);
    const loan by_place = try_all(to, shifts);
    if (by_place.shift || by_place.is_ambiguous || by_place.is_given_up) return by_place;
    shifts.clear();
    const auto& [address, need] =
        *std::find_if(to.sites.begin(), to.sites.end(), [](const auto& one) { return one.second.known == nullptr; });
    for (const auto& [place, site] : sites_.all())
      if (site != nullptr && takes(need, *site)) shifts.insert(place - address);
    return try_all(to, shifts);
  }

 private:
  static bool takes(const module_needs::need& need, const site_view& site) {
    if (need.known != nullptr) return same_content(*need.known, site);
    return site.kind < 32 && (need.kinds >> site.kind & 1) != 0;
  }

  /// `in_part`: half of it has to be there, and something that is lacking, else everything.
  [[nodiscard]] bool fits(const module_needs& to, std::uint64_t shift, bool in_part) {
    bool any = false;
    std::size_t there = 0;
    for (const auto& [address, need] : to.sites) {
      ++checks_;
      const site_view* const site = sites_.find(address + shift);
      if (site == nullptr && in_part) continue;
      if (site == nullptr || !takes(need, *site)) return false;
      any = any || need.known == nullptr;
      ++there;
    }
    return any && there * 2 >= to.sites.size();
  }

  [[nodiscard]] loan try_all(const module_needs& to, const std::set<std::uint64_t>& shifts) {
    loan result;
    for (const std::uint64_t shift : shifts) {
      if (checks_ > most_checks) return {.shift = {}, .is_ambiguous = false, .is_given_up = true};
      if (!fits(to, shift, false)) continue;
      if (result.shift) return {.shift = {}, .is_ambiguous = true, .is_given_up = false};
      result.shift = shift;
    }
    return result;
  }

  known_sites sites_;
  std::set<std::uint64_t> anchors_;
  std::uint64_t checks_ = 0;
};

/// Counts of sites.
struct tally {
  std::size_t named = 0;
  std::size_t not_there = 0;  // in a module of which others are
  std::size_t ambiguous = 0;
  std::size_t given_up = 0;
  std::size_t foreign = 0;
};

void take(const module_needs& of, std::uint64_t shift, const known_sites& from, std::vector<site_view>& to,
          tally& counts) {
  for (const auto& [address, need] : of.sites) {
    if (need.known != nullptr) continue;
    if (const site_view* const site = from.find(address + shift)) {
      to.push_back(*site);
      to.back().address = address;
      ++counts.named;
    } else {
      ++counts.not_there;
    }
  }
}

std::vector<std::string> text_of(const tally& counts, const std::string& file) {
  std::vector<std::string> text;
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count != 0) text.push_back(count_text(count, "site") + " without a name in the file: " + what);
  };
  add(counts.named, "taken from '" + file + "'");
  add(counts.not_there, "not in '" + file + "' either");
  add(counts.ambiguous, "more than one place in '" + file + "' fits, none is taken");
  add(counts.given_up, "too many places in '" + file + "' to try, none is taken");
  add(counts.foreign, "no place in '" + file + "' fits: it is of another binary, or lacks some of them");
  return text;
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
  std::map<index, table_needs> tables;
  for (const launch_view& launch : to.launches) collect(launch, tables[launch.sites]);
  lender lends(from);
  tally counts;
  for (auto& [number, modules] : tables) {
    std::vector<site_view> taken;
    for (auto& [anchor, needs] : modules) {
      mark_known(number == none ? nullptr : &to.site_tables[number], needs);
      if (needs.lacking == 0) continue;
      const loan found = lends.lend(needs);
      if (found.shift)
        take(needs, *found.shift, lends.sites(), taken, counts);
      else
        (found.is_ambiguous ? counts.ambiguous : found.is_given_up ? counts.given_up : counts.foreign) += needs.lacking;
    }
    if (taken.empty()) continue;
    if (number == none) {
      for (launch_view& launch : to.launches)
        if (launch.sites == none) launch.sites = static_cast<index>(to.site_tables.size());
      to.site_tables.emplace_back();
    }
    std::vector<site_view>& sites = number == none ? to.site_tables.back().sites : to.site_tables[number].sites;
    sites.insert(sites.end(), taken.begin(), taken.end());
    std::stable_sort(sites.begin(), sites.end(),
                     [](const site_view& a, const site_view& b) { return a.address < b.address; });
    sites.erase(std::unique(sites.begin(), sites.end(),
                            [](const site_view& a, const site_view& b) { return a.address == b.address; }),
                sites.end());
  }
  return text_of(counts, name);
}

}  // namespace iket::analysis
