// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Holding traces against gates.
#pragma once

#include <stdexcept>
#include <vector>

#include "compare/comparison.hpp"
#include "compare/gate.hpp"

namespace iket::analysis {

/// A gate that is about nothing in the trace; `what()` is one line that says what there is.
struct gate_about_nothing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What became of each gate, in their order, for each kernel that has its stage or role: in the trace, and for a gate
/// that needs one, in the baseline. `against` is the comparison with the baseline; null where there is none, and then
/// no gate needs one. Linear in the ranges.
///
/// `self`, `total` and `count` are per traced CTA, a role's times per warp, the duration that of a mean launch. Where a
/// stage is there as work and as wait, both are judged. Where records were lost, a change of `self` is one per range,
/// and there is nothing to judge of `self` by itself, `total`, `count` and roles; of a checked build only counts.
/// Of launches that had not ended, stages are judged by their whole ranges too: a range that hangs is none.
/// Throws `gate_about_nothing` where a gate can be held against nothing: were it passed over, a stage that was renamed
/// would never fail again.
[[nodiscard]] std::vector<gate_result> judge_gates(const std::vector<gate>& gates, const timeline& of,
                                                   const comparison* against);

}  // namespace iket::analysis
