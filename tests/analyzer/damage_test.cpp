// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Recorded traces with a bit flipped or the end cut off: what was not hit is all there, and it is said what is not.
//
// More of it by hand: IKET_DAMAGE_CHANGES bits and as many ends for each trace, IKET_DAMAGE_RUNS times the program,
// half with a bit and half with an end; IKET_DAMAGE_TRACE names one more trace.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "build_timeline.hpp"
#include "catch.hpp"
#include "chunk_walker.hpp"
#include "mapped_file.hpp"
#include "parallel.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "synthetic.hpp"
#include "trace_reader.hpp"

using namespace iket::analysis;

namespace {

int number_from(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

const int changes_of_each = number_from("IKET_DAMAGE_CHANGES", 1000);
const int program_runs_of_each = number_from("IKET_DAMAGE_RUNS", 15);

std::string recorded_path(const std::string& name) { return std::string(IKET_RECORDED_DIR) + "/" + name + ".bin"; }

std::string bytes_at(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

/// By their paths.
std::vector<std::string> recorded_traces() {
  std::vector<std::string> paths;
  for (const char* const name : {"quickstart", "ws_gemm_depth1", "ws_gemm_depth4"})
    paths.push_back(recorded_path(name));
  if (const char* const another = std::getenv("IKET_DAMAGE_TRACE")) paths.emplace_back(another);
  return paths;
}

using warp_place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

warp_place place_of(std::uint32_t launch, const iket::warp_header& of) {
  return {launch, of.cta[0], of.cta[1], of.cta[2], of.warp};
}

std::set<warp_place> warps_of(const trace_view& view) {
  std::set<warp_place> result;
  for (const launch_view& launch : view.launches)
    for (const warp_view& warp : launch.warps) result.insert(place_of(launch.info.id, warp.header()));
  return result;
}

/// A chunk of a whole file, with the padding behind it.
struct extent {
  std::uint32_t type = 0;
  std::size_t begin = 0;
  std::size_t payload_end = 0;
  std::size_t end = 0;
  std::set<warp_place> warps;
};

std::vector<extent> extents_of(const std::string& bytes) {
  damage_list damages;
  std::vector<extent> result;
  for (const chunk& one : find_chunks(synthetic::bytes_of(bytes), damages)) {
    const auto begin = static_cast<std::size_t>(one.offset);
    const std::size_t payload_end = begin + sizeof(iket::file::chunk_header) + one.payload.size();
    result.push_back({one.type, begin, payload_end, (payload_end + 7) / 8 * 8, {}});
    if (one.type != iket::file::chunk_rings) continue;
    const auto group = load<iket::file::ring_group>(one.payload.data());
    for (std::size_t i = 0; i < group.warp_count; ++i)
      result.back().warps.insert(place_of(
          group.launch, load<iket::warp_header>(one.payload.data() + sizeof(group) + i * sizeof(iket::warp_header))));
  }
  REQUIRE(damages.empty());
  return result;
}

/// All that the program does with a file but writing: it may not fail on what the reader lets through.
void use(const trace_view& view) {
  const timeline of = build_timeline(view, "damaged.bin");
  CHECK(!report_json(make_report(of)).empty());
}

bool is_launch(const extent& of) { return of.type == iket::file::chunk_launch || of.type == iket::file::chunk_rings; }

}  // namespace

TEST_CASE("a flipped bit costs the chunk that it is in, and no other") {
  limit_threads(1);
  for (const std::string& name : recorded_traces()) {
    const std::string whole = bytes_at(name);
    const std::vector<extent> chunks = extents_of(whole);
    synthetic::random_numbers random(1);
    for (int i = 0; i < changes_of_each; ++i) {
      const auto bit = static_cast<std::size_t>(random.below(8 * whole.size()));
      std::string bytes = whole;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
      INFO(name << ", bit " << bit);
      const auto read = read_trace(synthetic::bytes_of(bytes));
      if (bit / 8 < sizeof(iket::file::magic)) {
        REQUIRE(std::holds_alternative<read_error>(read));
        CHECK(std::get<read_error>(read).kind == read_error_kind::not_iket);
        continue;
      }
      REQUIRE(std::holds_alternative<trace_view>(read));
      const auto& view = std::get<trace_view>(read);
      bool in_padding = false;
      std::set<warp_place> expected;
      for (const extent& one : chunks) {
        const bool is_hit = bit / 8 >= one.begin && bit / 8 < one.payload_end;
        in_padding = in_padding || (bit / 8 >= one.payload_end && bit / 8 < one.end);
        if (!is_hit) expected.insert(one.warps.begin(), one.warps.end());
      }
      CHECK(warps_of(view) == expected);
      CHECK(view.damages.empty() == in_padding);
      if (i % 4 == 0) use(view);
    }
  }
}

TEST_CASE("a file that was cut yields all whole chunks, and says that it was cut") {
  limit_threads(1);
  for (const std::string& name : recorded_traces()) {
    const std::string whole = bytes_at(name);
    const std::vector<extent> chunks = extents_of(whole);
    synthetic::random_numbers random(2);
    for (int i = 0; i < changes_of_each; ++i) {
      // A good part of them within the first chunks, which are small.
      const std::uint64_t most = i % 2 == 0 ? whole.size() : std::min<std::size_t>(whole.size(), 2000);
      const std::string bytes = whole.substr(0, static_cast<std::size_t>(random.below(most)));
      INFO(name << ", " << bytes.size() << " bytes");
      bool has_launch = false;
      std::set<warp_place> expected;
      for (const extent& one : chunks) {
        if (one.payload_end > bytes.size()) continue;
        expected.insert(one.warps.begin(), one.warps.end());
        has_launch = has_launch || is_launch(one);
      }
      const auto read = read_trace(synthetic::bytes_of(bytes));
      REQUIRE(std::holds_alternative<trace_view>(read) == has_launch);
      if (!has_launch) {
        CHECK(!std::get<read_error>(read).message().empty());
        continue;
      }
      const auto& view = std::get<trace_view>(read);
      CHECK(warps_of(view) == expected);
      const auto is_cut = [](const read_error& one) { return one.kind == read_error_kind::truncated; };
      CHECK(std::any_of(view.damages.begin(), view.damages.end(), is_cut));
      if (i % 4 == 0) use(view);
    }
  }
}

namespace {

struct program_run {
  int code = -1;       // its exit code; -1: it was killed
  long megabytes = 0;  // the most that it took
};

/// Runs the program on these bytes.
program_run run_on(const std::string& bytes, const std::string& options) {
  // Several of these tests may run at a time.
  const std::string folder = std::string(IKET_SCRATCH_DIR) + "/" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/damaged.bin", std::ios::binary) << bytes;
  const std::string command = std::string(IKET_PROGRAM) + " -q " + options + " -o " + folder + "/damaged.json " +
                              folder + "/damaged.bin 2>" + folder + "/damaged.err";
  const int status = std::system(command.c_str());
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  std::filesystem::remove_all(folder);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, usage.ru_maxrss / 1024};
}

}  // namespace

TEST_CASE(
    "the program's exit code says what became of a damaged file, and it takes no more memory than for a whole one") {
  for (const std::string& name : recorded_traces()) {
    const std::string whole = bytes_at(name);
    synthetic::random_numbers random(3);
    for (int i = 0; i < program_runs_of_each; ++i) {
      std::string bytes = whole;
      if (i % 2 == 0)
        bytes.resize(static_cast<std::size_t>(random.below(i % 4 == 0 ? 1000 : bytes.size())));
      else
        bytes[static_cast<std::size_t>(random.below(bytes.size()))] ^= 0x10;
      INFO(name << ", change " << i);
      const auto read = read_trace(synthetic::bytes_of(bytes));
      const auto* const view = std::get_if<trace_view>(&read);
      const program_run tolerant = run_on(bytes, "");
      CHECK(tolerant.code == (view != nullptr ? 0 : 3));
      CHECK(run_on(bytes, "--strict").code == (view != nullptr && view->damages.empty() ? 0 : 3));
#if !defined(__SANITIZE_ADDRESS__)
      CHECK(tolerant.megabytes < 200);
#endif
    }
  }
}

TEST_CASE("a limit on memory is kept, with the exit code of what cannot be read") {
#if !defined(__SANITIZE_ADDRESS__)
  const std::string bytes = bytes_at(recorded_path("ws_gemm_depth1"));
  CHECK(run_on(bytes, "--max-memory 1G").code == 0);
  CHECK(run_on(bytes, "--max-memory none").code == 0);
  // So little takes the program itself, and whether it gets by with less is luck.
  for (const char* const limit : {"0", "1", "2M", "63M", "''"}) {
    INFO(limit);
    CHECK(run_on(bytes, std::string("--max-memory ") + limit).code == 2);
  }

  // Two megabytes whose report would take thousands: each pair of stages overlaps.
  synthetic::trace trace;
  synthetic::warp warp;
  std::vector<std::uint32_t> begun;
  for (std::uint32_t i = 0; i < 500; ++i) {
    const std::uint32_t site = trace.site(iket::site_kind::work, std::to_string(i) + std::string(4000, 'x'));
    begun.push_back(warp.log.event(iket::record_kind::token_begin, site, 2000 + i));
  }
  for (std::uint32_t i = 0; i < begun.size(); ++i) warp.log.end_token(begun[i], 5000 + i);
  trace.launch("k", 1, 1, 2048, {warp});
  const program_run run = run_on(trace.bytes(), "--max-memory 300M");
  CHECK(run.code == 3);
  CHECK(run.megabytes < 400);
#endif
}

TEST_CASE("a file that becomes shorter while it is read ends the program with the exit code of what cannot be read") {
  const std::string path = std::string(IKET_SCRATCH_DIR) + "/shrinks.bin";
  std::ofstream(path, std::ios::binary) << bytes_at(recorded_path("ws_gemm_depth1"));
  const pid_t child = fork();
  if (child == 0) {
    exit_if_file_shrinks(3);
    const auto file = mapped_file::open(path);
    if (!std::holds_alternative<mapped_file>(file) || truncate(path.c_str(), 0) != 0) _exit(1);
    (void)read_trace(std::get<mapped_file>(file).bytes());
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
}
