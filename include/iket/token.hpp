// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What `IKET_START` gives and `IKET_END` takes.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {

/// A started range, to be ended once, by the same warp through the same recorder: it may overlap others, cross
/// iterations, and end in another branch. Trivially copyable, two registers. `iket::token{}` is the sentinel: ending it
/// records nothing, so a token may be kept where the start is conditional or the first iteration has none.
///
///     iket::token in_flight;
///     for (int t = 0; t < tiles; ++t) {
///       const iket::token next = IKET_START(rec, "copy", t);
///       start_copy(t);
///       IKET_END(rec, in_flight);
///       in_flight = next;
///     }
///     IKET_END(rec, in_flight);
struct token {
  detail::u32 begin_tag = 0;    ///< tag of the begin record; 0: the sentinel
  detail::u32 begin_count = 0;  ///< records that the warp had written before it, modulo 2^29
};

}  // namespace abi_1
}  // namespace iket
