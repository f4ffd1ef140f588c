// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// analyze_speed [--folder FOLDER] [RECORDS...]: how long each step of iket-analyze takes on generated traces
/// (large_trace.hpp), for each number of records; left out: 1, 10, 50 and 100 million. Each is measured in a process of
/// its own, so that its peak of memory is its own too. The file is written to FOLDER (left out: the current one) and
/// removed; it is in the page cache when it is read.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iket/detail/whole_file.hpp>

#include "build_timeline.hpp"
#include "chrome_trace.hpp"
#include "large_trace.hpp"
#include "launch_group.hpp"
#include "mapped_file.hpp"
#include "pairing.hpp"
#include "parallel.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "ring_decoder.hpp"
#include "stage_statistics.hpp"
#include "trace_reader.hpp"

namespace {

using namespace iket::analysis;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Wall time, and the time of all cores together [s].
struct times {
  double wall = 0;
  double cores = 0;

  static times now() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto wall = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration<double>(wall).count(), seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)};
  }
  times operator-(const times& from) const { return {wall - from.wall, cores - from.cores}; }
  times operator+(const times& other) const { return {wall + other.wall, cores + other.cores}; }
};

/// The largest memory so far, the mapped file's pages among it [bytes].
double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

/// What a step must not lose to the optimizer.
volatile std::uint64_t sink = 0;

class measurement {
 public:
  measurement(std::uint64_t records, std::string path)
      : records_(static_cast<double>(records)), path_(std::move(path)) {}

  void run() {
    std::printf("\n%.0f records\n  %-34s %9s %7s %12s %9s\n", records_, "", "time [s]", "cores", "Mrecords/s", "MB/s");
    measure_program();
    measure_parts();
    std::fflush(stdout);
  }

 private:
  template <class Step>
  auto timed(const char* name, double bytes, Step step) {
    const times begin = times::now();
    auto result = step();
    last_ = times::now() - begin;
    print(name, last_, bytes);
    return result;
  }

  void print(const char* name, const times& took, double bytes) const {
    std::printf("  %-34s %9.3f %7.2f %12.1f", name, took.wall, took.cores / took.wall, 1e-6 * records_ / took.wall);
    if (bytes > 0) std::printf(" %9.0f", 1e-6 * bytes / took.wall);
    std::printf("\n");
  }

  void print_peak(const char* behind) const {
    std::printf("  peak memory %-22s %9.0f MB without the file's %.0f, %.1f bytes a record\n", behind,
                1e-6 * (peak_bytes() - file_bytes_), 1e-6 * file_bytes_, (peak_bytes() - file_bytes_) / records_);
  }

  /// The steps as the program makes them, one behind the other.
  void measure_program() {
    timeline trace;
    times until_report;
    {
      auto opened = mapped_file::open(path_);
      const mapped_file& file = std::get<mapped_file>(opened);
      file_bytes_ = static_cast<double>(file.bytes().size());
      auto read = timed("read and check", file_bytes_, [&] { return read_trace(file.bytes()); });
      times until_stages = last_;
      const trace_view& view = std::get<trace_view>(read);
      trace = timed("clocks, decode, pair, time line", 0, [&] { return build_timeline(view, path_); });
      until_stages = until_report = until_stages + last_;
      sink = timed("stage statistics", 0, [&] {
        std::size_t stages = 0;
        for (const launch_group& group : group_launches(trace)) stages += stage_statistics_of(trace, group).size();
        return stages;
      });
      print("all up to here", until_stages + last_, 0);
      print_peak("up to here");
    }
    sink = timed("whole report", 0, [&] { return report_json(make_report(trace)).size(); });
    print("all with the whole report", until_report + last_, 0);
    std::uint64_t bytes = 0;
    const auto count = [&](const void*, std::size_t size) { bytes += size; };
    const times begin = times::now();
    write_chrome_trace(trace, count);
    print("Chrome trace", times::now() - begin, static_cast<double>(bytes));
    std::printf("  %-34s %9.0f MB\n", "", 1e-6 * static_cast<double>(bytes));
    print_peak("in all");
  }

  /// Two of the steps that the time line is made of, each by itself on one core.
  void measure_parts() {
    auto opened = mapped_file::open(path_);
    auto read = read_trace(std::get<mapped_file>(opened).bytes());
    const trace_view& view = std::get<trace_view>(read);
    sink = timed("decode alone, one core", 0, [&] { return decode(view, false); });
    sink = timed("decode and pair alone, one core", 0, [&] { return decode(view, true); });
  }

  static std::uint64_t decode(const trace_view& view, bool with_pairs) {
    std::uint64_t found = 0;
    decoded_ring ring;
    range_pairing pairing;
    for (const launch_view& launch : view.launches)
      for (const warp_view& warp : launch.warps) {
        decode_ring(warp.header(), warp.records, {launch.info.records_per_warp, false}, {1.5, 2.5, 0}, ring);
        found += ring.events.size();
        if (!with_pairs) continue;
        // Sites need a number each; where they lie tells them apart as well.
        for (event& e : ring.events) e.site = (e.site_bits >> 10) % 64;
        pairing.pair(ring, 64);
        found += pairing.ranges().size();
      }
    return found;
  }

  double records_;
  std::string path_;
  double file_bytes_ = 0;
  times last_;
};

void measure(std::uint64_t records, const std::string& folder) {
  const std::string path = folder + "/analyze_speed." + std::to_string(getpid()) + ".bin";
  {
    iket::detail::whole_file file(path);
    iket::bench::write_large_trace({.records = records},
                                   [&](const void* data, std::size_t size) { file.append(data, size); });
    file.commit();
  }
  std::fflush(stdout);
  // A new program, not a copy of this one, whose memory it would have to copy page by page.
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "analyze_speed", "--measure", path.c_str(), std::to_string(records).c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::remove(path.c_str());
  if (child < 0 || status != 0) throw std::runtime_error("the measurement did not come to its end");
}

/// Measures a file that is there. @return exit code
int measure_file(const char* path, std::uint64_t records) {
  prepare_memory();
  measurement(records, path).run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = ".";
  std::vector<std::uint64_t> sizes;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--measure" && i + 2 < argc)
      return measure_file(argv[i + 1], std::strtoull(argv[i + 2], nullptr, 10));
    if (argument == "--folder" && i + 1 < argc)
      folder = argv[++i];
    else if (const std::uint64_t records = std::strtoull(argument.c_str(), nullptr, 10); records != 0)
      sizes.push_back(records);
    else
      return std::fputs("usage: analyze_speed [--folder FOLDER] [RECORDS...]\n", stderr), 2;
  }
  if (sizes.empty()) sizes = {1'000'000, 10'000'000, 50'000'000, 100'000'000};
  try {
    for (const std::uint64_t records : sizes) measure(records, folder);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "analyze_speed: %s\n", error.what());
    return 1;
  }
  return 0;
}
