// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Gates: bounds on figures that fail a run, for those who run it on every change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iket::analysis {

enum class gate_subject : std::uint8_t { stage, role, launch };

/// What a gate's number is to be added to.
enum class gate_bound : std::uint8_t {
  absolute,    ///< nothing
  difference,  ///< the baseline's figure
  relative,    ///< the baseline's figure, of which it is a part
};

enum class gate_unit : std::uint8_t { time, count, fraction };  ///< times in picoseconds

/// "stage:wait for data:p50>+10%": what must not be.
struct gate {
  std::string text;  ///< as written
  gate_subject subject = gate_subject::stage;
  std::string name;    ///< of the stage, role or kernel; empty: every kernel
  std::string metric;  ///< one of `gate_metrics`
  bool above = true;   ///< fails above the limit, else below
  gate_bound bound = gate_bound::absolute;
  double limit = 0;  ///< in `unit`; where it is relative, a fraction

  [[nodiscard]] gate_unit unit() const;
  [[nodiscard]] bool needs_baseline() const { return bound != gate_bound::absolute; }
};

/// The figures that a gate may be on.
[[nodiscard]] const std::vector<std::string_view>& gate_metrics(gate_subject of);

/// Reads SUBJECT:NAME:METRIC and > or <, then a number: with a sign and % a part of the baseline's figure to be added
/// to it, with a sign and a unit a difference to it, without a sign the bound itself. Units are ns, us, ms and s, for
/// shares %, for counts none. The name is all between the first colon and the last one, so that it may hold anything;
/// that of a launch may be left out with its colon.
/// Throws std::invalid_argument with what follows the option's name in a message.
[[nodiscard]] gate parse_gate(const std::string& text);

/// What became of a gate on one stage, role or kernel.
struct gate_result {
  analysis::gate gate;
  std::string kernel;
  std::optional<double> before;  ///< in the gate's unit; none for a gate that needs no baseline
  double after = 0;              ///< in the gate's unit
  double limit = 0;              ///< what it was held against, in the gate's unit
  bool failed = false;
  std::uint64_t unended = 0;  ///< launches that had not ended, among those that it was judged on
};

/// "stage:wait for data:p50>+10%: 1.20 us in 'gemm', was 1.00 us: +20.0 %"; behind it, what of launches that had not
/// ended is not in the figure.
[[nodiscard]] std::string gate_text(const gate_result& of);

}  // namespace iket::analysis
