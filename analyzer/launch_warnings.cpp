// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "launch_warnings.hpp"

#include <algorithm>

namespace iket::analysis {

void launch_warnings::note(fact what, std::uint64_t number, const warp_header& header) {
  if (number == 0) return;
  tally& of = tallies_[what];
  if (of.warps == 0) {
    std::copy_n(header.cta, 3, of.cta.begin());
    of.warp = header.warp;
  }
  ++of.warps;
  of.number += number;
}

void launch_warnings::add(const warp_header& header, const decoded_ring& ring) {
  note(opened_twice, header.opened > 1 ? 1 : 0, header);
  note(count_disagrees, ring.count_disagrees ? 1 : 0, header);
  note(never_written, ring.never_written, header);
  // One or two behind the oldest record's event are the rule where records were lost.
  note(headless, ring.may_lack_oldest() ? (ring.headless > 2 ? ring.headless : 0) : ring.headless, header);
  note(unknown_kind, ring.unknown, header);
  note(sm_changed, ring.doubts.sm_changed ? 1 : 0, header);
  note(pairs_disagree, ring.doubts.pairs_disagree ? 1 : 0, header);
  note(stepped_back, ring.doubts.backward_steps, header);
  note(missing_wraps, ring.doubts.missing_wraps, header);
  note(ambiguous, ring.doubts.ambiguous_events, header);
  note(unseen_wraps, ring.doubts.unseen_wraps, header);
  note(unconfirmed_gaps, ring.doubts.unconfirmed_gaps, header);
  note(unbounded, ring.doubts.unbounded_events, header);
  note(unanchored, ring.doubts.unanchored ? 1 : 0, header);
  note(full_unclosed, !ring.closed && ring.may_lack_newest() ? 1 : 0, header);
}

void launch_warnings::write(const std::string& launch, std::vector<std::string>& warnings) const {
  for (std::size_t i = 0; i < fact_count; ++i) {
    const tally& of = tallies_[i];
    if (of.warps == 0) continue;
    const std::string number = std::to_string(of.number);
    std::string text;
    switch (static_cast<fact>(i)) {
      case opened_twice:
        text =
            "more than one recorder was made on a warp, or a tracer for one launch was launched more than once (for "
            "several, see trace_options::regions): they overwrite each other's records";
        break;
      case count_disagrees:
        text = "the count of written records does not fit the records in the file";
        break;
      case never_written:
        text = number + " records never arrived in memory";
        break;
      case headless:
        text = number + " payload records belong to no event and are left out";
        break;
      case unknown_kind:
        text = number + " records are of a kind that this program does not know and are left out";
        break;
      case sm_changed:
        text = "the warp closed on another SM than it opened on; its times may be off by the clocks' difference";
        break;
      case pairs_disagree:
        text = "the clock at the close is earlier than at the opening; its times are in doubt";
        break;
      case stepped_back:
        text = "the clock stepped back " + number + " times; those events are drawn at the time before";
        break;
      case missing_wraps:
        text = "more than 2^32 cycles passed between two events and no clock pair tells between which; " + number +
               " wraps of the 32-bit clock are missing, so events may be drawn too early";
        break;
      case ambiguous:
        text = "the times of " + number + " events are ambiguous for that: IKET_SYNC between long gaps tells them";
        break;
      case unseen_wraps:
        text = "more than 2^32 cycles passed at a time; " + number +
               " wraps of the 32-bit clock show in no kept record and are taken to lie where records were lost";
        break;
      case unconfirmed_gaps:
        text = number + " gaps of 2^31 cycles or more, which no later clock pair confirms; times behind are ambiguous";
        break;
      case unbounded:
        text =
            "the times of " + number +
            " events are ambiguous: no clock pair follows them, and the launch went on for more than 2^32 cycles, so "
            "gaps between them may be that much longer";
        break;
      case unanchored:
        text =
            "the ring was never closed and may have wrapped: records may be lost beyond those counted, and the "
            "times assume that the warp ran for less than 2^32 cycles before its oldest record";
        break;
      case full_unclosed:
        text = "the ring was never closed and is full: what the warp recorded behind its last record is lost";
        break;
      case fact_count:
        break;
    }
    const std::string first = "CTA " + std::to_string(of.cta[0]) + "," + std::to_string(of.cta[1]) + "," +
                              std::to_string(of.cta[2]) + " warp " + std::to_string(of.warp);
    warnings.push_back(launch + ": " +
                       (of.warps == 1 ? first : std::to_string(of.warps) + " warps (first: " + first + ")") + ": " +
                       text);
  }
}

}  // namespace iket::analysis
