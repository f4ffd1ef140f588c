// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Where control goes behind each instruction of a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sass_instruction.hpp"

namespace iket::analysis::counters {

/// What an instruction does to control.
enum class flow_kind : std::uint8_t {
  on,         ///< goes on behind it
  branch,     ///< goes to `target`, or on as well where it is `conditional`
  call,       ///< goes to `target`, from where it comes back behind it
  gather,     ///< BSSY: `barrier` will gather the threads at `target`
  gathered,   ///< BSYNC: goes to where `barrier` gathers
  end,        ///< EXIT, RET, a trap; on as well where it is `conditional`
  elsewhere,  ///< goes to where a register says: nobody knows
};

struct flow_step {
  flow_kind kind = flow_kind::on;
  bool conditional = false;
  std::optional<std::size_t> target;  ///< an instruction; none: it is in none that are listed
  std::uint32_t barrier = 0;          ///< of `gather` and `gathered`: "B0", "B1"
};

/// One step for each instruction. `addresses` are theirs, in ascending order. O(n log n).
[[nodiscard]] std::vector<flow_step> flow_of(std::span<const sass_instruction> code,
                                             std::span<const std::uint64_t> addresses);

}  // namespace iket::analysis::counters
