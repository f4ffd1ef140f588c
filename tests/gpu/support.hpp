// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What GPU tests share: from a session to a decoded timeline.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <iket/iket.cuh>

#include "build_timeline.hpp"
#include "catch.hpp"
#include "launch_group.hpp"
#include "stage_statistics.hpp"

namespace gpu_test {

/// A path for a dump, removed at the end of the scope.
class dump_path {
 public:
  dump_path() {
    static int count = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("iket_gpu_test_" + std::to_string(getpid()) + "_" + std::to_string(count++) + ".bin"))
                .string();
  }
  dump_path(const dump_path&) = delete;
  dump_path& operator=(const dump_path&) = delete;
  ~dump_path() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& string() const { return path_; }

 private:
  std::string path_;
};

/// Writes what `session` has and decodes it; the file must be whole.
inline iket::analysis::timeline written_by(iket::session& session) {
  const dump_path path;
  session.write(path.string());
  iket::analysis::load_result result = iket::analysis::load_timeline(path.string());
  INFO((result.error ? result.error->text : std::string("no error")));
  REQUIRE(result.trace.has_value());
  CHECK_FALSE(result.damaged);
  return std::move(*result.trace);
}

/// Whole ranges of a stage over all warps of one launch.
inline std::vector<const iket::analysis::range*> ranges_of(const iket::analysis::timeline& trace,
                                                           const iket::analysis::launch& launch,
                                                           std::string_view stage) {
  std::vector<const iket::analysis::range*> found;
  for (const iket::analysis::warp_timeline& warp : launch.warps)
    for (const iket::analysis::range& range : warp.ranges)
      if (trace.stages.at(range.stage).name == stage && range.state == iket::analysis::range_state::whole)
        found.push_back(&range);
  return found;
}

/// The warnings of a file, one a line.
inline std::string warnings_of(const iket::analysis::timeline& trace) {
  std::string text;
  for (const std::string& warning : trace.warnings) text += warning + "\n";
  return text;
}

/// Events of a warp that make no whole range, over all stages.
inline iket::analysis::odd_events odd_events_of(const iket::analysis::warp_timeline& warp) {
  iket::analysis::odd_events all;
  for (const iket::analysis::odd_events& odd : warp.odd) {
    all.unmatched += odd.unmatched;
    all.cut += odd.cut;
    all.open += odd.open;
  }
  return all;
}

/// For tests that make many sessions: little memory, and neither a calibration nor readings of the timer, which take
/// longer than all else.
inline iket::session_options small_session(std::size_t memory_limit = std::size_t{16} << 20) {
  iket::session_options options;
  options.memory_limit = memory_limit;
  options.calibrate = false;
  options.host_clock = false;
  return options;
}

/// Whether the GPU knows clusters.
inline bool has_clusters() {
  int major = 0;
  REQUIRE(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess);
  return major >= 9;
}

/// The launch's error, or that of its run.
inline cudaError_t finish() {
  const cudaError_t launched = cudaGetLastError();
  return launched != cudaSuccess ? launched : cudaDeviceSynchronize();
}

}  // namespace gpu_test
