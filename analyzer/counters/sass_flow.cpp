// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "sass_flow.hpp"

#include <algorithm>
#include <string_view>

namespace iket::analysis::counters {
namespace {

std::optional<std::uint32_t> barrier_of(std::string_view operand) {
  if (operand.size() < 2 || operand.front() != 'B') return std::nullopt;
  return immediate_of(operand.substr(1));
}

bool is_predicate(std::string_view operand) {
  if (operand.starts_with('!')) operand.remove_prefix(1);
  return operand.starts_with('P') || operand.starts_with("UP");
}

class flow_reader {
 public:
  explicit flow_reader(std::span<const std::uint64_t> addresses) : addresses_(addresses) {}

  [[nodiscard]] flow_step step(const sass_instruction& one) const {
    const std::string_view name = one.mnemonic();
    const bool guarded = !one.guard.empty();
    // Behind a trap stands whatever the compiler has put there.
    const bool traps = name == "BPT" && one.has("TRAP");
    if (name == "EXIT" || name == "RET" || name == "KILL" || traps) return {flow_kind::end, guarded, std::nullopt, 0};
    if (name == "BRX" || name == "BRXU" || name == "JMX" || name == "JMXU")
      return {flow_kind::elsewhere, guarded, std::nullopt, 0};
    if (name == "BRA" || name == "JMP") return branch(one, guarded);
    if (name == "CALL") return {flow_kind::call, guarded, target_of(one), 0};
    // The threads of a warp that have come apart go there one by one, and come back.
    if (one.opcode == "WARPSYNC.COLLECTIVE") return {flow_kind::branch, true, target_of(one), 0};
    if (name == "BSSY" || name == "BSYNC") return gather(one, name == "BSSY");
    return {};
  }

 private:
  [[nodiscard]] flow_step branch(const sass_instruction& one, bool guarded) const {
    // "BRA.DIV UR4, 0x..." and "BRA.U UP0, 0x..." have their condition among the operands.
    const bool conditional =
        guarded || one.has("DIV") || one.has("CONV") || (one.operands.size() > 1 && is_predicate(one.operand(0)));
    return {flow_kind::branch, conditional, target_of(one), 0};
  }

  [[nodiscard]] flow_step gather(const sass_instruction& one, bool begins) const {
    for (const std::string_view operand : one.operands)
      if (const auto barrier = barrier_of(operand))
        return {begins ? flow_kind::gather : flow_kind::gathered, !one.guard.empty(),
                begins ? target_of(one) : std::nullopt, *barrier};
    return {};
  }

  [[nodiscard]] std::optional<std::size_t> target_of(const sass_instruction& one) const {
    for (auto operand = one.operands.rbegin(); operand != one.operands.rend(); ++operand)
      if (const auto address = address_of(*operand)) {
        const auto at = std::lower_bound(addresses_.begin(), addresses_.end(), *address);
        if (at == addresses_.end() || *at != *address) return std::nullopt;
        return static_cast<std::size_t>(at - addresses_.begin());
      }
    return std::nullopt;
  }

  std::span<const std::uint64_t> addresses_;
};

}  // namespace

std::vector<flow_step> flow_of(std::span<const sass_instruction> code, std::span<const std::uint64_t> addresses) {
  const flow_reader reader(addresses);
  std::vector<flow_step> steps;
  steps.reserve(code.size());
  for (const sass_instruction& one : code) steps.push_back(reader.step(one));
  return steps;
}

}  // namespace iket::analysis::counters
