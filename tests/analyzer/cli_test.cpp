// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli.hpp"

namespace iket::test {
namespace {

using namespace iket::analysis;

std::variant<cli_options, requested_text> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "iket-analyze");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

cli_options options_of(const std::vector<const char*>& arguments) { return std::get<cli_options>(parse(arguments)); }

std::string usage_error_of(const std::vector<const char*>& arguments) {
  try {
    (void)parse(arguments);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("the Chrome trace goes beside the input") {
  CHECK(options_of({"trace.bin"}).output == "trace.json");
  CHECK(options_of({"/tmp/a.b/gemm.bin"}).output == "/tmp/a.b/gemm.json");
  CHECK(options_of({"trace"}).output == "trace.json");
  CHECK(options_of({".bin"}).output == ".json");
  CHECK(options_of({"trace.bin", "-o", "x.json"}).output == "x.json");
  CHECK(options_of({"trace.bin", "--output=x.json"}).output == "x.json");
  CHECK(options_of({"--no-trace", "trace.bin"}).output.empty());
  CHECK(options_of({"trace.bin", "-o", "/dev/null"}).output == "/dev/null");
}

TEST_CASE("switches are off unless given") {
  const cli_options plain = options_of({"trace.bin"});
  CHECK(!plain.strict);
  CHECK(!plain.quiet);
  CHECK(plain.report.empty());
  CHECK(!plain.columns);
  const cli_options all = options_of({"--strict", "-q", "--report", "r.json", "--columns", "80", "trace.bin"});
  CHECK(all.strict);
  CHECK(all.quiet);
  CHECK(all.report == "r.json");
  CHECK(*all.columns == 80);
}

TEST_CASE("the scope is a CTA unless given") {
  CHECK(options_of({"trace.bin"}).scope == scope::cta);
  for (const scope one : {scope::cta, scope::cluster, scope::sm, scope::gpu}) {
    const std::string name(scope_name(one));
    CHECK(options_of({"trace.bin", "--scope", name.c_str()}).scope == one);
  }
  CHECK(usage_error_of({"trace.bin", "--scope", "warp"}).find("--scope") != std::string::npos);
}

TEST_CASE("several traces make one, beside the first") {
  const cli_options several = options_of({"folder/rank0.bin", "-q", "folder/rank1.bin", "rank2.bin"});
  CHECK(several.traces == std::vector<std::string>{"folder/rank0.bin", "folder/rank1.bin", "rank2.bin"});
  CHECK(several.output == "folder/merged.json");
  CHECK(options_of({"a.bin", "b.bin", "-o", "c.json"}).output == "c.json");
}

TEST_CASE("help and version are text") {
  for (const char* option : {"--help", "-h"})
    CHECK(std::get<requested_text>(parse({option})).text.find("Examples:") != std::string::npos);
  CHECK(std::get<requested_text>(parse({"--version"})).text.find("iket-analyze ") == 0);
}

TEST_CASE("wrong usage has one line that says what is wrong") {
  CHECK(usage_error_of({}) == "no trace given");
  CHECK(usage_error_of({"a.bin", "b.bin", "a.bin"}) == "'a.bin' is named twice");
  CHECK(usage_error_of({"a.bin", "--baseline", "b.bin", "--baseline", "./b.bin"}) ==
        "'./b.bin' is named twice as baseline");
  CHECK(usage_error_of({"a.bin", "--baseline", "a.bin"}) == "none");
  CHECK(usage_error_of({"a.bin", "--sites", ""}) == "--sites takes the name of a trace");
  CHECK(usage_error_of({"a.bin", "--frobnicate"}) == "unknown option '--frobnicate'");
  CHECK(usage_error_of({"--frobnicate=1", "a.bin"}) == "unknown option '--frobnicate=1'");
  CHECK(usage_error_of({"a.bin", "-o"}).find("--output") != std::string::npos);
  CHECK(usage_error_of({"a.bin", "-o", ""}).find(".json") != std::string::npos);
  CHECK(usage_error_of({"a.bin", "-o", "x.gz"}) == "--output takes a name that ends in .json or .json.gz, not 'x.gz'");
  CHECK(usage_error_of({"a.bin", "-o", "-"}).find(".json") != std::string::npos);
  CHECK(usage_error_of({"a.bin", "--report", "x.txt"}) ==
        "--report takes a name that ends in .json or .csv or .md, not 'x.txt'");
  CHECK(usage_error_of({"a.bin", "--columns", "12"}).find("columns") != std::string::npos);
  CHECK(usage_error_of({"a.bin", "--columns=-5"}).find("columns") != std::string::npos);
  CHECK(usage_error_of({"a.bin", "--columns", "wide"}).find("columns") != std::string::npos);
  CHECK(usage_error_of({"a.bin", "-o", "x.json", "--no-trace"}) != "none");
  CHECK(usage_error_of({"a.bin", "-o", "x.json", "--report", "./x.json"}).find("both") != std::string::npos);
  for (const std::vector<const char*>& arguments : {std::vector<const char*>{"a\nb", "c\nd", "--x\ny"}})
    CHECK(usage_error_of(arguments).find('\n') == std::string::npos);
}

TEST_CASE("endings say what is written") {
  CHECK(options_of({"a.bin", "-o", "x.json.gz"}).output == "x.json.gz");
  for (const char* name : {"r.json", "r.csv", "r.md"}) CHECK(options_of({"a.bin", "--report", name}).report == name);
}

TEST_CASE("a part of the trace is chosen by options, each of them once or more") {
  const cli_options none = options_of({"a.bin"});
  CHECK(!none.slice.has_launches());
  CHECK(!none.slice.has_parts());
  CHECK(none.most_json_bytes == default_json_bytes);
  CHECK(none.group_by == track_grouping::cta);
  const cli_options all = options_of(
      {"--launch", "1,3-4",  "--launch",   "gemm",   "--cta",      "3-9",     "--cta",     "1,2,0",  "--warp",
       "0",        "--role", "producer",   "--role", "-",          "--stage", "wait|load", "--from", "1ms",
       "--to",     "2ms",    "--group-by", "sm",     "--max-json", "none",    "a.bin"});
  CHECK(all.traces == std::vector<std::string>{"a.bin"});
  CHECK(all.slice.launches.size() == 2);
  CHECK(all.slice.kernels == std::vector<std::string>{"gemm"});
  CHECK(all.slice.ctas.size() == 1);
  CHECK(all.slice.cta_places.size() == 1);
  CHECK(all.slice.roles == std::vector<std::string>{"producer", "-"});
  CHECK(all.slice.stage->text == "wait|load");
  CHECK(*all.slice.from == 1'000'000'000);
  CHECK(*all.slice.to == 2'000'000'000);
  CHECK(all.group_by == track_grouping::sm);
  CHECK(!all.most_json_bytes);
  CHECK(options_of({"a.bin", "--no-trace", "--launch", "2"}).slice.has_launches());
}

TEST_CASE("a part of the trace that cannot be meant is wrong usage") {
  CHECK(usage_error_of({"a.bin", "--cta", "1,2"})
            .find("--cta takes a number (7), a range (3-9) or x,y,z (1,2,0), once") == 0);
  CHECK(usage_error_of({"a.bin", "--stage", "("}).find("--stage takes a regular expression") == 0);
  CHECK(usage_error_of({"a.bin", "--warp", "x"}).find("--warp takes numbers") == 0);
  CHECK(usage_error_of({"a.bin", "--from", "1 year"}).find("--from takes a number") == 0);
  CHECK(usage_error_of({"a.bin", "--from", "2us", "--to", "1us"}) == "--from is later than --to");
  CHECK(usage_error_of({"a.bin", "--group-by", "gpc"}) == "--group-by takes cta or sm, not 'gpc'");
  CHECK(usage_error_of({"a.bin", "--max-json", "much"}).find("--max-json takes bytes") == 0);
  for (const std::vector<const char*>& option : {std::vector<const char*>{"--cta", "1"}, {"--max-json", "1M"}}) {
    std::vector<const char*> arguments{"a.bin", "--no-trace"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    CHECK(usage_error_of(arguments).find("which --no-trace leaves out") != std::string::npos);
  }
}

TEST_CASE("the input is never overwritten, by whatever name") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("iket_cli_test." + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string trace = folder / "trace.json";
  const std::string link = folder / "link.json";
  const std::string hard_link = folder / "hard.json";
  std::ofstream(trace) << "x";
  std::filesystem::create_symlink(trace, link);
  std::filesystem::create_hard_link(trace, hard_link);
  const std::string dotted = folder / "." / "trace.json";
  for (const std::string& output : {trace, link, hard_link, dotted}) {
    CHECK(usage_error_of({trace.c_str(), "-o", output.c_str()}).find("overwritten") != std::string::npos);
    CHECK(usage_error_of({trace.c_str(), "--report", output.c_str()}).find("overwritten") != std::string::npos);
  }
  CHECK(options_of({trace.c_str()}).output == trace + ".json");
  // Nor is any other input.
  for (const char* const input : {"--ncu", "--sites", "--baseline"})
    for (const std::string& output : {trace, link, hard_link, dotted})
      for (const char* const option : {"-o", "--report"}) {
        INFO(input << " " << option << " " << output);
        CHECK(usage_error_of({"t.bin", input, trace.c_str(), option, output.c_str()}).find("would be overwritten") !=
              std::string::npos);
      }
  CHECK(usage_error_of({(folder / "trace.bin").c_str(), "--ncu", trace.c_str()}) ==
        "'" + trace + "' is a page of hardware counters and would be overwritten");
  std::filesystem::remove_all(folder);
}

TEST_CASE("a capture stands for what is in it") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("iket_cli_capture." + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string name = folder;
  CHECK(options_of({name.c_str()}).traces == std::vector{name});  // no capture: reading it tells so
  for (const char* const file : {"traced.bin", "plain.bin", "profiled.bin", "raw.csv", "source.csv"})
    std::ofstream(folder / file) << "x";
  const auto in = [&](const char* file) { return (folder / file).string(); };
  const cli_options found = options_of({name.c_str(), "--baseline", name.c_str()});
  CHECK(found.capture == name);
  CHECK(found.traces == std::vector{in("traced.bin")});
  CHECK(found.plain == std::vector{in("plain.bin")});
  CHECK(found.profiled == std::vector{in("profiled.bin")});
  CHECK(found.ncu == std::vector{in("raw.csv"), in("source.csv")});
  CHECK(found.baseline == std::vector{in("traced.bin")});
  CHECK(found.output == in("trace.json"));
  std::filesystem::rename(folder / "raw.csv", folder / "raw.csv.gz");
  CHECK(options_of({name.c_str()}).ncu == std::vector{in("raw.csv.gz"), in("source.csv")});
  std::filesystem::rename(folder / "raw.csv.gz", folder / "raw.csv");
  CHECK(options_of({name.c_str(), "--no-trace"}).output.empty());
  for (const char* const file : {"plain.bin", "profiled.bin", "raw.csv"}) {
    const std::string link = in("link.json");
    std::filesystem::remove(link);
    std::filesystem::create_symlink(in(file), link);
    CHECK(usage_error_of({name.c_str(), "-o", link.c_str()}).find("would be overwritten") != std::string::npos);
  }
  CHECK(usage_error_of({"t.bin", "--ncu", "x.csv", "--ncu-kernel", ""}) == "--ncu-kernel takes a name");
  CHECK(usage_error_of({"t.bin", "--ncu", "--no-trace"}) == "--ncu takes a file, not '--no-trace'");
  // As a baseline, or in none of these: its pages are not written over either.
  for (const char* const file : {"raw.csv", "source.csv"})
    CHECK(usage_error_of({"t.bin", "--report", in(file).c_str()}) ==
          "'" + in(file) + "' is a page of a capture and would be overwritten");
  CHECK(options_of({"t.bin", "--report", in("report.csv").c_str()}).report == in("report.csv"));
  CHECK(options_of({"t.bin", "--sites", name.c_str()}).sites == in("traced.bin"));
  CHECK(usage_error_of({"t.bin", name.c_str()}).find("is a capture, which is analysed by itself") != std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace iket::test
