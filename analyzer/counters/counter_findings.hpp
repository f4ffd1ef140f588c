// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What stages and hardware counters say together.
#pragma once

#include "report.hpp"

namespace iket::analysis::counters {

/// From which figures on findings speak; docs/counters.md tells the rules. All are fractions.
struct counter_thresholds {
  double bound = 0.7;        ///< of a unit's peak: it is what bounds the kernel
  double about = 0.05;       ///< of peak, by which L2 may be busier than DRAM where that is the bound
  double idle = 0.6;         ///< below, of every unit's peak: latency is what bounds it
  double spills = 0.01;      ///< of a stage's instructions, loads and stores of local memory
  double conflicts = 0.3;    ///< of a stage's shared memory wavefronts, for bank conflicts
  double uncoalesced = 0.3;  ///< of a stage's L2 sectors, that its accesses would not need
  double stage_part = 0.1;   ///< of the kernel's samples, below which a stage's own faults are not told
  double memory_part = 0.2;  ///< of a stage's samples, stalled for the memory at fault
};

/// Inserts into the launch's findings, behind its bottlenecks: why the one that waits most waits, and the stages that
/// spill registers, conflict in banks of shared memory, or load what they do not use. Nothing where no figure passes
/// its threshold, or where something speaks against the counters, which for the first of these a time of another launch
/// does; and no figure that is not there is missed.
void add_counter_findings(launch_report& launch);

}  // namespace iket::analysis::counters
