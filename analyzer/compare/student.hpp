// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Student's t distribution.
#pragma once

namespace iket::analysis {

/// The t for which a variable of Student's distribution with `freedom` degrees of freedom lies within [-t, t] with
/// probability `level`. `freedom` is 1 at least and need not be whole; above 1000 it is taken for 1000, where t is that
/// of a normal variable to 0.3 % (at a level of 0.999). `level` is in [0, 1); at 1 it is infinite. To 7 digits, in
/// microseconds.
///
/// With t = sqrt(n) tan(a) the density becomes a multiple of cos(a)^(n - 1) on [0, pi / 2), whose integral Simpson's
/// rule gives (Abramowitz and Stegun, 26.7.1).
[[nodiscard]] double student_quantile(double level, double freedom);

}  // namespace iket::analysis
