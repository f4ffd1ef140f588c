// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// One instruction of NVIDIA's machine code, from its text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace iket::analysis::counters {

/// "@!P0 IMAD.MOV.U32 R15, RZ, RZ, 0x121", taken apart. Everything points into the text.
struct sass_instruction {
  std::string_view guard;                  ///< "@!P0"; empty: it always executes
  std::string_view opcode;                 ///< "IMAD.MOV.U32"
  std::vector<std::string_view> operands;  ///< "R15", "RZ", "RZ", "0x121"

  /// The opcode up to its first dot: "IMAD".
  [[nodiscard]] std::string_view mnemonic() const { return opcode.substr(0, opcode.find('.')); }
  /// Whether the opcode has the modifier, given without its dot: "U32".
  [[nodiscard]] bool has(std::string_view modifier) const;
  [[nodiscard]] std::string_view operand(std::size_t number) const {
    return number < operands.size() ? operands[number] : std::string_view();
  }
};

/// Anything that is no instruction comes out with an empty opcode. Linear in the text.
[[nodiscard]] sass_instruction parse_sass(std::string_view text);

/// "0x121", "33", "-0x1" as 32 bits; none for anything else.
[[nodiscard]] std::optional<std::uint32_t> immediate_of(std::string_view operand);

/// The code address in an operand: "0x7fdf857a7400", "`(.L_x_1)" has none.
[[nodiscard]] std::optional<std::uint64_t> address_of(std::string_view operand);

/// The register of an operand: of "R14", "-R14", "R14.reuse" and "R14.64" 14; of "UR4" 4 with `uniform`.
struct sass_register {
  bool uniform = false;
  std::uint32_t number = 0;
  bool operator==(const sass_register&) const = default;
};

/// None for "RZ", "URZ", predicates, constants.
[[nodiscard]] std::optional<sass_register> register_of(std::string_view operand);

/// Whether the operand is the register that reads as zero.
[[nodiscard]] bool is_zero_register(std::string_view operand);

}  // namespace iket::analysis::counters
