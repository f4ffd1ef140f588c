// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Pages that were cut, damaged or made to take much memory.

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "counters/read_ncu_page.hpp"
#include "limits.hpp"
#include "recorded.hpp"

namespace {

using namespace iket::analysis::counters;

ncu_profile read(const std::string& text) {
  ncu_profile profile;
  read_ncu_page(text, "page.csv", profile);
  return profile;
}

/// Small pages of each kind, with numbers whose beginnings are numbers, too.
const std::vector<std::string> small_pages = {
    "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid "
    "Size\",\"CC\",\"a.sum\",\"b.sum\"\n\"\",\"\",\"\",\"\",\"\",\"us\",\"byte\"\n"
    "\"0\",\"k\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"9.0\",\"123.25\",\"4567\"\n"
    "\"1\",\"j\",\"(64, 1, 1)\",\"(4, 1, 1)\",\"9.0\",\"323.25\",\"8567\"\n",
    "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
    "Value\"\n"
    "\"0\",\"k\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"S\",\"A\",\"us\",\"123.25\"\n"
    "\"0\",\"k\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"S\",\"B\",\"byte\",\"4567\"\n",
    "\"Kernel Name\",\"k(int)\",\n\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\"\n"
    "\"0x10\",\"NOP\",\"123\",\"4567\"\n\"0x20\",\"EXIT\",\"89\",\"6543\"\n",
    "\"File Path\",\"a.cu\"\n\"Function Name\",\"k\"\n\"Line No\",\"Source\",\"Address\",\"Source\",\"# Samples\"\n"
    "\"11\",\"#include \"tile.cuh\"\",\"-\",\"-\",\"123\"\n\"\",\"\",\"0x10\",\"EXIT\",\"123\"\n",
};

/// Whether `part` has nothing that is not in `whole`.
bool is_part(const std::map<std::string, metric>& part, const std::map<std::string, metric>& whole) {
  return std::all_of(part.begin(), part.end(), [&](const auto& one) {
    const auto known = whole.find(one.first);
    return known != whole.end() && known->second.value == one.second.value && known->second.unit == one.second.unit;
  });
}

bool is_part(const source_listing& part, const source_listing& whole) {
  return std::all_of(part.rows.begin(), part.rows.end(), [&](const source_row& row) {
    return std::any_of(whole.rows.begin(), whole.rows.end(), [&](const source_row& known) {
      return row.address == known.address && row.text == known.text && row.values == known.values;
    });
  });
}

void check_whole(const ncu_profile& profile) {
  REQUIRE((!profile.warnings.empty() || !profile.kernels.empty() || !profile.listings.empty()));
  for (const source_listing& listing : profile.listings)
    for (const source_row& row : listing.rows) REQUIRE(row.values.size() == listing.columns.size());
}

}  // namespace

TEST_CASE("a page cut at any byte has no other numbers than the whole one") {
  for (const std::string& text : small_pages) {
    const ncu_profile whole = read(text);
    REQUIRE(whole.warnings.empty());
    for (std::size_t size = 0; size < text.size(); ++size) {
      const ncu_profile part = read(text.substr(0, size));
      INFO(text.substr(0, size));
      check_whole(part);
      REQUIRE(part.kernels.size() <= whole.kernels.size());
      for (std::size_t i = 0; i < part.kernels.size(); ++i) {
        REQUIRE(is_part(part.kernels[i].raw, whole.kernels[i].raw));
        REQUIRE(is_part(part.kernels[i].details, whole.kernels[i].details));
      }
      // Of a page cut within its instructions the lines are left, with figures of their own.
      for (const source_listing& listing : part.listings)
        REQUIRE((is_part(listing, whole.listings.at(0)) || !listing.has_instructions));
    }
  }
}

TEST_CASE("flipped bits and random bytes are no fault") {
  std::mt19937 random(7);
  for (const std::string& text : small_pages)
    for (std::size_t at = 0; at < text.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        std::string damaged = text;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
        check_whole(read(damaged));
      }
  for (int run = 0; run < 1000; ++run) {
    std::string noise = run % 2 == 0 ? std::string() : small_pages[random() % small_pages.size()];
    for (int i = 0; i < 300; ++i) noise += static_cast<char>(random() % 256);
    check_whole(read(noise));
  }
}

TEST_CASE("recorded pages with separators, quotes and ends of lines anywhere are no fault") {
  std::mt19937 random(7);
  for (const std::string name : {"clean/raw.csv.gz", "clean/details.csv.gz", "clean/source.csv.gz"}) {
    const std::string whole = recorded::text(name).substr(0, 6000);
    REQUIRE(whole.size() == 6000);
    for (int run = 0; run < 300; ++run) {
      std::string damaged = whole;
      for (int change = 0; change < 8; ++change) damaged[random() % damaged.size()] = "\",;\n\r0x-\xEF("[random() % 10];
      check_whole(read(damaged));
    }
  }
}

TEST_CASE("short rows below a wide header were cut off, and take no space") {
  std::string text = "\"ID\",\"Kernel Name\",\"Grid Size\"";
  for (int i = 0; i < 18'000; ++i) text += ",\"m\"";
  text += '\n';
  for (int i = 0; i < 40'000; ++i) text += "\"0\",\"k\",\"(1, 1, 1)\",\"1\",\"2\"\n";
  const ncu_profile profile = read(text);
  CHECK(profile.kernels.empty());
  CHECK(profile.warnings.size() == 2);
}

TEST_CASE("a table of too many columns is not read, which is told") {
  std::string text = "\"ID\",\"Kernel Name\",\"Grid Size\"";
  for (std::size_t i = 0; i < iket::analysis::limits::profile_columns; ++i) text += ",\"m\"";
  const ncu_profile profile = read(text + "\n\"0\",\"k\",\"(1, 1, 1)\",\"1\",\"2\"\n");
  CHECK(profile.kernels.empty());
  CHECK(profile.warnings == std::vector<std::string>{"'page.csv' has more than 20000 columns: it was not read"});
}

TEST_CASE("metrics with names longer than any are left out") {
  const std::string name(iket::analysis::limits::metric_name_bytes + 1, 'x');
  const ncu_profile profile =
      read("\"ID\",\"Kernel Name\",\"Grid Size\",\"" + name + "\",\"a.sum\"\n\"0\",\"k\",\"(1, 1, 1)\",\"1\",\"2\"\n");
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.kernels[0].raw.size() == 1);
  CHECK(profile.kernels[0].raw.at("a.sum").value == 2);
}
