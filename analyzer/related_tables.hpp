// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The part of the printed report that tells what stages and warps have to do with each other.
#pragma once

#include <string>
#include <vector>

#include "report.hpp"
#include "text_table.hpp"

namespace iket::analysis {

/// From this max over mean on, an imbalance is printed.
inline constexpr double least_printed_imbalance = 1.25;

/// A row for each role's waits in a stage, with what covered most of them and what released most of them.
[[nodiscard]] text_table wait_table(const launch_report& launch);
[[nodiscard]] std::string wait_legend();

/// A row for each work stage that is spread unevenly over at least two members; over SMs only if all CTAs were traced.
[[nodiscard]] text_table imbalance_table(const launch_report& launch);
[[nodiscard]] std::string imbalance_legend();

/// "critical path: load tile (in flight) 41.2 %", "compute 30.0 %", ...; and the tail, if all CTAs
/// were traced. Parts below 1 % are left out.
[[nodiscard]] std::vector<std::string> path_facts(const launch_report& launch);

}  // namespace iket::analysis
