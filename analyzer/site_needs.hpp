// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which sites the records of a file refer to, module by module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "timeline.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// What the records, roles and faults of one module's warps refer to.
struct module_needs {
  struct need {
    std::uint32_t kinds = 0;           ///< `site_kind`s that fit all of them, as bits
    const site_view* known = nullptr;  ///< as the file itself has it
  };
  bool has_base = false;  ///< `anchor` is the place of the module, the same for all of its warps
  std::uint64_t anchor = 0;
  std::map<std::uint64_t, need> sites;  ///< by address
  std::size_t lacking = 0;              ///< of those, how many the file does not have
};

/// By anchor.
using table_needs = std::map<std::uint64_t, module_needs>;

/// The modules of the launches that share a site table, by the table's number; `none`: of those that have none. A
/// fault's site is counted to the module of the warp that it was seen on, or else to one of its own. n log n in the
/// records.
[[nodiscard]] std::map<index, table_needs> site_needs_of(const trace_view& view);

/// Whether two sites are the same one, wherever they lie.
[[nodiscard]] bool same_content(const site_view& a, const site_view& b);

}  // namespace iket::analysis
