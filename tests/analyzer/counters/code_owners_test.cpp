// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/code_owners.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "counters/open_stages.hpp"

namespace {

using namespace iket::analysis::counters;
using iket::event_tag;
using iket::record_kind;

constexpr std::uint32_t site_a = 0x10, site_b = 0x20, site_c = 0x30;

/// Instructions at 0x0, 0x10, ...; "+a" is a scoped begin of stage a, "-a" its end, "push b", "pop", "start c", "end
/// c", "end ?" an end whose tag is unknown: one instruction each, which stands for all of the event.
struct program {
  explicit program(const std::vector<std::string>& lines) {
    events.own.resize(lines.size());
    std::vector<std::uint64_t> addresses;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      addresses.push_back(16 * i);
      if (const auto tag = tag_of(lines[i]); tag.second) {
        events.events.push_back({i, i, tag.first});
        events.own[i] = true;
        code.push_back(parse_sass("NOP"));
      } else {
        code.push_back(parse_sass(lines[i]));
      }
    }
    found = find_owners(flow_of(code, addresses), events, [](std::uint32_t bits) { return bits; });
  }

  static std::pair<std::optional<std::uint32_t>, bool> tag_of(const std::string& line) {
    const std::uint32_t site = line.ends_with("a") ? site_a : line.ends_with("b") ? site_b : site_c;
    if (line.starts_with("+")) return {event_tag(site, record_kind::range_begin), true};
    if (line.starts_with("-")) return {event_tag(site, record_kind::range_end), true};
    if (line.starts_with("push")) return {event_tag(site, record_kind::push), true};
    if (line == "pop") return {event_tag(0, record_kind::pop), true};
    if (line.starts_with("start")) return {event_tag(site, record_kind::token_begin), true};
    if (line == "end ?") return {std::nullopt, true};
    if (line.starts_with("end ")) return {event_tag(site, record_kind::token_end), true};
    if (line == "mark") return {event_tag(site, record_kind::mark), true};
    return {std::nullopt, false};
  }

  /// One letter an instruction: a, b, c the stage; "." outside, "s" shared, "?" unknown; events as "*".
  [[nodiscard]] std::string owners() const {
    std::string text;
    for (const code_owner& owner : found.owners) {
      const char stage = owner.site_bits == site_a ? 'a' : owner.site_bits == site_b ? 'b' : 'c';
      text += owner.recording                     ? '*'
              : owner.kind == owner_kind::stage   ? stage
              : owner.kind == owner_kind::outside ? '.'
              : owner.kind == owner_kind::shared  ? 's'
                                                  : '?';
    }
    return text;
  }

  std::vector<sass_instruction> code;
  sass_events events;
  code_owners found;
};

std::string owners_of(const std::vector<std::string>& lines) { return program(lines).owners(); }

}  // namespace

TEST_CASE("a stage owns what stands between its events, nested stages theirs") {
  CHECK(owners_of({"FADD", "+a", "FADD", "+b", "FADD", "-b", "FADD", "-a", "FADD", "EXIT"}) == ".*a*b*a*..");
}

TEST_CASE("what a warp does at the clock read of an end it does in the stage") {
  const program code({"+a", "FADD", "-a", "EXIT"});
  CHECK(code.found.owners[0].kind == owner_kind::outside);
  CHECK(code.found.owners[2].kind == owner_kind::stage);
  CHECK(code.found.owners[2].site_bits == site_a);
}

TEST_CASE("a pop closes the innermost pushed stage, a token's end that of its site") {
  CHECK(owners_of({"push a", "FADD", "push b", "FADD", "pop", "FADD", "pop", "FADD", "EXIT"}) == "*a*b*a*..");
  CHECK(owners_of({"start a", "FADD", "start b", "FADD", "end a", "FADD", "end b", "FADD", "EXIT"}) == "*a*b*b*..");
  CHECK(owners_of({"start a", "FADD", "+b", "FADD", "-b", "FADD", "end ?", "FADD", "EXIT"}) == "*a*b*a*..");
}

TEST_CASE("an end closes what was left open inside of it, but for tokens") {
  CHECK(owners_of({"+a", "push b", "FADD", "-a", "FADD", "EXIT"}) == "**b*..");
  CHECK(owners_of({"+a", "start b", "FADD", "-a", "FADD", "end b", "FADD", "EXIT"}) == "**b*b*..");
}

TEST_CASE("an end of nothing, a pop of nothing and a mark change nothing") {
  CHECK(owners_of({"-a", "FADD", "pop", "FADD", "end a", "FADD", "mark", "FADD", "EXIT"}) == "*.*.*.*..");
}

TEST_CASE("a loop is followed around") {
  CHECK(owners_of({"FADD", "+a", "FADD", "-a", "FADD", "@P0 BRA 0x10", "FADD", "EXIT"}) == ".*a*....");
}

TEST_CASE("a stage's code that the compiler has put at the end is the stage's") {
  // 0x60 is a wait loop out of line, which goes back to 0x20.
  CHECK(owners_of({"+a", "@P0 BRA 0x60", "FADD", "-a", "FADD", "EXIT", "SYNCS", "@P0 BRA 0x60", "BRA 0x20"}) ==
        "*aa*..aaa");
}

TEST_CASE("code that is reached with different stages open is shared") {
  // Both sides of a branch end at 0x60, each in a stage of its own.
  CHECK(owners_of({"@P0 BRA 0x30", "+a", "BRA 0x40", "+b", "FADD", "pop", "EXIT"}) == ".*a*s*s");
  // In a stage, or in none.
  CHECK(owners_of({"@P0 BRA 0x20", "+a", "FADD", "EXIT"}) == ".*ss");
}

TEST_CASE("a function is code of all stages that call it") {
  CHECK(owners_of({"+a", "CALL.REL.NOINC 0x60", "FADD", "-a", "FADD", "EXIT", "FADD", "RET.REL.NODEC R20"}) ==
        "*aa*..aa");
  CHECK(owners_of({"+a", "CALL.REL.NOINC 0x60", "-a", "CALL.REL.NOINC 0x60", "FADD", "EXIT", "FADD",
                   "RET.REL.NODEC R20"}) == "*a*...ss");
}

TEST_CASE("threads gather where the barrier that they wait at says") {
  CHECK(owners_of({"BSSY B0, 0x50", "@P0 BRA 0x60", "+a", "FADD", "BSYNC B0", "FADD", "EXIT"}) == "..*aaas");
  CHECK(owners_of({"BSSY B0, 0x30", "BRA 0x40", "EXIT", "FADD", "BSYNC B0", "FADD"}) == "..?...");
}

TEST_CASE("what no way leads to is unknown, and so is what lies behind a branch to a register") {
  CHECK(owners_of({"BRA 0x20", "FADD", "EXIT", "NOP"}) == ".?.?");
  const program code({"+a", "BRX R4, 0x0", "FADD", "EXIT"});
  CHECK(code.owners() == "*a??");
  CHECK(code.found.indirect == 1);
}

TEST_CASE("stages that are only ever opened come to an end, and what is known of them is told") {
  CHECK(owners_of({"+a", "FADD", "BRA 0x0"}) == "*aa");
  // Behind more ways than are followed nobody knows, which is told.
  const program code({"FADD", "+a", "@P0 BRA 0x0", "FADD", "EXIT"});
  CHECK(code.owners() == "?*aaa");
  CHECK(code.found.dropped);
  CHECK(!program({"+a", "FADD", "-a", "EXIT"}).found.dropped);
}

TEST_CASE("a branch to an address that is not listed leaves the listing") {
  CHECK(owners_of({"BRA 0xfff0", "FADD", "EXIT"}) == ".??");
  CHECK(owners_of({"@P0 BRA 0xfff0", "FADD", "EXIT"}) == "...");
  CHECK(owners_of({"BRA.U UP0, 0x20", "FADD", "EXIT"}) == "...");
  CHECK(owners_of({"BRA.DIV UR4, 0x20", "FADD", "EXIT"}) == "...");
}

TEST_CASE("a trap ends what it is in") {
  CHECK(owners_of({"@P0 BRA 0x40", "+a", "FADD", "BPT.TRAP 0x1", "FADD", "EXIT"}) == ".*aa..");
  CHECK(owners_of({"+a", "BPT.INT 0x1", "EXIT"}) == "*aa");
}

TEST_CASE("no code has no owners") { CHECK(owners_of({}).empty()); }
