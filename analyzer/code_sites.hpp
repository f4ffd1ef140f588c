// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which stages the tags in a kernel's machine code stand for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "timeline.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// The stages' sites of the modules of a file, each table made once.
class code_site_tables {
 public:
  /// The sites of the module that `launch` ran, which the header of its first warp tells; null where it has no warp.
  /// `table` is the launch's. Linear in the table for each module, else O(log n) in the modules.
  [[nodiscard]] std::shared_ptr<const std::vector<code_site>> of(const launch_view& launch,
                                                                 const site_table_view& table);

 private:
  using module = std::pair<std::uint32_t, std::uint64_t>;  // the table's id, the anchor
  std::map<module, std::shared_ptr<const std::vector<code_site>>> known_;
};

}  // namespace iket::analysis
