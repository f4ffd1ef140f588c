// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/read_ncu_page.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "catch.hpp"
#include "counters/csv_rows.hpp"
#include "recorded.hpp"

namespace {

using namespace iket::analysis::counters;
using iket::analysis::source_location;

ncu_profile read(const std::string& text) {
  ncu_profile profile;
  read_ncu_page(text, "page.csv", profile);
  return profile;
}

bool warns_of(const ncu_profile& profile, const std::string& part) {
  for (const std::string& warning : profile.warnings)
    if (warning.find(part) != std::string::npos) return warning.find("page.csv") != std::string::npos;
  return false;
}

/// Sums of a page's numbers of one column, each instruction of a kernel once, made without the reader of pages.
std::map<std::string, std::uint64_t> sums_in(const std::string& text, const std::string& column) {
  std::map<std::string, std::uint64_t> sums;
  std::set<std::pair<std::string, std::string>> seen;
  std::string kernel;
  std::size_t address = 0, value = 0;
  csv_reader reader(text);
  for (csv_row row; reader.next(row);) {
    if (row.front() == "Kernel Name" || row.front() == "Function Name") kernel = row.at(1);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == "Address") address = i, value = 0;
      if (row[i] == column) value = i;
    }
    if (value == 0 || row.size() <= value || !row[address].starts_with("0x") ||
        !seen.emplace(kernel, row[address]).second)
      continue;
    sums[kernel] += std::stoull(row[value]);
  }
  return sums;
}

std::uint64_t sum_of(const source_listing& listing, const std::string& key) {
  const std::vector<std::uint64_t> sums = sums_of(listing);
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (listing.columns[i].key == key) return sums[i];
  return 0;
}

const std::string raw_header =
    "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\"\n";

}  // namespace

TEST_CASE("a recorded page raw has each metric in base units") {
  const ncu_profile profile = recorded::pages("clean", {"raw"});
  REQUIRE(profile.warnings.empty());
  REQUIRE(profile.kernels.size() == 1);
  const profiled_kernel& kernel = profile.kernels.front();
  CHECK(kernel.name == "<unnamed>::clean(const float *, float *, tracer)");
  CHECK(kernel.grid == std::array<std::uint32_t, 3>{264, 1, 1});
  CHECK(kernel.block == std::array<std::uint32_t, 3>{256, 1, 1});
  CHECK(kernel.raw.size() > 2000);
  CHECK(kernel.raw.at("gpu__time_duration.sum").unit == "s");
  CHECK(kernel.raw.at("gpu__time_duration.sum").value == Approx(275e-6).epsilon(0.05));
  CHECK(kernel.raw.at("launch__registers_per_thread").value == 30);
  CHECK(kernel.raw.count("FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed") == 0);
  CHECK(kernel.texts.at("device__attribute_display_name") == "NVIDIA H200");
}

TEST_CASE("the same page in base units and in another language has the same values") {
  const ncu_profile first = recorded::pages("clean", {"raw"});
  for (const std::string other : {"raw_base", "raw_de"}) {
    const ncu_profile second = recorded::pages("clean", {other});
    REQUIRE(second.kernels.size() == 1);
    CHECK(second.kernels[0].raw.size() == first.kernels.at(0).raw.size());
    for (const auto& [name, metric] : first.kernels[0].raw) {
      // The profiler multiplies it by 1000 where it should divide: 2.614 %/Kbyte, and 2,614 %/byte.
      if (name == "derived__pct_occupancy_per_shared_mem_size") continue;
      const auto found = second.kernels[0].raw.find(name);
      REQUIRE(found != second.kernels[0].raw.end());
      INFO(name << " [" << metric.unit << "], [" << found->second.unit << "]");
      // The page in base units has two decimals.
      const double difference = std::abs(found->second.value - metric.value);
      CHECK((difference <= 1e-3 * std::abs(metric.value) || (metric.unit != "s" && difference < 0.0051)));
      CHECK(found->second.unit == metric.unit);
    }
  }
}

TEST_CASE("a recorded page details has metrics by section, with and without the profiler's words around it") {
  const ncu_profile profile = recorded::pages("clean", {"details"});
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.warnings.empty());
  CHECK(profile.kernels[0].details.at("GPU Speed Of Light Throughput/Duration").value == Approx(275e-6).epsilon(0.05));
  CHECK(profile.kernels[0].details.at("Launch Statistics/Registers Per Thread").value == 30);
  CHECK(profile.kernels[0].texts.at("Launch Statistics/Function Cache Configuration") == "CachePreferNone");

  const ncu_profile direct = recorded::pages("clean", {"direct_details"});
  REQUIRE(direct.kernels.size() == 4);  // IKET's own are among them
  CHECK(direct.warnings.empty());
  CHECK(direct.kernels[2].name == "<unnamed>::clean(const float *, float *, iket::tracer)");
  CHECK(recorded::pages("clean", {"direct_raw"}).kernels.size() == 4);
}

TEST_CASE("in every recorded page the rows add up to the page's own columns") {
  for (const std::string& folder : recorded::folders)
    for (const std::string page : {"source", "sass"}) {
      const std::string text = recorded::text(folder + "/" + page + ".csv.gz");
      if (text.empty()) continue;
      const ncu_profile profile = read(text);
      INFO(folder << "/" << page);
      CHECK(profile.warnings.empty());
      REQUIRE(!profile.listings.empty());
      for (const source_listing& listing : profile.listings) {
        CHECK(listing.has_instructions);
        CHECK(sum_of(listing, "instructions") != 0);
        for (std::size_t i = 0; i < listing.columns.size(); ++i) {
          INFO(listing.kernel << " " << listing.columns[i].name);
          CHECK(sums_of(listing)[i] == sums_in(text, listing.columns[i].name)[listing.kernel]);
        }
      }
    }
}

TEST_CASE("a page of lines and instructions has the instructions of one without lines") {
  for (const std::string folder : {"spills", "ws_gemm_depth1", "all"}) {
    const ncu_profile with = recorded::pages(folder, {"source"}), without = recorded::pages(folder, {"sass"});
    INFO(folder);
    REQUIRE(with.listings.size() == without.listings.size());
    for (std::size_t i = 0; i < with.listings.size(); ++i) {
      REQUIRE(with.listings[i].rows.size() == without.listings[i].rows.size());
      std::size_t of_some_line = 0;
      for (std::size_t row = 0; row < with.listings[i].rows.size(); ++row) {
        const source_row &a = with.listings[i].rows[row], &b = without.listings[i].rows[row];
        CHECK((a.address == b.address && a.text == b.text && a.values == b.values && b.sources.empty()));
        of_some_line += a.sources.empty() ? 0 : 1;
      }
      CHECK(of_some_line > with.listings[i].rows.size() * 9 / 10);
    }
  }
  CHECK(recorded::pages("all", {"sass"}).listings.size() == 3);  // each of which stands twice in the page
}

TEST_CASE("inlined code is of all its lines") {
  const ncu_profile profile = recorded::pages("ws_gemm_depth1", {"source"});
  for (const source_row& row : profile.listings.at(0).rows) {
    if (row.text.find("HGMMA") == std::string::npos || row.sources.size() != 2) continue;
    CHECK(row.sources[0].file == "examples/ws_gemm/gemm_sm90.cuh");
    CHECK(row.sources[1].file == "examples/ws_gemm/wgmma.cuh");
    return;
  }
  FAIL("no multiplication is inlined from another file");
}

TEST_CASE("columns that do not add up are left out") {
  const ncu_profile profile = recorded::pages("bank_conflicts", {"source"});
  CHECK(profile.listings.at(0).columns.size() > 40);
  for (const source_column& column : profile.listings.at(0).columns) {
    CHECK(column.name.find("Avg") == std::string::npos);
    CHECK(column.name.find("N-Way") == std::string::npos);
    CHECK(column.name.find("Size") == std::string::npos);
    CHECK(column.name.find("Policy") == std::string::npos);
  }
}

TEST_CASE("a page with lines alone is a listing of lines") {
  const std::string page =
      "\"File Path\",\"src/k.cu\"\n\"Function Name\",\"k(int)\"\n"
      "\"Line No\",\"Source\",\"# Samples\",\"Instructions Executed\"\n"
      "\"7\",\"x = f(\"a\",\"b\");\",\"3\",\"1,200\"\n\"8\",\"y\",\"-\",\"\"\n";
  const ncu_profile profile = read(page);
  REQUIRE(profile.listings.size() == 1);
  const source_listing& listing = profile.listings[0];
  CHECK(!listing.has_instructions);
  REQUIRE(listing.rows.size() == 2);
  CHECK(listing.rows[0].text == "x = f(\"a\",\"b\");");
  CHECK(listing.rows[0].sources == std::vector<iket::analysis::source_location>{{"src/k.cu", 7}});
  CHECK(listing.rows[0].values == std::vector<std::uint64_t>{3, 1200});
  CHECK(listing.rows[1].values == std::vector<std::uint64_t>{0, 0});
}

TEST_CASE("pages with lines and without, of one run, are one launch") {
  for (const std::string folder : {"spills", "all"})
    for (const auto& order : {std::vector<std::string>{"source", "sass"}, {"sass", "source"}}) {
      const ncu_profile one = recorded::pages(folder, {"source"}), both = recorded::pages(folder, order);
      INFO(folder);
      REQUIRE(both.listings.size() == one.listings.size());
      for (std::size_t i = 0; i < one.listings.size(); ++i) {
        CHECK(sums_of(both.listings[i]) == sums_of(one.listings[i]));
        REQUIRE(both.listings[i].rows.size() == one.listings[i].rows.size());
        for (std::size_t row = 0; row < one.listings[i].rows.size(); ++row)
          if (both.listings[i].rows[row].sources != one.listings[i].rows[row].sources) FAIL(row);
      }
    }
}

TEST_CASE("launches of one kernel whose listings differ are several") {
  const auto section = [](const std::string& samples) {
    return "\"Kernel Name\",\"k(int)\",\n\"Address\",\"Source\",\"# Samples\"\n\"0x10\",\"EXIT\",\"" + samples + "\"\n";
  };
  CHECK(read(section("1") + section("1")).listings.size() == 1);
  CHECK(read(section("1") + section("1") + section("2") + section("2")).listings.size() == 2);
  CHECK(read(section("1") + section("2") + section("1") + section("2")).listings.size() == 2);
}

TEST_CASE("sections of one kernel with other columns keep their names") {
  const auto section = [](const std::string& path, const std::string& column) {
    return "\"File Path\",\"" + path + "\"\n\"Function Name\",\"k\"\n\"Line No\",\"Source\",\"Address\",\"Source\",\"" +
           column + "\"\n\"1\",\"x\",\"-\",\"-\",\"3\"\n\"\",\"\",\"0x10\",\"EXIT\",\"3\"\n";
  };
  const ncu_profile profile = read(section("a.cu", "# Samples") + section("b.cu", "Instructions Executed"));
  REQUIRE(profile.listings.size() == 2);
  CHECK(profile.listings[0].columns.at(0).key == "samples");
  CHECK(profile.listings[1].columns.at(0).key == "instructions");
}

TEST_CASE("the column of samples is the one with that name") {
  const std::string table = "\"Kernel Name\",\"k\",\n\"Address\",\"Source\",\"Warp Stall Sampling (All Samples)\"";
  CHECK(sum_of(read(table + "\n\"0x10\",\"EXIT\",\"5\"\n").listings.at(0), "samples") == 5);
  CHECK(sum_of(read(table + ",\"# Samples\"\n\"0x10\",\"EXIT\",\"5\",\"6\"\n").listings.at(0), "samples") == 6);
}

TEST_CASE("a repetition that was cut off is no launch of its own") {
  const std::string table = "\"Kernel Name\",\"k\",\n\"Address\",\"Source\",\"# Samples\"\n\"0x10\",\"NOP\",\"1\"\n";
  const ncu_profile profile = read(table + "\"0x20\",\"EXIT\",\"2\"\n" + table);
  REQUIRE(profile.listings.size() == 1);
  CHECK(sum_of(profile.listings[0], "samples") == 3);
  CHECK(warns_of(profile, "cut off in a listing"));
}

TEST_CASE("a decimal comma is known by the metrics, whatever the compute capability has") {
  const ncu_profile profile = read(
      "\"ID\",\"Kernel Name\",\"Grid Size\",\"CC\",\"a.sum\"\n\"\",\"\",\"\",\"\",\"us\"\n\"0\",\"k\",\"(1, 1, "
      "1)\",\"9.0\","
      "\"1,5\"\n");
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.kernels[0].raw.at("a.sum").value == Approx(1.5e-6));
}

const std::string raw_units = "\"\",\"\",\"\",\"\",\"\",\"us\",\"\"\n";
const std::string raw_row = "\"0\",\"k\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"9.0\",\"1200\",\"7\"\n";

TEST_CASE("what the program prints around the table is no row") {
  const std::string words =
      "size, 1, 2, 3, 4, 5\n==PROF== Disconnected\n7,8,9,10,,12,13\n1,2,3,4,5,6\n1,2,3,4,5,6,7\n,,,,,ns,\n\"done\"\n";
  const ncu_profile profile = read(words + raw_header + words + raw_units + words + raw_row + words);
  CHECK(profile.warnings.empty());
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.kernels[0].name == "k");
  CHECK(profile.kernels[0].raw.at("gpu__time_duration.sum").value == Approx(1200e-6));
  // Numbers in the quotes of the table: there is no grid.
  CHECK(read(raw_header + raw_units + raw_row + "\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\"\n").kernels.size() == 1);
}

TEST_CASE("without its row of units nobody knows what a page's numbers are, which is told") {
  const ncu_profile profile = read(raw_header + "\"0\",\"k\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"9.0\",\"1200\",\"n/a\"\n");
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.kernels[0].raw.at("gpu__time_duration.sum").unit == "of no unit");
  CHECK(profile.kernels[0].raw.size() == 1);
  CHECK(profile.warnings ==
        std::vector<std::string>{"'page.csv' has no row of units behind its header: print the page again"});
}

TEST_CASE("pages that stand one behind another in a file are all read, each row once") {
  const ncu_profile twice = read(raw_header + raw_units + raw_row + raw_header + raw_units + raw_row);
  CHECK(twice.warnings.empty());
  CHECK(twice.kernels.size() == 1);
  CHECK(read(raw_header + raw_units + raw_row + raw_row).kernels.size() == 1);
  const std::string other =
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\",\"a\"\n\"\",\"\",\"\",\"\",\"\",\"\"\n"
      "\"0\",\"j\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"9.0\",\"5\"\n";
  const std::string source = "\"Kernel Name\",\"k\",\n\"Address\",\"Source\",\"# Samples\"\n\"0x10\",\"EXIT\",\"7\"\n";
  for (const std::string& text :
       {raw_header + raw_units + raw_row + other + source, source + other + raw_header + raw_units + raw_row,
        other + source + raw_header + raw_units + raw_row}) {
    const ncu_profile all = read(text);
    CHECK(all.warnings.empty());
    REQUIRE(all.kernels.size() == 2);
    REQUIRE(all.listings.size() == 1);
    CHECK(all.listings[0].rows.at(0).values == std::vector<std::uint64_t>{7});
    for (const profiled_kernel& kernel : all.kernels) CHECK(kernel.raw.contains("a") == (kernel.name == "j"));
  }
}

TEST_CASE("a row that looks like the begin of two pages is one, and comes to an end") {
  for (const std::string front : {"File Path", "File Name", "Kernel Name"}) {
    const std::string row = "\"" + front + "\",\"Kernel Name\",\"ID\",\"Grid Size\",\"CC\",\"a\"\n";
    CHECK(read(row).kernels.empty());
    CHECK(read(row + row + raw_header + raw_units + raw_row + row + raw_row).kernels.size() == 1);
  }
}

TEST_CASE("one launch in two pages raw with other units counts once, two launches twice") {
  CHECK(recorded::pages("clean", {"raw", "raw_base"}).kernels.size() == 1);
  CHECK(recorded::pages("clean", {"raw_base", "raw"}).kernels.size() == 1);
  CHECK(recorded::pages("clean", {"raw", "raw_de", "raw_base"}).kernels.size() == 1);
  ncu_profile again = recorded::pages("clean", {"raw"});
  again.kernels.at(0).raw.at("sm__cycles_active.sum").value += 1;
  read_ncu_page(recorded::text("clean/raw_base.csv.gz"), "page.csv", again);
  CHECK(again.kernels.size() == 2);
}

TEST_CASE("equal pages raw have one launch, whatever metrics they have") {
  ncu_profile twice = read(raw_header + raw_units + raw_row);
  read_ncu_page(raw_header + raw_units + raw_row, "copy.csv", twice);
  CHECK(twice.kernels.size() == 1);
}

TEST_CASE("a summary of launches is none of them, which is told") {
  const ncu_profile profile = read(
      "\"Invocations\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric "
      "Unit\",\"Minimum\",\"Maximum\"\n"
      "\"2\",\"k\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"gpu__time_duration.sum\",\"us\",\"1.5\",\"1.7\"\n");
  CHECK(profile.kernels.empty());
  REQUIRE(profile.warnings.size() == 1);
  CHECK(warns_of(profile, "is a summary of launches"));
}

TEST_CASE("a row without quotes that was cut off is told") {
  const std::string page = "ID,Kernel Name,Block Size,Grid Size,CC,a\n,,,,,\n0,k,\"(1, 1, 1)\",\"(2, 1, 1)\",9.0,5\n";
  CHECK(read(page).warnings.empty());
  CHECK(warns_of(read(page + "1,k,\"(1, 1, 1)\",\"(2, 1, 1)\",9"), "cut off"));
}

TEST_CASE("a file of many small pages takes a time that grows with it, and tells each thing once") {
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += raw_header + "\"" + std::to_string(i) + "\",\"k\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"9.0\",\"1200\",\"7\"\n";
  const ncu_profile profile = read(text);
  CHECK(profile.kernels.size() == 20'000);
  CHECK(profile.warnings.size() == 1);  // there are no units
  text = raw_header + raw_units;
  for (int i = 0; i < 60'000; ++i)  // all of one ID
    text += "\"0\",\"k\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"9.0\",\"" + std::to_string(i) + "\",\"7\"\n";
  CHECK(read(text).kernels.size() == 60'000);
}

TEST_CASE("a launch in two pages details counts once") {
  ncu_profile twice = recorded::pages("clean", {"details"});
  read_ncu_page(recorded::text("clean/details.csv.gz"), "copy.csv", twice);
  CHECK(twice.kernels.size() == 1);
  twice.kernels[0].details.begin()->second.value += 1;
  read_ncu_page(recorded::text("clean/details.csv.gz"), "copy.csv", twice);
  CHECK(twice.kernels.size() == 2);
}

TEST_CASE("words of the program behind a page source are no row, an instruction with two figures is told") {
  const std::string page =
      "\"Kernel Name\",\"k\",\n\"Address\",\"Source\",\"# Samples\"\n\"0x10\",\"NOP\",\"1\"\n\"0x20\",\"EXIT\",\"2\"\n";
  CHECK(read(page + "done, bye\nepoch 1, loss 2, 3\n").warnings.empty());
  CHECK(warns_of(read(page + "\"0x10\",\"NOP\",\"7\"\n"), "has an instruction twice, with other figures"));
  CHECK(read(page + "\"0x10\",\"NOP\",\"1\"\n").warnings.empty());
  CHECK(warns_of(read(page + "\"0x30\",\"NOP\",\"18446744073709551615\"\n"), "1 figure taken for 0"));
}

TEST_CASE("a row that was cut off at the end of a field was cut off") {
  const std::string text = recorded::text("streams/raw.csv.gz");
  const std::size_t row = text.rfind("\n\"0\",");
  REQUIRE(row != std::string::npos);
  for (std::size_t end = text.find("\",\"", row), cuts = 0; cuts < 300; end = text.find("\",\"", end + 1), ++cuts)
    for (const std::size_t behind : {0, 1, 2, 3}) {
      const ncu_profile profile = read(text.substr(0, end + behind));
      CHECK(profile.kernels.empty());
      CHECK(warns_of(profile, "cut off"));
    }
  // A row of the page details, which has a metric: "Duration", of the first section.
  const std::string details = recorded::text("streams/details.csv.gz");
  const std::string name = "GPU Speed Of Light Throughput/Duration";
  const std::size_t metric = details.find("\"Duration\"");
  REQUIRE(metric != std::string::npos);
  const std::size_t first = details.rfind('\n', metric) + 1, last = details.find('\n', metric);
  const double value = recorded::pages("streams", {"details"}).kernels.at(0).details.at(name).value;
  for (std::size_t end = first + 5; end <= last; ++end) {
    const ncu_profile profile = read(details.substr(0, end));
    INFO(details.substr(first, end - first));
    REQUIRE(profile.kernels.size() == 1);
    const auto found = profile.kernels[0].details.find(name);
    if (found == profile.kernels[0].details.end())
      CHECK(warns_of(profile, "cut off"));
    else
      CHECK(found->second.value == value);
  }
  CHECK(!read(details.substr(0, last - 3)).kernels[0].details.contains(name));
  CHECK(read(details.substr(0, last)).kernels[0].details.contains(name));
}

TEST_CASE("a row that was cut off is left out, with a warning") {
  const ncu_profile profile = read(raw_header + "\"0\",\"k\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"9.0\",\"1200\",\"7\"\n" +
                                   "\"1\",\"k\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"9.0\",\"12");
  CHECK(profile.kernels.size() == 1);
  CHECK(warns_of(profile, "cut off"));
}

TEST_CASE("what is no page says what to do") {
  CHECK(warns_of(read(""), "is empty"));
  CHECK(warns_of(read("hello\n"), "no page that ncu --csv prints"));
  CHECK(warns_of(read("\xFF\xFEI\0D\0"), "is encoded as UTF-16"));
  CHECK(warns_of(read("ID\tKernel Name\tBlock Size\tGrid Size\n0\tk\t1\t1\n"), "is separated by tabs"));
  CHECK(warns_of(read("IKETRACE\1"), "is a trace: name it before --ncu"));
  CHECK(warns_of(read(std::string("NVR\0\1\2\3", 7)), "is a report of ncu"));
  CHECK(warns_of(read(std::string("NVR\0\n", 5) + raw_header), "is a report of ncu"));
  CHECK(warns_of(read("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"), "ERR_NVGPUCTRPERM"));
  CHECK(warns_of(read("==ERROR== The application returned an error code (1).\n"), "The application returned"));
  CHECK(warns_of(read(recorded::text("clean/no_kernel.csv.gz")), "no kernel was profiled"));
  CHECK(warns_of(read(recorded::text("clean/lines.csv.gz")), "--print-source"));
  CHECK(warns_of(read(raw_header), "has no row of a kernel"));
  const ncu_profile missing = read_ncu_files({"/nonexistent/page.csv"});
  REQUIRE(missing.warnings.size() == 1);
  CHECK(read_ncu_files({"/"}).warnings == std::vector<std::string>{"'/' is a folder, and no page"});
  CHECK(missing.warnings[0] == "cannot open '/nonexistent/page.csv'");
}

TEST_CASE("counts that cannot be read are told") {
  const std::string header = "\"Kernel Name\",\"k\",\n\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\"\n";
  for (const std::string count : {"1.2E+03", "abc", "1.5", "-3", "1e999"}) {
    const ncu_profile profile = read(header + "\"0x10\",\"NOP\",\"" + count + "\",\"5\"\n\"0x20\",\"EXIT\",\"" + count +
                                     "\",\"-\"\n\"0x30\",\"NOP\",\"\",\"n/a\"\n");
    INFO(count);
    REQUIRE(profile.warnings.size() == 1);
    CHECK(profile.warnings[0].starts_with("'page.csv': 2 figures taken for 0, as they are no counts, such as '" +
                                          count + "'"));
  }
  const std::string wide(100, 'x');
  CHECK(warns_of(read(header + "\"0x10\",\"NOP\",\"" + wide + "\",\"5\"\n"), "'" + wide.substr(0, 40) + "'"));
}

TEST_CASE("source lines in another order than the profiler's are not known, which is told") {
  const std::string header =
      "\"File Path\",\"a.cu\"\n\"Function Name\",\"k\"\n\"Line No\",\"Source\",\"Address\",\"Source\",\"# Samples\"\n";
  const std::string line_3 = "\"3\",\"x\",\"-\",\"-\",\"1\"\n\"\",\"\",\"0x10\",\"NOP\",\"1\"\n";
  const std::string line_7 = "\"7\",\"y\",\"-\",\"-\",\"2\"\n\"\",\"\",\"0x20\",\"EXIT\",\"2\"\n";
  const ncu_profile sorted = read(header + line_3 + line_7), mixed = read(header + line_7 + line_3);
  CHECK(sorted.warnings.empty());
  CHECK(sorted.listings.at(0).rows.at(1).sources == std::vector<source_location>{{"a.cu", 7}});
  CHECK(warns_of(mixed, "has its source lines in another order"));
  REQUIRE(mixed.listings.at(0).rows.size() == 2);
  for (const source_row& row : mixed.listings[0].rows) CHECK(row.sources.empty());
  CHECK(sums_of(mixed.listings[0]) == sums_of(sorted.listings[0]));
}

TEST_CASE("the columns of a page source may stand in any order") {
  const ncu_profile profile =
      read("\"Kernel Name\",\"k\",\n\"# Samples\",\"Source\",\"Address\"\n\"7\",\"EXIT\",\"0x10\"\n");
  CHECK(profile.warnings.empty());
  REQUIRE(profile.listings.size() == 1);
  CHECK(profile.listings[0].rows.at(0).text == "EXIT");
  CHECK(profile.listings[0].rows[0].values == std::vector<std::uint64_t>{7});
}

// AddressSanitizer takes all memory that there is.
#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("a page that takes more memory than there is is left out alone") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_DATA, &before) == 0);
  rlimit less = before;
  less.rlim_cur = std::size_t{200} << 20;
  REQUIRE(setrlimit(RLIMIT_DATA, &less) == 0);
  const ncu_profile profile =
      read_ncu_files({recorded::path("clean/raw.csv.gz"), "/dev/zero", recorded::path("clean/source.csv.gz")});
  REQUIRE(setrlimit(RLIMIT_DATA, &before) == 0);
  CHECK(profile.kernels.size() == 1);
  CHECK(profile.listings.size() == 1);
  CHECK(profile.warnings ==
        std::vector<std::string>{"'/dev/zero' was not read: it takes more memory than --max-memory allows"});
}
#endif
