// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Names of sites from another trace of the same binary.
#include <catch.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "borrowed_sites.hpp"
#include "build_timeline.hpp"
#include "load_traces.hpp"
#include "synthetic.hpp"

using namespace iket::analysis;
using iket::payload_type;
using iket::record_kind;
using iket::site_kind;

namespace {

constexpr std::uint64_t bank = 0x7F11'2200'0000u;

struct module_site {
  site_kind kind;
  std::string name;
  std::uint32_t offset;  // in the module's constant bank
};

const std::vector<module_site> gemm_sites{{site_kind::role, "consumer", 0x40},
                                          {site_kind::wait, "wait for data", 0x60},
                                          {site_kind::work, "compute", 0x90},
                                          {site_kind::mark, "done", 0xF0}};

/// A trace as recorders make them since format 1.1: tags carry places in the constant bank at `anchor`.
class bank_trace {
 public:
  synthetic::trace trace;

  /// A launch of a warp that records at these sites of a module.
  bank_trace& launch(std::uint64_t anchor, const std::vector<module_site>& sites) {
    synthetic::warp warp;
    std::uint64_t now = warp.open.cycles;
    for (const module_site& site : sites) {
      if (site.kind == site_kind::role) warp.role = site.offset;
      if (site.kind == site_kind::mark) warp.log.event(record_kind::mark, site.offset, now += 100);
      if (site.kind != site_kind::work && site.kind != site_kind::wait) continue;
      warp.log.event(record_kind::range_begin, site.offset, now += 100);
      warp.log.event(record_kind::range_end, site.offset, now += 100);
    }
    const std::size_t place = trace.launch("k", 1, 1, 64, {warp});
    trace.content.launches[place].warps[0].anchor = anchor;
    trace.content.launches[place].warps[0].flags = iket::warp_anchor_is_base;
    return *this;
  }

  /// Names of a module's sites.
  bank_trace& names(std::uint64_t anchor, const std::vector<module_site>& sites) {
    for (const module_site& site : sites)
      trace.content.site_tables[0].sites.push_back(
          {anchor + site.offset, site.kind, site.offset, site.name, "gemm.cu"});
    return *this;
  }

  /// The file at a path of its own, which goes with the object.
  std::string path() {
    file_ = std::filesystem::temp_directory_path() /
            ("iket_borrowed_" + std::to_string(getpid()) + "_" + std::to_string(++made_) + ".bin");
    std::ofstream(file_, std::ios::binary) << trace.bytes();
    return file_;
  }
  bank_trace() = default;
  bank_trace(const bank_trace&) = delete;
  bank_trace& operator=(const bank_trace&) = delete;
  ~bank_trace() {
    if (!file_.empty()) std::filesystem::remove(file_);
  }

 private:
  static inline int made_ = 0;
  std::string file_;
};

std::string warnings_of(const timeline& of) {
  std::string text;
  for (const std::string& one : of.warnings) text += one + "\n";
  return text;
}

std::vector<std::string> stages_of(const timeline& of, std::size_t launch = 0) {
  std::vector<std::string> names;
  for (const range& one : of.launches.at(launch).warps.at(0).ranges) names.push_back(of.stages.at(one.stage).name);
  return names;
}

using names = std::vector<std::string>;
const names gemm_names{"wait for data", "compute"};

timeline with_sites(bank_trace& crash, bank_trace& good) { return load_traces({crash.path()}, false, good.path()); }

}  // namespace

TEST_CASE("without names, sites go by their addresses, and it is said where names may come from") {
  bank_trace crash;
  const timeline found = load_traces({crash.launch(bank, gemm_sites).path()}, false);
  CHECK(stages_of(found) == names{"site 0x7f1122000060", "site 0x7f1122000090"});
  CHECK(synthetic::lacking(warnings_of(found), {"4 sites without a name in the file, shown as work, which may be "
                                                "waits: --sites takes names from another trace of the same binary"}) ==
        "");
}

TEST_CASE("names are taken from the same addresses") {
  bank_trace crash, good;
  crash.launch(bank, gemm_sites);
  good.launch(bank, gemm_sites).names(bank, gemm_sites);
  const timeline found = with_sites(crash, good);
  CHECK(stages_of(found) == gemm_names);
  CHECK(found.stages.at(found.launches[0].warps[0].ranges[0].stage).kind == stage_kind::wait);
  CHECK(found.roles.at(found.launches[0].warps[0].role) == "consumer");
  CHECK(found.points.at(found.launches[0].warps[0].points.at(0).name).name == "done");
  CHECK(found.stages.at(0).sources == std::vector<source_location>{{"gemm.cu", 0x60}});
  CHECK(synthetic::lacking(warnings_of(found), {"4 sites without a name in the file: taken from '"}) == "");
  CHECK(warnings_of(found).find("--sites") == std::string::npos);
}

TEST_CASE("names are taken from a module that was loaded elsewhere") {
  bank_trace crash, good;
  crash.launch(bank, gemm_sites);
  good.launch(bank + 0x7654'0000, gemm_sites).names(bank + 0x7654'0000, gemm_sites);
  CHECK(stages_of(with_sites(crash, good)) == gemm_names);
}

TEST_CASE("the place of a module tells names apart that their kinds do not") {
  // One range of any stage fits many; the place of the bank leaves one.
  const std::vector<module_site> one{gemm_sites[2]};
  bank_trace crash, good;
  crash.launch(bank, one);
  good.launch(bank - 0x10000, gemm_sites).names(bank - 0x10000, gemm_sites);
  CHECK(stages_of(with_sites(crash, good)) == names{"compute"});
}

TEST_CASE("where nothing tells the place, all distances are tried, and what is ambiguous is not taken") {
  const auto found_with = [](const std::vector<module_site>& sites) {
    bank_trace crash, good;
    crash.launch(bank, sites);
    good.names(bank + 0x330, gemm_sites);
    good.trace.launch("k", 1, 1, 64, {});
    return with_sites(crash, good);
  };
  CHECK(stages_of(found_with(gemm_sites)) == gemm_names);
  CHECK(stages_of(found_with({gemm_sites[1], gemm_sites[2]})) == gemm_names);
  CHECK(synthetic::lacking(warnings_of(found_with(gemm_sites)),
                           {"4 sites without a name in the file: taken from '", "by their layout alone"}) == "");

  // Two sites at a distance that is there twice.
  bank_trace crash, good;
  crash.launch(bank, {{site_kind::work, "a", 0x10}, {site_kind::work, "b", 0x30}});
  good.names(bank + 0x330, {{site_kind::work, "c", 0x10}, {site_kind::work, "d", 0x30}, {site_kind::work, "e", 0x50}});
  good.trace.launch("k", 1, 1, 64, {});
  const timeline ambiguous = with_sites(crash, good);
  CHECK(stages_of(ambiguous) == names{"site 0x7f1122000010", "site 0x7f1122000030"});
  CHECK(synthetic::lacking(warnings_of(ambiguous), {"2 sites without a name in the file: more than one place in '"}) ==
        "");
}

TEST_CASE("a single site fits anywhere: without the places of modules it is not taken, also where one fits") {
  bank_trace crash, good;
  crash.launch(bank, {gemm_sites[1]});
  good.names(bank + 0x330, gemm_sites);  // one wait among them
  good.trace.launch("k", 1, 1, 64, {});
  const timeline found = with_sites(crash, good);
  CHECK(stages_of(found) == names{"site 0x7f1122000060"});
  CHECK(synthetic::lacking(warnings_of(found), {"1 site without a name in the file: nothing states its module's place",
                                                "one site alone fits anywhere: none is taken"}) == "");
}

TEST_CASE("where the places of modules are known, no other distance is tried") {
  // All sites are there, but not where the module is.
  bank_trace crash, good;
  crash.launch(bank, gemm_sites);
  good.launch(bank + 0x50000, {{site_kind::work, "other", 0x10}}).names(bank + 0x330, gemm_sites);
  const timeline found = with_sites(crash, good);
  CHECK(stages_of(found) == names{"site 0x7f1122000060", "site 0x7f1122000090"});
  CHECK(synthetic::lacking(warnings_of(found), {"4 sites without a name in the file: no place in '"}) == "");
}

TEST_CASE("half of a module that was loaded elsewhere is enough, less is not") {
  const auto found_with = [](const std::vector<module_site>& named) {
    bank_trace crash, good;
    crash.launch(bank, gemm_sites);
    good.launch(bank + 0x7000, gemm_sites).names(bank + 0x7000, named);
    return with_sites(crash, good);
  };
  const timeline half = found_with({gemm_sites[0], gemm_sites[1]});
  CHECK(stages_of(half) == names{"wait for data", "site 0x7f1122000090"});
  CHECK(synthetic::lacking(warnings_of(half), {"2 sites without a name in the file: taken from '",
                                               "2 sites without a name in the file: not in '"}) == "");
  CHECK(stages_of(found_with({gemm_sites[1]})) == names{"site 0x7f1122000060", "site 0x7f1122000090"});
}

TEST_CASE("a module that the other file has at several places has its names nevertheless") {
  bank_trace crash, good;
  crash.launch(bank, gemm_sites);
  for (const std::uint64_t place : {bank + 0x10000, bank + 0x20000})
    good.launch(place, gemm_sites).names(place, gemm_sites);
  CHECK(stages_of(with_sites(crash, good)) == gemm_names);
}

TEST_CASE("the sites of faults are borrowed, too, also where no event of the file is at them") {
  bank_trace crash, good;
  crash.launch(bank, {gemm_sites[0], gemm_sites[1], gemm_sites[2]});
  crash.trace.fault(iket::file::fault_kind::leader_absent, bank + gemm_sites[3].offset, 1);
  crash.trace.content.launches[0].faults[0].cta[0] = 0;
  crash.trace.content.launches[0].faults[0].warp = 0;
  good.launch(bank + 0x5000, gemm_sites).names(bank + 0x5000, gemm_sites);
  const timeline found = with_sites(crash, good);
  REQUIRE(found.launches[0].faults.size() == 1);
  CHECK(found.launches[0].faults[0].site == "done");
  CHECK(synthetic::lacking(warnings_of(found), {"4 sites without a name in the file: taken from '"}) == "");

  // Of a warp that is not in the file, only the same address will do.
  bank_trace other;
  other.launch(bank, {gemm_sites[1]});
  other.trace.fault(iket::file::fault_kind::leader_absent, bank + 0x5000 + gemm_sites[3].offset, 1);
  CHECK(with_sites(other, good).launches[0].faults[0].site == "done");
}

TEST_CASE("where --sites was given, or cannot be, it is not recommended") {
  bank_trace crash, good;
  crash.launch(bank, gemm_sites);
  good.launch(bank, gemm_sites).names(bank, {gemm_sites[1]});
  CHECK(warnings_of(with_sites(crash, good)).find("--sites") == std::string::npos);
  const std::string baseline = warnings_of(load_traces({crash.path()}, false, {}, nameless_sites::count));
  CHECK(synthetic::lacking(baseline, {"4 sites without a name in the file, shown as work, which may be waits\n"}) ==
        "");
}

TEST_CASE("damage of the file to borrow from is a warning, and an error where any damage is one") {
  bank_trace crash, good;
  const std::string traced = crash.launch(bank, gemm_sites).path();
  const std::string sites = good.launch(bank, gemm_sites).names(bank, gemm_sites).path();
  std::filesystem::resize_file(sites, std::filesystem::file_size(sites) - 8);
  const timeline found = load_traces({traced}, false, sites);
  CHECK(stages_of(found) == gemm_names);
  CHECK(synthetic::lacking(warnings_of(found), {"names may be missing in '" + sites + "': truncated"}) == "");
  CHECK_NOTHROW(load_traces({traced}, true));
  CHECK_THROWS_AS(load_traces({traced}, true, sites), unreadable_trace);
}

TEST_CASE("a site that only one of two runs came to stays without a name") {
  bank_trace crash, good;
  crash.launch(bank, {gemm_sites[0], gemm_sites[1], gemm_sites[2], {site_kind::work, "on error", 0x200}});
  good.launch(bank, gemm_sites).names(bank, gemm_sites);
  const timeline found = with_sites(crash, good);
  CHECK(stages_of(found) == names{"wait for data", "compute", "site 0x7f1122000200"});
  CHECK(synthetic::lacking(warnings_of(found), {"3 sites without a name in the file: taken from '",
                                                "1 site without a name in the file: not in '"}) == "");
}

TEST_CASE("another binary is told by kinds, and by names that the file has itself") {
  bank_trace crash, good;
  crash.launch(bank, gemm_sites);
  std::vector<module_site> others = gemm_sites;
  std::swap(others[1].kind, others[3].kind);
  good.launch(bank, others).names(bank, others);
  const timeline by_kind = with_sites(crash, good);
  CHECK(stages_of(by_kind) == names{"site 0x7f1122000060", "site 0x7f1122000090"});
  CHECK(synthetic::lacking(warnings_of(by_kind),
                           {"4 sites without a name in the file: no place in '", "of another binary"}) == "");

  bank_trace half, renamed;
  half.launch(bank, gemm_sites).names(bank, {gemm_sites[1]});
  others = gemm_sites;
  others[1].name = "wait for tile";
  renamed.launch(bank, others).names(bank, others);
  CHECK(stages_of(with_sites(half, renamed)) == names{"wait for data", "site 0x7f1122000090"});
  others[1].name = gemm_sites[1].name;
  bank_trace same;
  same.launch(bank, others).names(bank, others);
  CHECK(stages_of(with_sites(half, same)) == gemm_names);
}

TEST_CASE("another module at the same place does not hide the one that has more of the sites") {
  const std::vector<module_site> softmax{{site_kind::wait, "wait for rows", 0x60}, {site_kind::work, "exp", 0x90}};
  bank_trace crash, good;
  crash.launch(bank, gemm_sites);
  good.launch(bank, softmax).names(bank, softmax);
  good.launch(bank + 0x20000, gemm_sites).names(bank + 0x20000, gemm_sites);
  CHECK(stages_of(with_sites(crash, good)) == gemm_names);

  // Of two that have as many, the one at the same place is it.
  bank_trace even;
  even.launch(bank, gemm_sites).names(bank, {gemm_sites[1], gemm_sites[2]});
  even.launch(bank + 0x20000, softmax).names(bank + 0x20000, softmax);
  CHECK(stages_of(with_sites(crash, even)) == gemm_names);
}

TEST_CASE("of names from the same addresses it is said where nothing else tells that the binary is the same") {
  bank_trace crash, good;
  crash.launch(bank, gemm_sites);
  good.names(bank, gemm_sites);
  good.trace.launch("k", 1, 1, 64, {});
  const timeline found = with_sites(crash, good);
  CHECK(stages_of(found) == gemm_names);
  CHECK(synthetic::lacking(warnings_of(found), {"4 sites without a name in the file: taken from '",
                                                "by their addresses alone: they lie there at the same ones, and "
                                                "nothing states that it is the same binary"}) == "");
}

TEST_CASE("each module of a file has its own place") {
  const std::vector<module_site> other{{site_kind::work, "reduce", 0x10}, {site_kind::wait, "wait for peers", 0x30}};
  bank_trace crash, good;
  crash.launch(bank, gemm_sites).launch(bank + 0x10000, other);
  good.launch(bank + 0x50000, gemm_sites).names(bank + 0x50000, gemm_sites);
  good.launch(bank + 0x20000, other).names(bank + 0x20000, other);
  const timeline found = with_sites(crash, good);
  CHECK(stages_of(found, 0) == gemm_names);
  CHECK(stages_of(found, 1) == names{"reduce", "wait for peers"});
}

TEST_CASE("a file whose site table is missing gets one") {
  bank_trace crash, good;
  crash.launch(bank, gemm_sites);
  crash.trace.content.site_tables.clear();
  good.launch(bank, gemm_sites).names(bank, gemm_sites);
  CHECK(stages_of(with_sites(crash, good)) == gemm_names);
}

TEST_CASE("addresses at which a file has had several sites name none") {
  bank_trace crash, good;
  crash.launch(bank, gemm_sites);
  good.launch(bank, gemm_sites).names(bank, gemm_sites);
  good.trace.content.site_tables.push_back({1, {{bank + 0x90, site_kind::work, 1, "other", "b.cu"}}});
  CHECK(stages_of(with_sites(crash, good)) == names{"wait for data", "site 0x7f1122000090"});
}

TEST_CASE("a file that lacks nothing borrows nothing") {
  bank_trace crash, good;
  crash.launch(bank, gemm_sites).names(bank, gemm_sites);
  good.launch(bank, gemm_sites).names(bank, gemm_sites);
  CHECK(warnings_of(with_sites(crash, good)).find("site") == std::string::npos);
}

TEST_CASE("distances are not tried for ever") {
  // Sites without end at even distances: of those of the file all fit anywhere but the one in their middle, of whose
  // kind there are as many, elsewhere.
  bank_trace crash, good;
  std::vector<module_site> sites;
  for (std::uint32_t i = 0; i < 40'000; ++i)
    sites.push_back({i < 20'000 ? site_kind::work : site_kind::mark, "s" + std::to_string(i), 16 + 16 * i});
  good.names(bank + 0x1000, sites);
  good.trace.launch("k", 1, 1, 64, {});
  sites.resize(10'000);
  synthetic::warp warp;
  for (std::size_t i = 0; i < sites.size(); ++i)
    warp.log.event(i == sites.size() / 2 ? record_kind::mark : record_kind::range_begin, sites[i].offset, 2000);
  crash.trace.launch("k", 1, 1, 1u << 14, {warp});
  crash.trace.content.launches[0].warps[0].anchor = bank;
  crash.trace.content.launches[0].warps[0].flags = iket::warp_anchor_is_base;
  const timeline found = with_sites(crash, good);
  CHECK(synthetic::lacking(warnings_of(found), {"10000 sites without a name in the file: too many places in '"}) == "");
}

TEST_CASE("nor are the distances between modules") {
  constexpr std::uint32_t modules = 6000;
  const auto fill = [](bank_trace& to, std::uint64_t first) {
    std::vector<synthetic::warp> warps(modules);
    for (std::uint32_t i = 0; i < modules; ++i) {
      warps[i].cta = i;
      warps[i].log.event(record_kind::range_begin, 0x10, 2000);
    }
    to.trace.launch("k", modules, 1, 64, warps);
    for (std::uint32_t i = 0; i < modules; ++i) {
      to.trace.content.launches[0].warps[i].anchor = first + std::uint64_t{i} * 0x1000;
      to.trace.content.launches[0].warps[i].flags = iket::warp_anchor_is_base;
    }
  };
  bank_trace crash, good;
  fill(crash, bank);
  fill(good, bank + 0x800);
  good.names(bank, {{site_kind::mark, "m", 0x10}});
  const std::string text = warnings_of(with_sites(crash, good));
  CHECK(synthetic::lacking(text, {" sites without a name in the file: too many places in '"}) == "");
}

TEST_CASE("a file to borrow from that cannot be read is an error") {
  bank_trace crash;
  CHECK_THROWS_AS(load_traces({crash.launch(bank, gemm_sites).path()}, false, "missing.bin"), unreadable_trace);
}
