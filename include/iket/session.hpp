// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The host side: owns the trace memory of one device, hands out tracers, drains what kernels wrote, writes trace.bin.
/// Needs the CUDA runtime's header and library, no nvcc.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <iket/config.hpp>
#include <iket/detail/calibration.hpp>
#include <iket/detail/cuda_check.hpp>
#include <iket/detail/device_memory.hpp>
#include <iket/detail/drain.hpp>
#include <iket/detail/event_pair.hpp>
#include <iket/detail/host_clock.hpp>
#include <iket/detail/launch_plan.hpp>
#include <iket/detail/make_tracer.hpp>
#include <iket/detail/pending_launch.hpp>
#include <iket/detail/read_sites.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/trace_serializer.hpp>
#include <iket/detail/whole_file.hpp>
#include <iket/error.hpp>
#include <iket/memory_estimate.hpp>
#include <iket/session_options.hpp>
#include <iket/tracer.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {
struct launch_access;
}
}  // namespace abi_1

inline namespace IKET_DETAIL_ABI {

/// Traces kernels on the device that is current when it is made.
///
///     iket::session session;
///     kernel<<<grid, block>>>(arguments..., session.trace("kernel", grid, block));
///     session.write("trace.bin");
///
/// Shows in the report as one device; each `trace` as one launch. Several sessions may live in one process. Members may
/// be called from several threads. What was not written when the session ends is gone.
///
/// Under IKET_DISABLE no CUDA call is made, tracers are inert, and `write` leaves a file that says "compiled out".
class session {
 public:
  /// Reserves the trace memory: one cudaMalloc of `memory_limit`, zeroed, and 8 MiB of pinned host memory.
  /// @throws iket::error without a usable device or without the memory, or if `records_per_warp` is 0 or too large.
  explicit session(const session_options& options = {}) : options_(options) {
    (void)detail::checked_capacity(options_.records_per_warp);
    device_.info.id = 0;
    device_.name = "none: compiled out";
    if constexpr (IKET_ENABLED != 0) {
      const detail::own_errors errors;
      const detail::relaxed_capture capture;
      detail::cuda_check(cudaGetDevice(&device_number_), "asking for the current device",
                         "Tracing needs a CUDA device and its driver");
      describe_device();
      memory_ = std::make_unique<detail::device_memory>(options_.memory_limit);
      if (options_.calibrate) calibrate();
      if (options_.host_clock) host_clock_ = std::make_unique<detail::host_clock>();
      measure_host_clock();
    }
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// Frees the memory; cudaFree waits for kernels that may still write into it. Throws nothing.
  ~session() {
    if (memory_ == nullptr) return;
    const detail::relaxed_capture capture;
    try {
      const detail::device_scope scope(device_number_);
      release();
    } catch (const error&) {
      release();  // the context is gone and has taken the memory along
    }
  }

  /// Reserves rings and returns the tracer for the next launch of a kernel; pass it to that one launch, before the next
  /// drain. Costs about a microsecond and makes no CUDA call, but asks a stream that is named whether it is being
  /// captured; so it is safe at any time. The exception is what a kernel must look up in a list, which is copied to the
  /// device over the session's own stream: `ctas::list`, and, where a cluster is given, all but the whole grid.
  ///
  /// Under stream capture, name the stream: the tracer then is replayable (`trace_options::regions`), and every launch
  /// of the graph is a launch in the report.
  ///
  /// A launch with another grid or block than announced here records nothing, which the report says.
  /// @param name the kernel's name in the report
  /// @throws iket::error if a dimension is 0, the grid has 2^31 CTAs or more, the block is larger than 1024 threads,
  ///   `records_per_warp` is 0 or too large, the cluster does not divide the grid, nothing is selected, a list names a
  ///   CTA that the grid does not have, or memory is short and the options say `over_limit::fail`.
  [[nodiscard]] tracer trace(std::string name, dim3 grid, dim3 block, const trace_options& options = {}) {
    const std::lock_guard lock(mutex_);
    return trace_locked(std::move(name), grid, block, options, nullptr);
  }

  /// Waits for the traced launches, copies what they wrote to the host and frees the trace memory for reuse. Tracers
  /// handed out before are used up, also those of other threads: a launch with one of them would write into memory that
  /// is somebody else's by then. A `trace` of another thread waits until the drain is done. Waits for the streams that
  /// were named, else for the device.
  ///
  /// Replayable tracers stay good; none of their launches may run meanwhile. With one of them about that names no
  /// `replay_stream`, the drain waits for the device. CUDA does not let a program wait for the device while any of its
  /// threads captures a stream, and that capture fails: name the streams where that can happen.
  /// @throws iket::error if a traced kernel failed, or a copy did; what was not drained stays to be drained.
  void drain() {
    const std::lock_guard lock(mutex_);
    drain_locked();
  }

  /// Drains, and gives the memory of all replayable tracers back. No launch may use one of them any more.
  /// @throws iket::error as `drain`
  void end_replays() {
    const std::lock_guard lock(mutex_);
    drain_locked();
    pending_.clear();
    if (memory_ == nullptr) return;
    const detail::own_errors errors;
    const detail::relaxed_capture capture;
    const detail::device_scope scope(device_number_);
    memory_->recycle_lasting();
  }

  /// Drains, and writes all that was drained since the last `write` to `path`. A file appears there whole or not at
  /// all; a second `write` has what came since.
  /// @throws iket::error as `drain`, after writing what was drained before, if anything was; and if the file cannot be
  ///   written: the data is kept and can be written elsewhere.
  void write(const std::string& path) {
    const std::lock_guard lock(mutex_);
    try {
      drain_locked();
    } catch (const error&) {
      if (!drained_.launches.empty()) write_drained(path);
      throw;
    }
    write_drained(path);
  }

 private:
  void write_drained(const std::string& path) {
    drained_.devices = {device_};
    if (calibration_info_.has_value()) drained_.calibrations = {*calibration_info_};
    if (host_clock_ != nullptr && !host_clock_->content().pairs.empty()) {
      drained_.host_clocks = {host_clock_->content()};
      drained_.host_clocks[0].info.device = device_.info.id;
    }
    detail::whole_file file(path);
    detail::serialize_trace(drained_, file);
    file.commit();
    drained_ = {};
  }

  friend struct detail::launch_access;

  // `timed`, where it is given, are events that will stand around the launch.
  tracer trace_locked(std::string name, dim3 grid, dim3 block, const trace_options& options,
                      std::shared_ptr<detail::event_pair> timed) {
    detail::launch_plan plan = detail::plan_launch(grid, block, options, options_.records_per_warp);
    const bool captured = IKET_ENABLED != 0 && options.stream.has_value() && detail::is_captured(*options.stream);
    if (captured && !plan.replayable()) plan.regions = detail::captured_regions;
    detail::pending_launch launch;
    launch.content.name = std::move(name);
    launch.timed = std::move(timed);
    file::launch_info& info = launch.content.info;
    info.host_time_ns = static_cast<detail::u64>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count());
    info.bytes_limit = options_.memory_limit;
    info.choice = options.ctas.choice;
    info.first_cta = options.ctas.first;
    info.last_cta = options.ctas.last;
    info.id = next_launch_++;
    if constexpr (IKET_ENABLED != 0)
      reserve(launch, plan, options.when_over_limit);
    else
      info.flags |= file::launch_compiled_out;
    detail::describe(plan, info);
    // A graph may be launched into another stream than it was captured from.
    launch.stream = captured ? options.replay_stream : options.stream;
    if (plan.replayable() && options.replay_stream.has_value()) launch.stream = options.replay_stream;
    pending_.push_back(std::move(launch));
    return pending_.back().tracer;
  }

  void describe_device() {
    cudaDeviceProp properties{};
    detail::cuda_check(cudaGetDeviceProperties(&properties, device_number_), "asking for the device's properties");
    int clock_khz = 0;  // no property in CUDA 13
    if (cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device_number_) != cudaSuccess) clock_khz = 0;
    device_.name = properties.name;
    static_assert(sizeof(properties.uuid) == sizeof(device_.info.uuid), "a UUID is 16 bytes");
    std::memcpy(device_.info.uuid, &properties.uuid, sizeof(device_.info.uuid));
    device_.info.sm_count = static_cast<detail::u32>(properties.multiProcessorCount);
    device_.info.compute_major = static_cast<detail::u16>(properties.major);
    device_.info.compute_minor = static_cast<detail::u16>(properties.minor);
    device_.info.rated_clock_khz = static_cast<detail::u32>(clock_khz);
  }

  void release() {
    calibration_.reset();
    host_clock_.reset();
    memory_.reset();
  }

  void calibrate() {
    calibration_ = std::make_unique<detail::calibration_run>();
    calibration_info_ = calibration_->measure(device_.info.compute_major, device_.info.compute_minor);
    if (calibration_info_.has_value()) calibration_info_->device = device_.info.id;
  }

  // Takes memory for as many of the selected CTAs as there is room for, evenly spaced, and makes the tracer.
  void reserve(detail::pending_launch& launch, detail::launch_plan& plan, iket::over_limit when_over_limit) {
    file::launch_info& info = launch.content.info;
    info.bytes_needed = plan.bytes();
    const bool fits = plan.shrink_to(memory_->available());
    if (plan.sampled) {
      if (when_over_limit == iket::over_limit::fail)
        throw error("iket: tracing '" + launch.content.name + "' needs " + std::to_string(info.bytes_needed) +
                    " bytes, but of the session's memory_limit of " + std::to_string(options_.memory_limit) +
                    " bytes only " + std::to_string(memory_->available()) +
                    " are free. Raise the limit, lower records_per_warp, select fewer CTAs or warps, or drain earlier "
                    "launches first");
      info.flags |= file::launch_over_limit;
    }
    info.ctas_traced = fits ? plan.selection.ctas() : 0;
    if (fits) launch.tracer = detail::make_tracer(plan, *memory_, device_number_);
  }

  void drain_locked() {
    if (pending_.empty()) return;
    const detail::own_errors errors;
    const detail::relaxed_capture capture;
    detail::site_table_content table;
    table.id = next_site_table_++;
    std::vector<detail::launch_content> launches;
    if constexpr (IKET_ENABLED != 0) {
      const detail::device_scope scope(device_number_);
      wait_for_launches();
      for (detail::pending_launch& pending : pending_) take_launches(pending, launches);
      table.sites = detail::read_sites(*memory_, launches);
    } else {
      for (const detail::pending_launch& pending : pending_) launches.push_back(pending.content);
    }
    for (detail::launch_content& launch : launches) {
      launch.info.sites = table.id;
      drained_.launches.push_back(std::move(launch));
    }
    drained_.site_tables.push_back(std::move(table));
    const auto ended = std::stable_partition(pending_.begin(), pending_.end(),
                                             [](const detail::pending_launch& of) { return of.replayable(); });
    pending_.erase(ended, pending_.end());
    if constexpr (IKET_ENABLED != 0) {  // last: what was copied stays copied if this fails
      const detail::device_scope scope(device_number_);
      for (detail::pending_launch& pending : pending_) pending.is_taken = pending.drained_before = true;
      for (detail::pending_launch& pending : pending_) detail::reset_replays(*memory_, pending);
      memory_->recycle();
      measure_host_clock();
    }
  }

  void measure_host_clock() {
    if (host_clock_ != nullptr) host_clock_->measure();
  }

  // Appends what the launches of a tracer wrote.
  void take_launches(detail::pending_launch& pending, std::vector<detail::launch_content>& launches) {
    if (pending.is_taken) detail::reset_replays(*memory_, pending);  // which failed before
    std::vector<detail::launch_content> found = detail::drain_launches(*memory_, pending);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i != 0 || pending.drained_before) found[i].info.id = next_launch_++;
      if (pending.timed != nullptr) found[i].info.event_time_ns = pending.timed->elapsed_ns();
      launches.push_back(std::move(found[i]));
    }
  }

  void wait_for_launches() {
    const char* const advice = "The error is that of the program's own work: of a traced kernel, or of one before it";
    std::set<cudaStream_t> streams;
    for (const detail::pending_launch& launch : pending_) {
      if (!launch.stream.has_value()) {
        detail::cuda_check(cudaDeviceSynchronize(), "waiting for the traced launches", advice);
        return;
      }
      streams.insert(*launch.stream);
    }
    for (cudaStream_t stream : streams)
      detail::cuda_check(cudaStreamSynchronize(stream), "waiting for the traced launches", advice);
  }

  session_options options_;
  int device_number_ = 0;
  detail::device_content device_;
  std::unique_ptr<detail::device_memory> memory_;
  std::unique_ptr<detail::calibration_run> calibration_;
  std::optional<file::calibration_info> calibration_info_;
  std::unique_ptr<detail::host_clock> host_clock_;
  std::mutex mutex_;  // guards all below
  detail::u32 next_launch_ = 0;
  detail::u32 next_site_table_ = 0;
  std::vector<detail::pending_launch> pending_;
  detail::trace_content drained_;
};

}  // namespace IKET_DETAIL_ABI
}  // namespace iket
