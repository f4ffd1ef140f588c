// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/counters_tables.hpp"

#include <string>
#include <vector>

#include "catch.hpp"
#include "made_counters.hpp"

namespace {

using namespace iket::analysis;
using namespace iket::analysis::counters;
using iket::test::made_counters;

std::string table_text(const launch_counters& of, std::size_t width) {
  return render(counter_table(of), width, 2, false).text;
}

}  // namespace

TEST_CASE("stages of one name are told apart by their kind, at any width") {
  const std::string expected =
      "  counters          samples  top stall  of them  instructions   local\n"
      "  load               40.0 %  barrier     50.0 %        50.0 %  60.0 %\n"
      "  sync (work)        10.0 %  selected   100.0 %        10.0 %   0.0 %\n"
      "  sync (wait)        30.0 %  barrier    100.0 %        10.0 %   0.0 %\n"
      "  (shared)            8.0 %  wait       100.0 %        10.0 %  10.0 %\n"
      "  (recording)         2.0 %  wait       100.0 %        15.0 %  20.0 %\n"
      "  (outside stages)    7.0 %  wait        57.1 %         4.0 %  10.0 %\n"
      "  (not followed)      3.0 %  barrier    100.0 %         1.0 %   0.0 %\n"
      "  sum                   100  barrier     55.0 %        1.00 M      10\n";
  CHECK(table_text(made_counters(), 100) == expected);
  CHECK(table_text(made_counters(), 80) == expected);
  CHECK(table_text(made_counters(), 40).find("sync (wait)") != std::string::npos);
}

TEST_CASE("parts that have nothing, and columns of which the page has nothing, are left out") {
  launch_counters of = made_counters();
  of.shared.assign(of.shared.size(), 0);
  of.sums.at(5) = 0;
  const std::string text = table_text(of, 100);
  CHECK(text.find("(shared)") == std::string::npos);
  CHECK(text.find("local") == std::string::npos);
  CHECK(text.find("(recording)") != std::string::npos);
}

TEST_CASE("there is no table without a page of its source, or one that has nothing to show") {
  launch_counters of = made_counters();
  of.division = division_kind::none;
  CHECK(counter_table(of).rows.empty());
  of = made_counters();
  of.columns = {"other", "stall_selected", "stall_barrier", "stall_wait", "more", "else"};
  CHECK(counter_table(of).rows.empty());
}

TEST_CASE("figures of the kernel are rounded into the next unit, and stalls that would be 0.0 are left out") {
  CHECK(counter_facts(made_counters()) ==
        std::vector<std::string>{"hardware counters of made, means of 2 launches", "5.20 us under the profiler",
                                 "DRAM 12.5 % (1.0 MB read, 1.0 kB written)", "104999 bank conflicts",
                                 "warps stalled at an issue: barrier 3.0"});
}

TEST_CASE("counts have all their digits below a million") {
  const auto conflicts = [](double value) {
    launch_counters of;
    of.figures = {{"bank_conflicts", "bank conflicts", value}};
    return counter_facts(of).at(1);
  };
  CHECK(conflicts(999'999) == "999999 bank conflicts");
  CHECK(conflicts(1'000'000) == "1.00 M bank conflicts");
  CHECK(conflicts(268'946'160) == "268.95 M bank conflicts");
  CHECK(conflicts(999'996'000) == "1.00 G bank conflicts");
  CHECK(conflicts(1e15) == "1000.00 T bank conflicts");
}
