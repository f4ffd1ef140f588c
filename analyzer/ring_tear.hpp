// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A ring that was copied while its warp went on writing.
#pragma once

#include <cstddef>
#include <optional>

#include "trace_reader.hpp"

namespace iket::analysis {

/// Events of a ring, from one to another around it, with the payload between them.
struct ring_run {
  std::size_t first = 0;   ///< record of the oldest
  std::size_t newest = 0;  ///< record of the newest
};

/// The newest events of a full ring between which nothing is missing; nothing where the ring is whole.
///
/// A copy goes through the ring while the warp does, and each may pass the other. Where the copy passes the warp, older
/// records follow newer ones, which is the seam that every full ring has. Where the warp passes the copy, newer ones
/// follow older ones, and what the warp wrote before, at places that had been copied, is missing between them. Then
/// the clock steps back twice or more around the ring. In order of time the copied parts come to stand behind each
/// other, and the newest whole run is what follows the last place that is skipped.
///
/// A warp that passes the copy and stays in front of it up to the end of the ring makes no second step back. The ring
/// then seems to begin at its first record; and the way over what is missing, a turn of the ring, is about as long as
/// that over all of its records. So of such a ring what stands before its longest step is not taken for certain, where
/// that is half as long as all others together. And where only a payload was not overwritten, it stands behind an event
/// whose site has another one, or none.
///
/// For rings whose warp had not closed. n log n in the records. Steps are taken for less than 2^31 cycles either way:
/// where they do not come out at nothing around the ring, it counts as whole. The warp has to write less than a turn of
/// the ring meanwhile.
[[nodiscard]] std::optional<ring_run> newest_run_of_torn(record_view ring);

/// Whether a full ring was copied before its warp closed, though the header, copied later, says closed: records that
/// the header takes for the newest are then still the oldest ones. By the clocks alone, in either of two ways:
///
/// 1. Between the events from record `oldest` on and the close lies at least the sum of the steps forward modulo 2^32,
///    and each step back adds 2^32 to it; no ring that was closed comes to more than its warp lasted from the opening
///    to the close. That proves it of warps whose oldest kept record lies within 2^32 cycles of the opening.
/// 2. The clock steps back once, by all other steps together and by no more than twice those, so that the first event
///    follows the last one as others follow each other, and the close lies behind both. A closed ring has that only
///    where a pause of 2^31 cycles or more misses 2^32 by about as much as all its other steps take, and its warp
///    closed that long behind its last record. A ring that was torn besides, or spans 2^31 cycles, is not found so.
///
/// Never where opening and close are of different SMs, whose clocks may be. A long step alone proves nothing: a warp
/// may wait for 2^31 cycles. Linear.
[[nodiscard]] bool was_copied_before_close(const warp_header& header, record_view ring, std::size_t oldest);

}  // namespace iket::analysis
