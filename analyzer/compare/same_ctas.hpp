// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Two sides that have the same CTAs.
#pragma once

#include "compare/bootstrap.hpp"

namespace iket::analysis {

/// Takes out of both sides what a CTA has in common with itself in other launches: in many kernels work differs from
/// CTA to CTA far more than from run to run. The n-th blocks of all launches of both sides are of the same CTAs; where
/// launches have not as many blocks as each other, nothing is done.
///
/// Where each side has two launches or more, every block keeps its deviation from its mean over its side's launches,
/// made larger by sqrt(n / (n - 1)) as that mean is of n launches; sums of launches do not change. Else blocks are
/// paired: `after` becomes their differences, all launches of a side in one, and `before` nothing. Tells whether it was
/// done.
[[nodiscard]] bool hold_against_itself(influences& before, influences& after);

}  // namespace iket::analysis
