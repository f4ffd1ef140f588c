// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "sass_events.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include <iket/record.hpp>

namespace iket::analysis::counters {
namespace {

// How far a store may be from its clock read, and a tag's move from its store. The compiler moves them by tens.
constexpr std::size_t most_distance = 256;
// Moves from register to register that are followed to a tag's constant.
constexpr int most_moves = 8;

bool ends_block(const sass_instruction& one) {
  const std::string_view name = one.mnemonic();
  return one.guard.empty() && (name == "BRA" || name == "EXIT" || name == "RET" || name == "BRX" || name == "JMP");
}

bool reads_clock(const sass_instruction& one) {
  return (one.opcode == "CS2R.32" || one.opcode == "S2R") && one.operand(1) == "SR_CLOCKLO";
}

/// Whether it stores a record: 8 bytes, strong, for the whole system.
bool stores_record(const sass_instruction& one) {
  const std::string_view name = one.mnemonic();
  return (name == "STG" || name == "ST") && one.has("64") && one.has("STRONG") && one.has("SYS") &&
         one.operands.size() >= 2;
}

bool writes_memory(std::string_view name) {
  return name.starts_with("ST") || name.starts_with("RED") || name == "SYNCS" || name == "UTMALDG";
}

/// How many registers an instruction writes from its first operand on.
std::uint32_t registers_written(const sass_instruction& one) {
  if (one.has("128")) return 4;
  if (one.has("64") || one.has("WIDE") || one.opcode == "CS2R") return 2;
  return 1;
}

bool writes(const sass_instruction& one, sass_register what) {
  if (writes_memory(one.mnemonic())) return false;
  const std::optional<sass_register> first = register_of(one.operand(0));
  return first && first->uniform == what.uniform && what.number >= first->number &&
         what.number - first->number < registers_written(one);
}

/// Whether it puts bits of one value into another, as a recorder does with the place in its ring.
bool puts_in_place(const sass_instruction& one) {
  if (one.opcode != "LOP3.LUT") return false;
  constexpr std::array<std::string_view, 5> selections = {"0xca", "0xd8", "0xe2", "0xe4", "0xb8"};
  return std::find_first_of(one.operands.begin(), one.operands.end(), selections.begin(), selections.end()) !=
         one.operands.end();
}

/// The bits of a half that was printed in decimal: exactly, or none.
std::optional<std::uint32_t> half_bits(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
  const double size = std::abs(value);
  constexpr double step = 0x1p-24;  // of a half without an implicit bit
  if (size < 0x1p-14) {
    const double steps = size / step;
    return steps == std::floor(steps) ? std::optional(sign | static_cast<std::uint32_t>(steps)) : std::nullopt;
  }
  int exponent = 0;
  const double fraction = std::frexp(size, &exponent) * 2 - 1;  // size = (1 + fraction) * 2^(exponent - 1)
  const double bits = fraction * 1024;
  if (exponent > 16 || bits != std::floor(bits)) return std::nullopt;
  return sign | static_cast<std::uint32_t>(exponent + 14) << 10 | static_cast<std::uint32_t>(bits);
}

/// What an instruction leaves in the register that it writes: a constant, or what another register holds.
struct moved {
  std::optional<std::uint32_t> constant;
  std::optional<sass_register> from;
};

moved operand_value(std::string_view operand) {
  if (is_zero_register(operand)) return {0, std::nullopt};
  if (const auto number = immediate_of(operand)) return {number, std::nullopt};
  if (operand.starts_with('-')) return {};
  return {std::nullopt, register_of(operand)};
}

moved moved_by(const sass_instruction& one) {
  const std::string_view name = one.mnemonic();
  const bool adds_to_zero = is_zero_register(one.operand(1)) && is_zero_register(one.operand(2));
  if (name == "MOV" || name == "UMOV" || name == "R2UR" || name == "S2R" || name == "CS2R")
    return operand_value(one.operand(1));
  if (one.opcode == "IMAD.MOV.U32" || one.opcode == "IMAD.U32" || one.opcode == "IMAD.MOV")
    return adds_to_zero ? operand_value(one.operand(3)) : moved{};
  if (name == "VIADD" && is_zero_register(one.operand(1))) return operand_value(one.operand(2));
  if (name == "HFMA2" && adds_to_zero && one.operands.size() >= 5) {
    const auto high = half_bits(one.operand(3)), low = half_bits(one.operand(4));
    if (high && low) return {*high << 16 | *low, std::nullopt};
  }
  return {};
}

class event_finder {
 public:
  explicit event_finder(std::span<const sass_instruction> code) : code_(code) {
    found_.own.resize(code.size());
    for (std::size_t i = 0; i < code.size(); ++i) {
      const std::optional<sass_register> first = register_of(code[i].operand(0));
      if (!first || first->uniform || writes_memory(code[i].mnemonic())) continue;
      for (std::uint32_t k = 0; k < registers_written(code[i]); ++k) definitions_[first->number + k].push_back(i);
    }
  }

  sass_events find() {
    for (std::size_t i = 0; i < code_.size(); ++i)
      if (reads_clock(code_[i])) add_event(i);
    for (std::size_t i = 0; i < code_.size(); ++i)
      if (stores_record(code_[i]) && !found_.own[i]) add_payload(i);
    return std::move(found_);
  }

 private:
  void add_event(std::size_t clock) {
    const std::optional<sass_register> holds = register_of(code_[clock].operand(0));
    if (!holds) return;
    const std::optional<std::size_t> store = find_store(clock, *holds);
    if (!store) return;
    sass_event event{clock, *store, std::nullopt};
    std::vector<std::size_t> moves;
    event.tag = tag_of(*store, moves);
    found_.own[clock] = true;
    take_store(*store, moves);
    take_hold(clock);
    found_.events.push_back(event);
  }

  void add_payload(std::size_t store) {
    std::vector<std::size_t> moves;
    const std::optional<std::uint32_t> tag = tag_of(store, moves);
    if (tag && kind_of(*tag) == record_kind::payload) take_store(store, moves);
  }

  /// The store, its tag's moves, and what makes its address: the place in the ring put into the ring's address.
  void take_store(std::size_t store, const std::vector<std::size_t>& moves) {
    found_.own[store] = true;
    for (const std::size_t move : moves) found_.own[move] = true;
    std::string_view address = code_[store].operand(0);
    if (const std::size_t open = address.rfind('['); open != std::string_view::npos) address.remove_prefix(open + 1);
    std::optional<sass_register> holds = register_of(address);
    if (!holds) return;
    if (const auto low = definition_before(store, *holds); low && puts_in_place(code_[*low])) found_.own[*low] = true;
    ++holds->number;
    if (const auto high = definition_before(store, *holds); high && moved_by(code_[*high]).from)
      found_.own[*high] = true;
  }

  /// What keeps the compiler from moving the clock read up, which is a NOP in the machine code.
  void take_hold(std::size_t clock) {
    for (std::size_t i = clock; i-- > 0 && clock - i <= 16;) {
      if (code_[i].mnemonic() == "NOP") {
        found_.own[i] = true;
        return;
      }
      if (ends_block(code_[i]) || reads_clock(code_[i])) return;
    }
  }

  /// The store of what the clock read left in a register, or in one to which that is moved.
  [[nodiscard]] std::optional<std::size_t> find_store(std::size_t clock, sass_register holds) const {
    const std::size_t end = std::min(code_.size(), clock + most_distance);
    for (std::size_t i = clock + 1; i < end; ++i) {
      const sass_instruction& one = code_[i];
      if (stores_record(one) && register_of(one.operand(1)) == holds) return i;
      if (const moved move = moved_by(one); move.from == holds)
        if (const auto to = register_of(one.operand(0))) {
          holds = *to;
          continue;
        }
      if (writes(one, holds) || ends_block(one)) return std::nullopt;
    }
    return std::nullopt;
  }

  /// The constant in the upper register of what is stored. Notes the moves that bring it there.
  [[nodiscard]] std::optional<std::uint32_t> tag_of(std::size_t store, std::vector<std::size_t>& moves) const {
    std::optional<sass_register> holds = register_of(code_[store].operand(1));
    if (!holds) return std::nullopt;
    ++holds->number;
    std::size_t before = store;
    for (int step = 0; step < most_moves; ++step) {
      const std::optional<std::size_t> at = definition_before(before, *holds);
      if (!at) return std::nullopt;
      const moved move = moved_by(code_[*at]);
      if (move.constant || move.from) moves.push_back(*at);
      if (move.constant) return move.constant;
      if (!move.from) return std::nullopt;
      holds = move.from;
      before = *at;
    }
    return std::nullopt;
  }

  /// Where a register was last written: near before, in the order of the addresses; else where it is written at all,
  /// if that is one place, as of a constant that was moved out of a loop.
  [[nodiscard]] std::optional<std::size_t> definition_before(std::size_t place, sass_register what) const {
    const std::size_t end = place < most_distance ? 0 : place - most_distance;
    for (std::size_t i = place; i-- > end;) {
      if (writes(code_[i], what)) return i;
      if (ends_block(code_[i])) break;
    }
    if (what.uniform) return std::nullopt;
    const auto known = definitions_.find(what.number);
    if (known == definitions_.end() || known->second.size() != 1) return std::nullopt;
    return known->second.front();
  }

  std::span<const sass_instruction> code_;
  sass_events found_;
  std::map<std::uint32_t, std::vector<std::size_t>> definitions_;  // of registers, by number
};

}  // namespace

sass_events find_events(std::span<const sass_instruction> code) { return event_finder(code).find(); }

}  // namespace iket::analysis::counters
