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

/// A row for each stage of a pipeline, in the order in which they begin.
[[nodiscard]] text_table pipeline_table(const pipeline& of);
/// "an iteration every 1.50 us; per CTA 1.01 us to fill, 44.7 us steady, 785 ns to drain (of 13 CTAs)", and what the
/// columns mean.
[[nodiscard]] std::string pipeline_legend(const pipeline& of);

/// "critical path: load tile (in flight) 41.2 %", "compute 30.0 %", ...; and the tail, if all CTAs
/// were traced. Parts below 1 % are left out.
[[nodiscard]] std::vector<std::string> path_facts(const launch_report& launch);

}  // namespace iket::analysis
