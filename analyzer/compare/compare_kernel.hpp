// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// One kernel of a comparison.
#pragma once

#include "compare/comparison.hpp"
#include "compare/kernel_pairs.hpp"

namespace iket::analysis {

/// Self time of each stage is compared per CTA; where a side lost records, per range. Times of each role are compared
/// per warp, the duration per launch. All figures that both sides have and that are to be trusted share one bootstrap,
/// so that the more there are, the more each has to differ.
[[nodiscard]] kernel_comparison compare_kernel(const timeline& before, const timeline& after, const kernel_pair& pair,
                                               const bootstrap_options& options);

}  // namespace iket::analysis
