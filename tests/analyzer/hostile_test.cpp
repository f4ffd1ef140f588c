// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Files whose checksums are right and that nobody's kernel wrote: they may cost no more than their size accounts for.
// That none takes for ever is for the time limit of the test to find.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <iket/detail/crc32c.hpp>
#include <iket/trace_file.hpp>

#include "build_timeline.hpp"
#include "catch.hpp"
#include "chrome_trace.hpp"
#include "draw_limit.hpp"
#include "hang_trace.hpp"
#include "limits.hpp"
#include "report.hpp"
#include "report_csv.hpp"
#include "report_json.hpp"
#include "report_markdown.hpp"
#include "report_text.hpp"
#include "synthetic.hpp"
#include "trace_reader.hpp"

using namespace iket::analysis;
using iket::payload_type;
using iket::record_kind;
using iket::site_kind;
using synthetic::lacking;

namespace {

constexpr std::uint32_t half_mebi = 1u << 19;

struct outcome {
  timeline trace;
  report findings;
  std::vector<read_error> damages;

  [[nodiscard]] std::string damage_text() const {
    std::string text;
    for (const read_error& one : damages) text += one.message() + "\n";
    return text;
  }
  [[nodiscard]] std::string warning_text() const {
    std::string text;
    for (const std::string& one : findings.warnings) text += one + "\n";
    return text;
  }
};

/// All that the program does with a file.
outcome analyzed(const std::string& bytes, scope by = scope::cta) {
  std::variant<trace_view, read_error> read = read_trace(synthetic::bytes_of(bytes));
  REQUIRE(std::holds_alternative<trace_view>(read));
  const auto& view = std::get<trace_view>(read);
  outcome result{build_timeline(view, "hostile.bin"), {}, view.damages};
  result.findings = make_report(result.trace, {.scope = by});
  const std::string json = report_json(result.findings);
  CHECK(!report_csv(json).empty());
  CHECK(!report_markdown(json).empty());
  CHECK(!report_text(result.findings, {}).empty());
  for (const track_grouping group_by : {track_grouping::cta, track_grouping::sm}) {
    limit_drawing(result.trace, 10'000'000, {.group_by = group_by});
    std::uint64_t written = 0;
    write_chrome_trace(result.trace, [&](const void*, std::size_t size) { written += size; }, {},
                       {.group_by = group_by});
    CHECK(written > 0);
  }
  return result;
}

/// A trace of one launch whose only chunk of rings has these warps.
synthetic::trace of_warps(const std::vector<synthetic::warp>& warps, std::uint32_t grid, std::uint32_t capacity) {
  synthetic::trace trace;
  trace.launch("k", grid, 64, capacity, warps);
  return trace;
}

std::string finding_text(const outcome& of, std::size_t launch = 0) {
  std::string text;
  for (const finding& one : of.findings.launches.at(launch).findings) text += one.text + "\n";
  return text;
}

}  // namespace

TEST_CASE("very many launches without warps, each of another kernel") {
  synthetic::trace trace;
  for (std::uint32_t i = 0; i < 100'000; ++i) trace.launch(std::to_string(i), 1, 1, 1, {});
  const outcome found = analyzed(trace.bytes());
  CHECK(found.trace.launches.size() == 100'000);
  CHECK(found.findings.launches.size() == limits::groups);
  CHECK(lacking(found.warning_text(), {"only 10000 of 100000 kinds of launches"}).empty());
}

TEST_CASE("very many launches of one warp, each on an SM of its own and with something to say of it") {
  synthetic::trace trace;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    synthetic::warp warp;
    warp.sm = i % limits::sms;
    warp.open.cycles += std::uint64_t{i} << 40;  // another counter each
    warp.close.cycles = warp.open.cycles - 1;    // and none that runs forward
    trace.launch("k", 1, 1, 1, {warp});
  }
  const outcome found = analyzed(trace.bytes());
  CHECK(found.trace.launches.size() == 20'000);
  CHECK(found.findings.launches.size() == 1);
  CHECK(found.findings.warnings.size() == limits::warnings + 1);
  CHECK(lacking(found.warning_text(), {"further warnings not listed"}).empty());
}

TEST_CASE("CTAs without end on one SM at one time") {
  std::vector<synthetic::warp> warps(50'000);
  for (std::uint32_t i = 0; i < warps.size(); ++i) warps[i].cta = i;
  const outcome found = analyzed(of_warps(warps, 50'000, 1).bytes(), scope::gpu);
  CHECK(found.trace.launches.at(0).warps.size() == 50'000);
}

TEST_CASE("numbers of SMs, warps and CTAs of a cluster that no GPU has") {
  synthetic::warp whole, far_sm, far_warp;
  far_sm.cta = 1;
  far_sm.sm = limits::sms;
  far_warp.cta = 2;
  far_warp.number = limits::warps_of_cta;
  synthetic::trace trace;
  trace.launch("k", 3, 0x100000, 1, {whole, far_sm, far_warp});
  trace.launch("huge cluster", 1, 1, 1, {});
  trace.content.launches[1].info.cluster[0] = 1u << 31;
  const outcome found = analyzed(trace.bytes());
  CHECK(found.trace.launches.size() == 1);
  CHECK(found.trace.launches.at(0).warps.size() == 1);
  CHECK(lacking(found.damage_text(), {"an SM that a GPU can have; 2 warps of launch 0", "a cluster of 1 to 64 CTAs"})
            .empty());
}

TEST_CASE("rings without their launch, in places that no grid has") {
  std::vector<synthetic::warp> warps(3);
  warps[1].cta = 7;
  synthetic::trace trace = of_warps(warps, 8, 1);
  trace.content.launches[0].warps[2].cta[0] = 0xFFFFFFFE;
  trace.content.launches[0].warps[2].cta[1] = 0x7FFFFFFE;
  trace.content.launches[0].info.block[0] = 0;  // refuses its facts
  const outcome found = analyzed(trace.bytes());
  const launch& one = found.trace.launches.at(0);
  CHECK(one.grid == std::array<std::uint32_t, 3>{8, 1, 1});
  CHECK(one.warps.size() == 2);
  CHECK(lacking(found.damage_text(), {"a CTA inside the grid; 1 warps of launch 0 are left out"}).empty());
}

TEST_CASE("clock pairs at the ends of what 64 bits hold") {
  constexpr std::uint64_t edges[] = {0,
                                     1,
                                     1u << 31,
                                     std::uint64_t{1} << 62,
                                     (std::uint64_t{1} << 63) - 1,
                                     std::uint64_t{1} << 63,
                                     std::numeric_limits<std::uint64_t>::max()};
  synthetic::random_numbers random(1);
  const auto edge = [&] { return edges[random.below(std::size(edges))] + random.below(3) - 1; };
  for (int i = 0; i < 300; ++i) {
    synthetic::trace trace;
    const std::uint32_t stage = trace.site(site_kind::work, "stage");
    std::vector<synthetic::warp> warps(1 + random.below(4));
    for (std::uint32_t k = 0; k < warps.size(); ++k) {
      warps[k].cta = k;
      warps[k].closed = random.below(4) != 0;
      warps[k].open = {edge(), edge()};
      warps[k].close = {edge(), edge()};
      for (std::uint64_t n = random.below(12); n != 0; --n) {
        const auto kinds = {record_kind::range_begin, record_kind::range_end, record_kind::push, record_kind::pop};
        warps[k].log.event(*(kinds.begin() + random.below(4)), stage, edge());
        if (random.below(4) == 0) warps[k].log.sync(edge(), edge());
      }
    }
    trace.launch("k", 4, 1, 8, warps);
    if (random.below(2) == 0) trace.read_timer({0, 1000});
    for (auto& clock : trace.content.host_clocks)
      for (auto& pair : clock.pairs) {
        pair.globaltimer_ns = edge();
        pair.host_before_ns = std::min<std::uint64_t>(edge(), pair.host_after_ns);
        pair.realtime_offset_ns = static_cast<std::int64_t>(edge());
      }
    const outcome found = analyzed(trace.bytes());
    for (const warp_timeline& warp : found.trace.launches.at(0).warps) {
      CHECK(warp.open <= warp.close);
      for (const range& one : warp.ranges) CHECK(one.begin <= one.end);
    }
  }
}

namespace {

/// A warp that has `open` token ranges of as many stages open at once, again and again.
synthetic::warp of_tokens(std::uint32_t number, std::uint32_t open, std::uint32_t records,
                          const std::function<std::uint32_t(std::uint32_t)>& site) {
  synthetic::warp warp;
  warp.number = number;
  std::uint64_t now = warp.open.cycles;
  std::vector<std::uint32_t> begun(open);
  for (std::uint32_t i = 0; warp.log.records.size() + 3 * open < records; ++i) {
    for (std::uint32_t k = 0; k < open; ++k) begun[k] = warp.log.event(record_kind::token_begin, site(k), ++now);
    for (std::uint32_t k = 0; k < open; ++k) warp.log.end_token(begun[k], ++now, site(k));
  }
  warp.close = {now + 10, warp.open.globaltimer_ns + now / 2};
  return warp;
}

}  // namespace

TEST_CASE("more stages than can be related to each other, all going on at once") {
  // Of no site table: each has the name of its address.
  const auto site = [](std::uint32_t k) { return (k + 1) << 4; };
  const outcome found = analyzed(of_warps({of_tokens(0, 100'000, half_mebi, site)}, 1, half_mebi).bytes());
  CHECK(found.trace.stages.size() == limits::names + 1);
  CHECK(
      lacking(found.warning_text(), {"more than 16384 names: those behind them are put together as '(further names)'"})
          .empty());
  CHECK(lacking(finding_text(found), {"critical path): more than 512 stages"}).empty());
  CHECK(found.findings.launches.at(0).related.overlap.empty());
}

TEST_CASE("as many stages as can be related, work and waits, on many warps at once") {
  synthetic::trace trace;
  std::vector<std::uint32_t> sites;
  for (std::uint32_t i = 0; i < limits::related_stages; ++i)
    sites.push_back(trace.site(i % 2 == 0 ? site_kind::work : site_kind::wait, "stage " + std::to_string(i)));
  const auto site = [&](std::uint32_t k) { return sites[k]; };
  std::vector<synthetic::warp> warps;
  for (std::uint32_t i = 0; i < 16; ++i) warps.push_back(of_tokens(i, limits::related_stages, 1u << 14, site));
  trace.launch("k", 1, 16, 1u << 14, warps);
  const outcome found = analyzed(trace.bytes());
  CHECK(lacking(finding_text(found), {"critical path): too many stages at a time"}).empty());
  CHECK(found.findings.launches.at(0).related.waits.empty());
  CHECK(!found.findings.launches.at(0).related.overlap.empty());
}

TEST_CASE("items that very many stages share") {
  synthetic::trace trace;
  std::vector<std::uint32_t> sites;
  for (std::uint32_t i = 0; i < 500; ++i)
    sites.push_back(trace.site(i % 2 == 0 ? site_kind::work : site_kind::wait, "stage " + std::to_string(i)));
  std::vector<synthetic::warp> warps(4);
  for (std::uint32_t k = 0; k < warps.size(); ++k) {
    warps[k].number = k;
    std::uint64_t now = warps[k].open.cycles;
    for (std::uint32_t i = 0; i < 60'000; ++i) {
      const std::uint32_t at = sites[i % sites.size()];
      warps[k].log.event(record_kind::range_begin, at, now += 300, payload_type::u32, i / 500 % 2);
      warps[k].log.event(record_kind::range_end, at, now += 300);
    }
    warps[k].close = {now + 10, warps[k].open.globaltimer_ns + now / 2};
  }
  trace.launch("k", 1, 4, 1u << 18, warps);
  const outcome found = analyzed(trace.bytes());
  CHECK(found.findings.launches.at(0).related.pipelines.reason == "more than 256 stages and roles loop");
}

TEST_CASE("names without end") {
  synthetic::trace trace;
  std::string name(3'000'000, 'x');
  name.replace(limits::name_bytes - 1, 3, "\xE2\x82\xAC");  // a character across the limit
  const std::uint32_t stage = trace.site(site_kind::work, name, name);
  synthetic::warp warp;
  warp.log.event(record_kind::push, stage, 2000);
  warp.log.event(record_kind::pop, 0, 3000);
  trace.launch(name, 1, 1, 8, {warp});
  const outcome found = analyzed(trace.bytes());
  CHECK(found.damages.empty());
  CHECK(found.trace.stages.at(0).name == std::string(limits::name_bytes - 1, 'x'));
  CHECK(found.trace.launches.at(0).kernel.size() == limits::name_bytes - 1);
  CHECK(lacking(found.warning_text(), {"3 names longer than 4096 bytes: only the beginning is taken"}).empty());
}

TEST_CASE("more faults than a device tells apart") {
  synthetic::trace trace;
  trace.launch("k", 1, 1, 1, {});
  for (std::uint32_t i = 0; i < 100'000; ++i) trace.fault(iket::file::fault_kind::pop_without_push, 16 + 16 * i, 2);
  const outcome found = analyzed(trace.bytes());
  CHECK(found.trace.launches.at(0).faults.size() == limits::faults);
  CHECK(found.trace.launches.at(0).faults_dropped == 2 * (100'000 - limits::faults));
}

TEST_CASE("devices without end") {
  synthetic::trace trace;
  for (std::uint32_t i = 1; i < 50'000; ++i) {
    trace.content.devices.push_back(trace.content.devices.front());
    trace.content.devices.back().info.id = i;
  }
  trace.launch("k", 1, 1, 1, {synthetic::warp{}});
  const outcome found = analyzed(trace.bytes());
  CHECK(found.trace.devices.size() == limits::devices);
  CHECK(lacking(found.damage_text(), {"at most 1024 devices", "further damage in"}).empty());
}

TEST_CASE("readings of the host's clock without end, each against the others") {
  synthetic::trace trace;
  trace.launch("k", 1, 1, 1, {synthetic::warp{}});
  trace.read_timer({0});
  auto& pairs = trace.content.host_clocks.front().pairs;
  synthetic::random_numbers random(1);
  for (int i = 0; i < 100'000; ++i) {
    pairs.push_back(pairs.front());
    pairs.back().globaltimer_ns += random.below(1'000'000'000);
    pairs.back().host_before_ns += random.below(1'000'000'000);
    pairs.back().host_after_ns = pairs.back().host_before_ns + random.below(1000);
  }
  CHECK(analyzed(trace.bytes()).damages.empty());
}

TEST_CASE("clock pairs that all contradict each other, on few SMs and on many") {
  for (const std::uint32_t sms : {1u, limits::sms}) {
    synthetic::random_numbers random(sms);
    std::vector<synthetic::warp> warps(30'000);
    for (std::uint32_t i = 0; i < warps.size(); ++i) {
      warps[i].cta = i;
      warps[i].sm = static_cast<std::uint32_t>(random.below(sms));
      warps[i].open = {random.below(1'000'000'000), 1 + random.below(1'000'000'000)};
      warps[i].close = {random.below(1'000'000'000), 1 + random.below(1'000'000'000)};
    }
    // And syncs, each of them a pair.
    synthetic::warp of_syncs = warps[0];
    for (std::uint32_t i = 0; i < 50'000; ++i) of_syncs.log.sync(random.next(), 1 + random.below(1'000'000'000));
    synthetic::trace trace = of_warps(warps, 30'000, 1);
    trace.launch("syncs", 1, 1, 1u << 18, {of_syncs});
    const outcome found = analyzed(trace.bytes());
    CHECK(found.trace.launches.at(0).warps.size() == warps.size());
  }
}

TEST_CASE("counters that are reset before each launch") {
  synthetic::trace trace;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    synthetic::warp warp;
    warp.open = {i % 2 == 0 ? 1000 : std::uint64_t{1} << 50, warp.open.globaltimer_ns + std::uint64_t{i} * 100'000};
    warp.close = {warp.open.cycles + 100'000, warp.open.globaltimer_ns + 50'000};
    trace.launch("k", 1, 1, 1, {warp});
  }
  const outcome found = analyzed(trace.bytes());
  CHECK(lacking(found.warning_text(), {"the SM clocks were reset between launches, times: "}).empty());
}

TEST_CASE("ranges nested without end, waits in work in waits") {
  synthetic::trace trace;
  const std::uint32_t sites[] = {trace.site(site_kind::work, "work"), trace.site(site_kind::wait, "wait")};
  std::vector<synthetic::warp> warps(3);
  for (std::uint32_t k = 0; k < warps.size(); ++k) {
    warps[k].number = k;
    std::uint64_t now = warps[k].open.cycles;
    constexpr std::uint32_t depth = 100'000;
    for (std::uint32_t i = 0; i < depth; ++i)
      warps[k].log.event(record_kind::push, sites[i % 2], now += 300, payload_type::u32, i);
    for (std::uint32_t i = 0; i < depth; ++i) warps[k].log.event(record_kind::pop, 0, now += 300);
    warps[k].close = {now + 10, warps[k].open.globaltimer_ns + now / 2};
  }
  trace.launch("k", 1, 3, half_mebi, warps);
  const outcome found = analyzed(trace.bytes());
  CHECK(found.trace.launches.at(0).warps.at(0).ranges.size() == 100'000);
}

TEST_CASE("clusters as large as they are taken, of warps that are all alone, in every scope") {
  synthetic::trace trace;
  const std::uint32_t wait = trace.site(site_kind::wait, "wait");
  const std::uint32_t work = trace.site(site_kind::work, "work");
  std::vector<synthetic::warp> warps;
  for (std::uint32_t i = 0; i < 64 * 64; ++i) {
    synthetic::warp& warp = warps.emplace_back();
    warp.cta = i / 64;
    warp.number = i % 64;
    warp.sm = i % limits::sms;
    for (std::uint32_t n = 0; n < 8; ++n) {
      warp.log.event(record_kind::range_begin, n % 2 == 0 ? wait : work, 2000 + 1000 * n + i);
      warp.log.event(record_kind::range_end, n % 2 == 0 ? wait : work, 2900 + 1000 * n + i);
    }
  }
  trace.launch("k", 64, 64, 16, warps);
  trace.content.launches[0].info.cluster[0] = 64;
  const std::string bytes = trace.bytes();
  for (const scope by : {scope::cta, scope::cluster, scope::sm, scope::gpu}) {
    const outcome found = analyzed(bytes, by);
    CHECK(found.findings.launches.at(0).warps == warps.size());
  }
}

TEST_CASE("chunks that each claim to hold all those behind them") {
  std::string bytes = of_warps({synthetic::warp{}}, 1, 1).bytes();
  bytes.resize(4'000'000);
  constexpr std::size_t rest = 64;  // behind all of them, where no chunk begins
  for (std::size_t at = 4096; at + rest + 32 < bytes.size(); at += 32) {
    iket::file::chunk_header header{};
    header.marker = iket::file::chunk_marker;
    header.type = iket::file::chunk_rings;
    header.payload_bytes = bytes.size() - at - sizeof(header) - rest;
    header.header_crc = iket::detail::crc32c(&header, offsetof(iket::file::chunk_header, header_crc));
    std::memcpy(bytes.data() + at, &header, sizeof(header));
  }
  // Behind the end chunk nothing is read: it has to go.
  const std::size_t end = bytes.find("END ");
  REQUIRE(end != std::string::npos);
  bytes[end] = 'X';
  const outcome found = analyzed(bytes);
  CHECK(found.trace.launches.at(0).warps.size() == 1);
  CHECK(
      lacking(found.damage_text(), {"expected chunks that do not overlap; the rest of the file is not read"}).empty());
}

TEST_CASE("snapshots at any time of any clock") {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t times_ns[] = {0, 1, 1ull << 62, 1ull << 63, largest - 1, largest};
  for (const std::uint64_t timer_ns : times_ns)
    for (const std::uint64_t host_ns : times_ns)
      for (const std::uint64_t looked_ns : times_ns) {
        iket::test::hang_trace made;
        std::vector<synthetic::warp> warps = made.warps_of(2);
        warps[3].open.globaltimer_ns = timer_ns;
        warps[4].log.event(record_kind::token_begin, made.load, 0xFFFF'FFFF);
        made.running(warps, 2, 32);
        made.trace.content.host_clocks[0].pairs[0] = {host_ns, host_ns, timer_ns,
                                                      std::numeric_limits<std::int64_t>::max()};
        made.trace.content.snapshots[0].host_begin_ns = looked_ns;
        made.trace.content.snapshots[0].host_end_ns = largest;
        const outcome found = analyzed(made.trace.bytes());
        const launch& of = found.trace.launches.at(0);
        CHECK(of.begin <= of.end);
        for (const warp_timeline& warp : of.warps) {
          CHECK((warp.open <= warp.close && warp.observed <= warp.close && warp.last_event <= warp.close));
          for (const range& one : warp.ranges) CHECK((one.begin <= one.end && one.end <= warp.close));
        }
        for (const standing_line& line : found.findings.launches.at(0).standing.at(0).lines) CHECK(line.shortest >= 0);
      }
}

TEST_CASE("launches without end that run, each with warps at places of their own") {
  synthetic::trace trace;
  std::vector<std::uint32_t> waits;
  for (int i = 0; i < 300; ++i)
    waits.push_back(trace.site(site_kind::wait, std::string(4000, 'w') + std::to_string(i)));
  for (std::uint32_t i = 0; i < 2000; ++i) {
    std::vector<synthetic::warp> warps;
    for (std::uint32_t k = 0; k < 10; ++k) {
      warps.push_back({.cta = k, .closed = false});
      warps.back().log.event(record_kind::range_begin, waits[(i + k * 7) % waits.size()], 2000);
    }
    const std::size_t place = trace.launch(i % 2 == 0 ? "a" : "b" + std::to_string(i), 10, 1, 4, warps);
    trace.content.launches[place].info.flags |= iket::file::launch_running;
  }
  const outcome found = analyzed(trace.bytes());
  std::size_t lines = 0;
  for (const launch_report& launch : found.findings.launches) {
    std::size_t of_kind = 0;
    for (const launch_standing& one : launch.standing) of_kind += one.lines.size();
    CHECK(of_kind <= limits::standing_lines);
    lines += of_kind;
  }
  CHECK(lines <= limits::standing_lines_of_report);
  CHECK(lines >= limits::standing_lines_of_report - 10);
}
