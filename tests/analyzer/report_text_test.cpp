// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include <sstream>
#include <string>

#include "golden.hpp"
#include "random_timeline.hpp"
#include "report.hpp"
#include "report_text.hpp"
#include "sample_timeline.hpp"
#include "terminal_text.hpp"
#include "text_table.hpp"
#include "units.hpp"

namespace iket::test {
namespace {

std::string text_of(const timeline& source, std::size_t columns, bool colours = false) {
  return report_text(make_report(source), {columns, colours});
}

void check_width(const std::string& text, std::size_t columns) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(display_width(line) <= columns);
    CHECK((line.empty() || line.back() != ' '));
  }
}

TEST_CASE("the sample's report at 100 and 80 columns is as recorded") {
  check_golden("report_100.txt", text_of(sample_timeline(), 100));
  check_golden("report_80.txt", text_of(sample_timeline(), 80));
}

TEST_CASE("no line is longer than it may be") {
  for (const std::size_t columns : {60, 80, 100, 120, 200}) {
    check_width(text_of(sample_timeline(), columns), columns);
    for (std::uint32_t seed = 1; seed <= 10; ++seed)
      check_width(text_of(random_timeline(seed, 5000, 123'456).make(), columns), columns);
  }
}

TEST_CASE("long names and large numbers fit, too") {
  hand_made made;
  const std::string name = "cutlass::gemm::kernel::" + std::string(300, 'x') + "::wait";
  made.launch(name).warp(0, 0, name, 0, 900'000'000'000'000).wait(name, 0, 800'000'000'000'000);
  made.warp(0, 1, "世界世界世界世界世界世界世界", 0, 1000).work("マルチプライ マルチプライ マルチプライ", 0, 500);
  made.last_warp().written = made.last_warp().kept = 123'456'789'012;
  const timeline source = made.take();
  for (const std::size_t columns : {60, 80, 100}) check_width(text_of(source, columns), columns);
  CHECK(text_of(source, 100).find("…") != std::string::npos);
}

TEST_CASE("names cannot steer the terminal") {
  hand_made made;
  made.launch("\x1b]0;title\x07").warp(0, 0, "\x1b[2J", 0, 1000).wait("a\nb\u202E\xff", 0, 500);
  made.result.warnings.push_back("\x1b[31mred");
  const std::string text = text_of(made.take(), 100);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
  CHECK(text.find("\\x1b]0;title\\x07") != std::string::npos);
  CHECK(text.find("\\x0a") != std::string::npos);
  CHECK(text.find("\\u{202e}") != std::string::npos);
}

TEST_CASE("colours change nothing but colours") {
  const std::string plain = text_of(sample_timeline(), 100);
  const std::string coloured = text_of(sample_timeline(), 100, true);
  std::string stripped;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b')
      i = coloured.find('m', i);
    else
      stripped += coloured[i];
  }
  CHECK(coloured != plain);
  CHECK(stripped == plain);
}

TEST_CASE("a file without launches says so") { CHECK(text_of(timeline{}, 80).find("0 launches") != std::string::npos); }

TEST_CASE("durations have three digits and the unit that suits them") {
  CHECK(duration_text(0) == "0 ns");
  CHECK(duration_text(505) == "0.51 ns");
  CHECK(duration_text(4'550) == "4.55 ns");
  CHECK(duration_text(9'996) == "10.0 ns");
  CHECK(duration_text(99'960) == "100 ns");
  CHECK(duration_text(999'400) == "999 ns");
  CHECK(duration_text(999'500) == "1.00 us");
  CHECK(duration_text(12'340'000) == "12.3 us");
  CHECK(duration_text(1.2e9) == "1.20 ms");
  CHECK(duration_text(2.05e12) == "2.05 s");
  CHECK(duration_text(3.6e18) == "3600000 s");
  CHECK(percent_text(0.6124) == "61.2 %");
  CHECK(bytes_text(1) == "1 byte");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(std::uint64_t{256} << 20) == "256 MiB");
  CHECK(bytes_text(~std::uint64_t{0}) == "16 EiB");
}

TEST_CASE("names are shortened in the middle, by what they show") {
  CHECK(shorten_middle("abcdef", 6) == "abcdef");
  CHECK(shorten_middle("abcdefg", 6) == "abc…fg");
  CHECK(shorten_middle("abcdefg", 1) == "…");
  CHECK(shorten_middle("abcdefg", 0).empty());
  CHECK(shorten_middle("世界世界", 5) == "世…界");
  CHECK(display_width("世界") == 4);
  CHECK(display_width("e\u0301") == 1);
}

TEST_CASE("lists are shortened so that one sees that there are several") {
  CHECK(shorten_list("consumer, producer", 18) == "consumer, producer");
  CHECK(shorten_list("consumer, producer", 17) == "consumer,producer");
  CHECK(shorten_list("consumer, producer", 12) == "co…er,pro…er");
  CHECK(shorten_list("a, producer", 8) == "a,pro…er");
  CHECK(shorten_list("consumer, producer, writer", 14) == "co…r,pr…r,wr…r");
  CHECK(shorten_list("consumer, producer, writer", 13) == "co…r,pr…er,+1");
  CHECK(shorten_list("consumer, producer, writer", 8) == "co…er,+2");
  CHECK(shorten_list("consumer", 6) == "con…er");
  CHECK(shorten_list("aaaa, bbbb, cccc", 2) == "a…");
  for (std::size_t width = 1; width < 30; ++width)
    CHECK(display_width(shorten_list("世界世界, producer, b, consumer", width)) <= width);
}

TEST_CASE("a stage of two roles shows two roles, also where they do not fit") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "consumer", 0, 1'000'000).work("a stage with a long name", 0, 654'321);
  made.warp(0, 1, "producer", 0, 1'000'000).work("a stage with a long name", 0, 654'321);
  const std::string text = text_of(made.take(), 80);
  CHECK(text.find("consumer,producer") == std::string::npos);
  CHECK(text.find("consum…") == std::string::npos);
  CHECK(text.find("r,p") != std::string::npos);
}

TEST_CASE("where CTAs were not traced, the critical path is told of the part that is known") {
  hand_made made;
  made.launch("kernel", 2).warp(0, 0, "", 0, 1'000'000).work("a", 0, 1'000'000);
  made.warp(1, 0, "", 6'000'000, 10'000'000).work("a", 6'000'000, 9'000'000).work("b", 9'000'000, 10'000'000);
  const auto has = [](const timeline& trace, const std::string& line) {
    const std::string text = text_of(trace, 100);
    INFO(text);
    return text.find(line) != std::string::npos;
  };
  CHECK(has(made.result, "critical path: before the first CTA 60.0 % · a 30.0 % · b 10.0 %"));
  made.last_launch().ctas_traced = 2;
  made.last_launch().ctas_total = 8;
  CHECK(has(made.result, "critical path, its last 40.0 % · a 75.0 % · b 25.0 % · the CTAs before were not traced"));
}

TEST_CASE("times in the kernel and by CUDA events stand together, finer than else") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 418'200'000);
  CHECK(text_of(made.result, 100).find("duration 418 us") != std::string::npos);
  made.last_launch().event_time_ns = 421'000;
  CHECK(text_of(made.result, 100).find("launch 418.2 us in the kernel, 421.0 us by CUDA events") != std::string::npos);
  made.launch("kernel").warp(0, 0, "", 0, 418'200'000);
  CHECK(text_of(made.result, 100).find("421.0 us by CUDA events (1 of the launches)") != std::string::npos);
  made.launch("other");
  made.last_launch().event_time_ns = 9'999;
  CHECK(text_of(made.result, 100).find("launch 9.999 us by CUDA events") != std::string::npos);
  CHECK(fine_duration_text(9'999'900) == "10.00 us");
  CHECK(fine_duration_text(999'960) == "1.000 us");
}

TEST_CASE("a table gives way in order: space, names, columns") {
  text_table table;
  table.columns = {{"name", true, 6, 0, false}, {"time", false, 0, 0, true}, {"extra", false, 0, 1, true}};
  table.rows = {{{"long name"}, {"1.20 ms"}, {"1.20 ms"}}};
  CHECK(render(table, 27, 0, false).text == "name          time    extra\nlong name  1.20 ms  1.20 ms\n");
  CHECK(render(table, 25, 0, false).text == "name         time   extra\nlong name  1.20ms  1.20ms\n");
  CHECK(render(table, 23, 0, false).text == "name        time  extra\nlong name 1.20ms 1.20ms\n");
  CHECK(render(table, 20, 0, false).text == "name     time  extra\nlon…me 1.20ms 1.20ms\n");
  const rendered_table narrow = render(table, 19, 0, false);
  CHECK(narrow.text == "name         time\nlong name  1.20ms\n");
  CHECK(narrow.dropped == std::vector<std::string>{"extra"});
}

}  // namespace
}  // namespace iket::test
