// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Where in another file the sites of a module are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "site_needs.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// What became of a module's search.
enum class loan_result : std::uint8_t {
  by_place,    ///< found by the places of modules
  by_address,  ///< found at the same addresses, without places of modules
  by_layout,   ///< found by the distances between its sites alone
  ambiguous,   ///< several distances fit, and lead to different sites
  single,      ///< nothing states its place, and one site alone fits wherever there is one of its kind
  given_up,    ///< there are too many distances to try
  foreign,     ///< no distance fits
};

struct loan {
  loan_result result = loan_result::foreign;
  std::uint64_t shift = 0;  ///< from the file's addresses to the source's, where it was found
};

/// The sites of a file, to be found by those of others: borrowed_sites.hpp has the rules.
class site_lender {
 public:
  /// Looks up at most so many sites, for all modules together; each 64 bytes of names that are compared count as one.
  static constexpr std::uint64_t most_checks = std::uint64_t{1} << 25;

  /// `from` has to outlive it.
  explicit site_lender(const trace_view& from);

  /// nullptr where there is none, or where the file has had several.
  [[nodiscard]] const site_view* find(std::uint64_t address) const;

  [[nodiscard]] loan lend(const module_needs& to);

 private:
  struct best_fit {
    std::optional<std::uint64_t> shift;
    std::size_t there = 0;  // sites
    bool is_ambiguous = false;
  };

  [[nodiscard]] bool is_spent() const noexcept { return checks_ > most_checks; }
  [[nodiscard]] bool takes(const module_needs::need& need, const site_view& site);
  [[nodiscard]] std::size_t fitting(const module_needs& to, std::uint64_t shift, bool all);
  void take(const module_needs& to, std::uint64_t shift, std::size_t there, best_fit& best);
  [[nodiscard]] best_fit try_places(const module_needs& to);
  [[nodiscard]] best_fit try_same_addresses(const module_needs& to);
  [[nodiscard]] best_fit try_layout(const module_needs& to);

  std::unordered_map<std::uint64_t, const site_view*> sites_;  // by address; nullptr: several
  std::array<std::vector<const site_view*>, 32> by_kind_;      // of those
  std::vector<std::uint64_t> bases_;                           // places of modules, each once
  std::uint64_t checks_ = 0;
};

}  // namespace iket::analysis
