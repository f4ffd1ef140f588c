// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What does tracing cost real kernels? Each one's time compiled without IKET (untraced), with it and every CTA traced,
/// and with it but with an inert tracer.
///
/// The three take turns on the same arrays, so that clocks, caches and memory treat them alike; who comes first changes
/// from round to round. All launches of a kernel share one tracer, where a program would take one for each: records
/// overwrite those of the launch before, but the recorder only stores, and stores the same whatever is there. Fails
/// where a result is wrong, or the last trace is not whole.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iket/iket.cuh>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include "../../examples/ws_gemm/check.hpp"
#include "kernels/check.hpp"
#include "kernels/stopwatch.hpp"
#include "kernels/trace_counts.hpp"
#include "kernels/workloads.hpp"

namespace {

using namespace bench;

constexpr const char* usage =
    "usage: perturb_time [--rounds N] [--json FILE] [KERNEL...]\n"
    "Times kernels (all, or those named) untraced, traced, and with an inert tracer, in N rounds (60).\n";
constexpr int warm_up_rounds = 5;

enum variant { untraced_variant, traced_variant, inert_variant, variants };

struct options {
  int rounds = 60;
  std::string json_file;
  std::vector<std::string> kernels;

  [[nodiscard]] bool wants(const std::string& name) const {
    return kernels.empty() || std::find(kernels.begin(), kernels.end(), name) != kernels.end();
  }
};

struct result {
  std::string name;
  std::array<spread, variants> times;
  trace_counts counts;
  bool right = false;

  [[nodiscard]] double ratio(variant which) const { return times[which].median_us / times[untraced_variant].median_us; }
};

/// A session in which the whole launch has room.
std::unique_ptr<iket::session> session_for(const workload& work) {
  const dim3 grid = work.grid(), block = work.block();
  std::size_t capacity = 1;  // rings have a power of two
  while (capacity < work.records_per_warp()) capacity *= 2;
  const std::size_t warps = std::size_t{grid.x} * grid.y * grid.z * ((block.x * block.y * block.z + 31) / 32);
  constexpr std::size_t room_besides = std::size_t{16} << 20;
  iket::session_options options;
  options.records_per_warp = static_cast<std::uint32_t>(capacity);
  options.memory_limit = warps * (sizeof(iket::warp_header) + capacity * sizeof(iket::record)) + room_besides;
  return std::make_unique<iket::session>(options);
}

/// What the session's launch recorded.
trace_counts counts_of(iket::session& session) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("perturb_time_" + std::to_string(getpid()) + ".bin");
  session.write(path.string());
  const trace_counts counts = count_trace(path.string());
  std::filesystem::remove(path);
  return counts;
}

result measure(const workload_pair& kernel, int rounds) {
  device_pool pool;
  const std::unique_ptr<workload> untraced = kernel.make_untraced(pool);
  const std::unique_ptr<workload> traced = kernel.make_traced(pool);
  const std::unique_ptr<iket::session> session = session_for(*traced);
  iket::trace_options whole;
  whole.when_over_limit = iket::over_limit::fail;
  const iket::tracer tracer = session->trace(kernel.name, traced->grid(), traced->block(), whole);
  const auto launch = [&](int which) {
    if (which == untraced_variant) {
      untraced->launch(iket::tracer{});
    } else {
      traced->launch(which == traced_variant ? tracer : iket::tracer{});
    }
  };

  std::array<stopwatch, variants> watches;
  for (int round = 0; round < warm_up_rounds + rounds; ++round) {
    for (int turn = 0; turn < variants; ++turn) {
      const int which = (round + turn) % variants;
      if (round < warm_up_rounds) {
        launch(which);
      } else {
        watches[static_cast<std::size_t>(which)].time([&] { launch(which); });
      }
    }
  }

  result found;
  found.name = kernel.name;
  for (std::size_t which = 0; which < variants; ++which) found.times[which] = watches[which].times();

  // The traced launch last, so that its trace is what is left.
  found.right = true;
  for (const variant which : {untraced_variant, inert_variant, traced_variant}) {
    workload& checked = which == untraced_variant ? *untraced : *traced;
    checked.poison();
    launch(which);
    if (!checked.is_right()) {
      std::fprintf(stderr, "perturb_time: %s gives WRONG results (%s)\n", kernel.name,
                   which == untraced_variant ? "untraced"
                   : which == inert_variant  ? "inert"
                                             : "traced");
      found.right = false;
    }
  }
  found.counts = counts_of(*session);
  if (!found.counts.is_whole()) {
    std::fprintf(stderr, "perturb_time: the trace of %s is not whole: %llu warps, %llu records lost, %llu refusals\n",
                 kernel.name, found.counts.warps, found.counts.lost, found.counts.refused);
    found.right = false;
  }
  return found;
}

void print_header(int rounds) {
  cudaDeviceProp device{};
  BENCH_CHECK(cudaGetDeviceProperties(&device, 0));
  std::printf("%s, medians of %d launches\n\n", device.name, rounds);
  std::printf("%-12s %12s %12s %8s %12s %8s %12s %8s\n", "kernel", "untraced us", "traced us", "ratio", "inert us",
              "ratio", "events/warp", "warps");
}

void print_row(const result& found) {
  std::printf("%-12s %12.2f %12.2f %8.4f %12.2f %8.4f %12.1f %8llu\n", found.name.c_str(),
              found.times[untraced_variant].median_us, found.times[traced_variant].median_us,
              found.ratio(traced_variant), found.times[inert_variant].median_us, found.ratio(inert_variant),
              found.counts.events_per_warp(), found.counts.warps);
  std::fflush(stdout);
}

void write_times(std::FILE* file, const char* name, const spread& times) {
  std::fprintf(file, "\"%s_us\": {\"p25\": %.3f, \"median\": %.3f, \"p75\": %.3f}, ", name, times.p25_us,
               times.median_us, times.p75_us);
}

void write_json(const std::string& path, const std::vector<result>& results, int rounds) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> owner(std::fopen(path.c_str(), "w"), std::fclose);
  std::FILE* const file = owner.get();
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  std::fprintf(file, "{\"rounds\": %d, \"kernels\": [", rounds);
  const char* separator = "\n";
  for (const result& found : results) {
    std::fprintf(file, "%s{\"name\": \"%s\", ", separator, found.name.c_str());
    write_times(file, "untraced", found.times[untraced_variant]);
    write_times(file, "traced", found.times[traced_variant]);
    write_times(file, "inert", found.times[inert_variant]);
    std::fprintf(file, "\"ratio\": %.5f, \"inert_ratio\": %.5f, ", found.ratio(traced_variant),
                 found.ratio(inert_variant));
    std::fprintf(file, "\"warps\": %llu, \"events_per_warp\": %.2f, \"records_per_warp\": %.2f, \"right\": %s}",
                 found.counts.warps, found.counts.events_per_warp(), found.counts.records_per_warp(),
                 found.right ? "true" : "false");
    separator = ",\n";
  }
  std::fprintf(file, "\n]}\n");
}

/// Empty where the command line is wrong.
std::unique_ptr<options> parse(int argc, char** argv) {
  auto chosen = std::make_unique<options>();
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool known = std::any_of(std::begin(all_workloads), std::end(all_workloads),
                                   [&](const workload_pair& kernel) { return argument == kernel.name; });
    if (known) {
      chosen->kernels.push_back(argument);
    } else if (argument == "--rounds" && i + 1 < argc) {
      chosen->rounds = std::atoi(argv[++i]);
    } else if (argument == "--json" && i + 1 < argc) {
      chosen->json_file = argv[++i];
    } else {
      return nullptr;
    }
  }
  return chosen->rounds > 0 ? std::move(chosen) : nullptr;
}

/// The kernels need sm_80.
bool has_device() {
  int devices = 0, major = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return false;
  BENCH_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  return major >= 8;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::unique_ptr<options> chosen = parse(argc, argv);
  if (chosen == nullptr) return std::fputs(usage, stderr), 2;
  if (!has_device()) return std::puts("skipped: no usable GPU"), 77;
  print_header(chosen->rounds);
  std::vector<result> results;
  for (const workload_pair& kernel : all_workloads) {
    if (!chosen->wants(kernel.name)) continue;
    try {
      results.push_back(measure(kernel, chosen->rounds));
      print_row(results.back());
    } catch (const ws_gemm::unsupported_device& failure) {
      std::printf("%-12s skipped: %s\n", kernel.name, failure.what());
    }
  }
  if (!chosen->json_file.empty()) write_json(chosen->json_file, results, chosen->rounds);
  return std::all_of(results.begin(), results.end(), [](const result& found) { return found.right; }) ? 0 : 1;
} catch (const std::exception& failure) {
  return std::fprintf(stderr, "perturb_time: %s\n", failure.what()), 1;
}
