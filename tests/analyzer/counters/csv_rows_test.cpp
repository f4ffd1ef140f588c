// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/csv_rows.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "limits.hpp"

namespace {

using namespace iket::analysis::counters;

std::vector<csv_row> rows_of(std::string_view text) {
  std::vector<csv_row> rows;
  csv_reader reader(text);
  for (csv_row row; reader.next(row);) rows.push_back(row);
  return rows;
}

}  // namespace

TEST_CASE("fields are quoted, and may be empty") {
  CHECK(rows_of("\"a\",\"\",\"b c\"\n\"\",\"\",\"\"\n") == std::vector<csv_row>{{"a", "", "b c"}, {"", "", ""}});
}

TEST_CASE("quotes within source code are no ends of fields") {
  CHECK(rows_of("\"11\",\"#include \"tile.cuh\"\",\"-\"\n") ==
        std::vector<csv_row>{{"11", "#include \"tile.cuh\"", "-"}});
  CHECK(rows_of("\"11\",\"#include \"tile.cuh\"\"\n") == std::vector<csv_row>{{"11", "#include \"tile.cuh\""}});
}

TEST_CASE("doubled quotes are one") {
  CHECK(rows_of("\"say \"\"so\"\"\",\"b\"\n") == std::vector<csv_row>{{"say \"so\"", "b"}});
}

TEST_CASE("source code with separators goes back together") {
  csv_row row = rows_of("\"26\",\"f(\"a\",\"b\",\"c\");\",\"7\",\"8\"\n").front();
  REQUIRE(row.size() == 6);
  join_surplus(row, 4, 1);
  CHECK(row == csv_row{"26", "f(\"a\",\"b\",\"c\");", "7", "8"});

  csv_row fits{"a", "b"};
  join_surplus(fits, 2, 1);
  CHECK(fits == csv_row{"a", "b"});
}

TEST_CASE("a page written anew by a spreadsheet is read") {
  CHECK(rows_of("ID,Kernel Name,x\r\n0,\"f(int, int)\",\"1,5\"\r\n\r\n1,g,2") ==
        std::vector<csv_row>{{"ID", "Kernel Name", "x"}, {"0", "f(int, int)", "1,5"}, {"1", "g", "2"}});
  CHECK(rows_of("\"ID\";\"x\"\n\"0\";\"1,5\"\n") == std::vector<csv_row>{{"ID", "x"}, {"0", "1,5"}});
  CHECK(rows_of("ID;x\n0;1,5\n") == std::vector<csv_row>{{"ID", "x"}, {"0", "1,5"}});
}

TEST_CASE("marks of encoding and fields left out at the end are no text") {
  CHECK(rows_of("\xEF\xBB\xBF\"ID\",\"x\"\n") == std::vector<csv_row>{{"ID", "x"}});
  CHECK(rows_of("\"a\",\"b\",\n") == std::vector<csv_row>{{"a", "b"}});
}

TEST_CASE("the table's header tells the separator, not what the program has printed before it") {
  CHECK(rows_of("print(\"a\";\"b\")\n\"ID\",\"Kernel Name\"\n\"0\",\"k\"\n").back() == csv_row{"0", "k"});
  CHECK(rows_of("print(\"a\",\"b\")\n\"ID\";\"Kernel Name\"\n\"0\";\"k\"\n").back() == csv_row{"0", "k"});
}

TEST_CASE("a line whose last field does not end is told") {
  const auto is_cut = [](std::string_view line) {
    csv_reader reader(line);
    csv_row row;
    return reader.next(row) && reader.is_cut();
  };
  for (const char* const line : {"\"", "\"a", "\"a\",\"", "\"a\",\"12", "\"a\",\"\",\""}) CHECK(is_cut(line));
  for (const char* const line : {"\"a\"", "\"a\",\"\"", "\"a\",\"12\"", "\"a\",", "a,b", "\"f(\"x\",\"y\");\""})
    CHECK(!is_cut(line));
}

TEST_CASE("a line has only so many fields") {
  std::string quoted, bare;
  for (std::size_t i = 0; i < 2 * iket::analysis::limits::profile_columns; ++i) quoted += "\"\",", bare += "a,";
  CHECK(rows_of(quoted).front().size() == iket::analysis::limits::profile_columns + 1);
  CHECK(rows_of(bare).front().size() == iket::analysis::limits::profile_columns + 1);
}

TEST_CASE("nothing, blank lines and a lone quote are no fault") {
  CHECK(rows_of("").empty());
  CHECK(rows_of("\n\r\n\n").empty());
  CHECK(rows_of("\"") == std::vector<csv_row>{{""}});
  CHECK(rows_of("\"a") == std::vector<csv_row>{{"a"}});
}
