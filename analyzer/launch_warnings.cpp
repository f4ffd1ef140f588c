// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "launch_warnings.hpp"

#include <algorithm>

namespace iket::analysis {

void launch_warnings::note(fact what, const tally& by) {
  if (by.number == 0) return;
  tally& of = tallies_[what];
  if (of.warps == 0 || by.first < of.first) {
    of.first = by.first;
    of.cta = by.cta;
    of.warp = by.warp;
  }
  of.warps += by.warps;
  of.number += by.number;
}

void launch_warnings::add(std::size_t number, const warp_header& header, const decoded_ring& ring) {
  const auto note_number = [&](fact what, std::uint64_t records) {
    note(what, {1, records, number, {header.cta[0], header.cta[1], header.cta[2]}, header.warp});
  };
  const auto note_if = [&](fact what, bool is_so) { note_number(what, is_so ? 1 : 0); };
  note_if(opened_twice, header.opened > 1);
  note_if(count_disagrees, ring.count_disagrees);
  note_number(never_written, ring.never_written);
  note_number(torn, ring.torn);
  // One or two behind the oldest record's event are the rule where records were lost.
  note_number(headless, ring.may_lack_oldest() && ring.headless <= 2 ? 0 : ring.headless);
  note_number(unknown_kind, ring.unknown);
  note_if(sm_changed, ring.doubts.sm_changed);
  note_if(pairs_disagree, ring.doubts.pairs_disagree);
  note_number(stepped_back, ring.doubts.backward_steps);
  note_number(missing_wraps, ring.doubts.missing_wraps);
  note_number(ambiguous, ring.doubts.ambiguous_events);
  note_number(unseen_wraps, ring.doubts.unseen_wraps);
  note_number(unconfirmed_gaps, ring.doubts.unconfirmed_gaps);
  note_number(unbounded, ring.doubts.unbounded_events);
  note_if(unanchored, ring.doubts.unanchored);
  note_if(may_have_wrapped, !ring.closed && ring.may_lack_oldest() && !ring.doubts.unanchored);
  note_if(full_unclosed, !ring.closed && ring.may_lack_newest());
}

void launch_warnings::add(const launch_warnings& other) {
  for (std::size_t i = 0; i < fact_count; ++i) note(static_cast<fact>(i), other.tallies_[i]);
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
      case torn:
        text = number +
               " records are left out: the warp wrote while its ring was copied, and what came behind them is missing";
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
      case may_have_wrapped:
        text = "the ring was never closed and may have wrapped: records may be lost beyond those counted";
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
