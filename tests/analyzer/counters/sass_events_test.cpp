// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/sass_events.hpp"

#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "recorded.hpp"

namespace {

using namespace iket::analysis::counters;

/// Finds events in instructions, one a line.
struct listing {
  explicit listing(const std::string& text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    for (const std::string& line : lines) code.push_back(parse_sass(line));
    found = find_events(code);
  }

  /// One letter an instruction: its own or the kernel's.
  [[nodiscard]] std::string owned() const {
    std::string result;
    for (const bool own : found.own) result += own ? 'e' : '-';
    return result;
  }

  std::vector<std::string> lines;
  std::vector<sass_instruction> code;
  sass_events found;
};

std::optional<std::uint32_t> tag_by(const std::string& moves) {
  const listing code(moves + "CS2R.32 R14, SR_CLOCKLO\nSTG.E.64.STRONG.SYS desc[UR10][R8.64], R14\n");
  REQUIRE(code.found.events.size() == 1);
  return code.found.events[0].tag;
}

}  // namespace

TEST_CASE("an instruction comes apart") {
  const sass_instruction one = parse_sass("@!P0  IMAD.MOV.U32 R15, RZ, RZ, 0x121 ;");
  CHECK(one.guard == "@!P0");
  CHECK(one.opcode == "IMAD.MOV.U32");
  CHECK(one.mnemonic() == "IMAD");
  CHECK(one.has("MOV"));
  CHECK(one.has("U32"));
  CHECK(!one.has("U3"));
  CHECK(one.operands == std::vector<std::string_view>{"R15", "RZ", "RZ", "0x121"});
  CHECK(one.operand(4).empty());
  CHECK(parse_sass("  EXIT").opcode == "EXIT");
  CHECK(parse_sass("").opcode.empty());
}

TEST_CASE("operands") {
  CHECK(immediate_of("0x121") == 0x121u);
  CHECK(immediate_of("-0x1") == 0xffffffffu);
  CHECK(immediate_of("33") == 33u);
  CHECK(immediate_of("R3") == std::nullopt);
  CHECK(immediate_of("0x1ffffffff") == std::nullopt);
  CHECK(register_of("R14.reuse") == sass_register{false, 14});
  CHECK(register_of("-R14") == sass_register{false, 14});
  CHECK(register_of("UR4") == sass_register{true, 4});
  CHECK(register_of("R8.64") == sass_register{false, 8});
  CHECK(register_of("RZ") == std::nullopt);
  CHECK(register_of("P0") == std::nullopt);
  CHECK(is_zero_register("-RZ"));
  CHECK(is_zero_register("URZ"));
  CHECK(!is_zero_register("R0"));
  CHECK(address_of("0x7fdf857a7400") == 0x7fdf857a7400u);
  CHECK(address_of("`(.L_x_1)") == std::nullopt);
}

TEST_CASE("an event, with instructions of others between its own") {
  const listing code(
      "IADD3 R1, R2, R3, RZ\n"
      "NOP\n"
      "LOP3.LUT R8, R9, UR9, R6, 0xe2, !PT\n"
      "FADD R20, R20, R21\n"
      "IMAD.MOV.U32 R9, RZ, RZ, R11\n"
      "CS2R.32 R14, SR_CLOCKLO\n"
      "FMUL R22, R22, R23\n"
      "@P1 IMAD.MOV.U32 R15, RZ, RZ, 0x122\n"
      "@P1 STG.E.64.STRONG.SYS desc[UR10][R8.64], R14\n"
      "FADD R20, R20, R21\n");
  REQUIRE(code.found.events.size() == 1);
  CHECK(code.found.events[0].clock == 5);
  CHECK(code.found.events[0].store == 8);
  CHECK(code.found.events[0].tag == 0x122u);
  CHECK(code.owned() == "-ee-ee-ee-");
}

TEST_CASE("two events whose instructions are mixed") {
  const listing code(
      "CS2R.32 R14, SR_CLOCKLO\n"
      "MOV R15, 0x12\n"
      "CS2R.32 R18, SR_CLOCKLO\n"
      "MOV R19, 0x21\n"
      "@P0 STG.E.64.STRONG.SYS desc[UR10][R6.64], R18\n"
      "@P0 STG.E.64.STRONG.SYS desc[UR10][R8.64], R14\n");
  REQUIRE(code.found.events.size() == 2);
  CHECK(code.found.events[0].tag == 0x12u);
  CHECK(code.found.events[1].tag == 0x21u);
}

TEST_CASE("payload records are an event's own, too") {
  const listing code(
      "CS2R.32 R14, SR_CLOCKLO\n"
      "MOV R15, 0x21\n"
      "STG.E.64.STRONG.SYS [R8.64], R14\n"
      "MOV R16, R3\n"
      "MOV R17, 0x1f\n"
      "STG.E.64.STRONG.SYS [R6.64], R16\n");
  CHECK(code.owned() == "eee-ee");
}

TEST_CASE("all ways of moving a tag") {
  CHECK(tag_by("MOV R15, 0x22\n") == 0x22u);
  CHECK(tag_by("IMAD.MOV.U32 R15, RZ, RZ, 0x22\n") == 0x22u);
  CHECK(tag_by("VIADD R15, RZ, 0x22\n") == 0x22u);
  CHECK(tag_by("UMOV UR4, 0x22\nMOV R15, UR4\n") == 0x22u);
  CHECK(tag_by("UMOV UR4, 0x22\nIMAD.U32 R15, RZ, RZ, UR4\n") == 0x22u);
  CHECK(tag_by("MOV R40, 0x22\nFADD R1, R1, R1\nIMAD.MOV.U32 R15, RZ, RZ, R40\n") == 0x22u);
  CHECK(tag_by("HFMA2.MMA R15, -RZ, RZ, 0, 5.9604644775390625e-08\n") == 1u);
  CHECK(tag_by("HFMA2 R15, -RZ, RZ, 0, 2.384185791015625e-07\n") == 4u);
  CHECK(tag_by("HFMA2.MMA R15, -RZ, RZ, 0, 6.103515625e-05\n") == 0x400u);
  CHECK(tag_by("HFMA2.MMA R15, -RZ, RZ, 1, -1.5\n") == 0x3c00be00u);
  CHECK(tag_by("CS2R R14, SRZ\n") == 0u);
}

TEST_CASE("a tag that is no constant, or whose constant was overwritten, is none") {
  CHECK(tag_by("LDG.E R15, desc[UR4][R2.64]\n") == std::nullopt);
  CHECK(tag_by("MOV R15, 0x22\nLDG.E.64 R14, desc[UR4][R2.64]\n") == std::nullopt);
  CHECK(tag_by("MOV R15, 0x22\nSEL R15, R15, R3, P0\n") == std::nullopt);
  CHECK(tag_by("HFMA2.MMA R15, -RZ, RZ, 0, 1e-09\n") == std::nullopt);
  CHECK(tag_by("") == std::nullopt);
}

TEST_CASE("a tag moved out of a loop is found where it is the register's only constant") {
  const std::string loop = "BRA 0x100\nCS2R.32 R14, SR_CLOCKLO\nMOV R15, R90\nSTG.E.64.STRONG.SYS [R8.64], R14\n";
  CHECK(listing("MOV R90, 0x31\n" + loop).found.events.at(0).tag == 0x31u);
  CHECK(listing("MOV R90, 0x31\nMOV R90, 0x41\n" + loop).found.events.at(0).tag == std::nullopt);
}

TEST_CASE("a kernel's own reads of the clock are no events") {
  CHECK(listing("CS2R.32 R14, SR_CLOCKLO\nIADD3 R3, R14, -R4, RZ\nSTG.E [R8.64], R3\n").found.events.empty());
  CHECK(listing("CS2R.32 R14, SR_CLOCKLO\nMOV R14, 0x5\nSTG.E.64.STRONG.SYS [R8.64], R14\n").found.events.empty());
  CHECK(listing("CS2R.32 R14, SR_CLOCKLO\nEXIT\nSTG.E.64.STRONG.SYS [R8.64], R14\n").found.events.empty());
}

TEST_CASE("every event of the recorded kernels has a tag that the trace knows") {
  for (const std::string& folder : recorded::folders) {
    const iket::analysis::timeline trace = recorded::trace(folder);
    const ncu_profile pages = recorded::pages(folder, {"source"});
    for (const source_listing& page : pages.listings) {
      std::vector<sass_instruction> code;
      for (const source_row& row : page.rows) code.push_back(parse_sass(row.text));
      const sass_events found = find_events(code);
      INFO(folder << ": " << page.kernel);
      CHECK(found.events.size() >= 6);
      for (const sass_event& event : found.events) {
        REQUIRE(event.tag);
        const iket::record_kind kind = iket::kind_of(*event.tag);
        bool is_known = kind == iket::record_kind::pop || kind == iket::record_kind::sync;
        for (const iket::analysis::launch& launch : trace.launches)
          for (const iket::analysis::code_site& site : *launch.code_sites)
            is_known = is_known || site.bits == iket::site_bits_of(*event.tag);
        CHECK(is_known);
      }
    }
  }
}
