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
/// n log n in the records. Steps are taken for less than 2^31 cycles either way: where they
/// cannot be, the ring counts as whole. The warp has to write less than a turn of the ring meanwhile.
[[nodiscard]] std::optional<ring_run> newest_run_of_torn(record_view ring);

/// Whether the events step back from one to the next, from record `oldest` on around a full ring.
[[nodiscard]] bool steps_back(record_view ring, std::size_t oldest);

}  // namespace iket::analysis
