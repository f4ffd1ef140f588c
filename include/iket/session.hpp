// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The host side: owns the trace memory of one device, hands out tracers, drains what kernels wrote, writes trace.bin.
/// Needs the CUDA runtime's header and library, no nvcc.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <iket/config.hpp>
#include <iket/detail/calibration.hpp>
#include <iket/detail/context_mark.hpp>
#include <iket/detail/cuda_check.hpp>
#include <iket/detail/describe_device.hpp>
#include <iket/detail/device_memory.hpp>
#include <iket/detail/drain.hpp>
#include <iket/detail/event_pair.hpp>
#include <iket/detail/host_clock.hpp>
#include <iket/detail/launch_plan.hpp>
#include <iket/detail/make_tracer.hpp>
#include <iket/detail/pending_launch.hpp>
#include <iket/detail/read_sites.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/wait_for_launches.hpp>
#include <iket/detail/write_trace.hpp>
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
/// be called from several threads at once. What was not written when the session ends is gone. docs/host.md says what
/// happens when something fails, and what may end before what.
///
/// Under IKET_DISABLE no CUDA call is made, tracers are inert, and `write` leaves a file that says "compiled out".
class session {
 public:
  /// Reserves the trace memory: one cudaMalloc of `memory_limit`, zeroed, and 8 MiB of pinned host memory.
  /// @throws iket::error without a usable device or without the memory, or if `records_per_warp` is 0 or too large.
  explicit session(const session_options& options = {}) : options_(options) {
    (void)detail::checked_capacity(options_.records_per_warp);
    device_.name = "none: compiled out";
    if constexpr (IKET_ENABLED != 0) {
      const detail::own_errors errors;
      const detail::relaxed_capture capture;
      detail::cuda_check(cudaGetDevice(&device_number_), "cudaGetDevice", "asking for the current device",
                         "Tracing needs a CUDA device and its driver");
      device_ = detail::describe_device(device_number_);
      memory_ = std::make_unique<detail::device_memory>(options_.memory_limit);
      context_ = detail::context_mark::of_current();
      if (options_.calibrate) calibrate();
      if (options_.host_clock) host_clock_ = std::make_unique<detail::host_clock>();
      measure_host_clock();
    }
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// Frees the memory; cudaFree waits for kernels that may still write into it. Throws nothing. Frees nothing on the
  /// device where the session's context has ended, which did that.
  ~session() {
    if (memory_ == nullptr) return;
    const detail::own_errors errors;
    const detail::relaxed_capture capture;
    const detail::device_scope scope(device_number_, std::nothrow);
    // Without a device the runtime has ended, and the driver may have.
    if (is_lost_ || (scope.is_set() && context_.is_gone())) abandon();
    pending_.clear();  // and their events
    calibration_.reset();
    host_clock_.reset();
    memory_.reset();
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
  ///   CTA that the grid does not have, or memory is short and the options say `over_limit::fail`. Nothing was traced
  ///   then.
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
  /// @throws iket::error if a kernel of the program failed, or a copy did; what was not drained stays to be drained.
  ///   std::bad_alloc if the host's memory runs out; what was copied before is kept then.
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
    check_context();
    memory_->recycle_lasting();
  }

  /// Drains, and writes all that was drained since the last `write` to `path`. A file appears there whole or not at
  /// all, and the disk has it when this returns; a second `write` has what came since.
  /// @throws iket::error as `drain`, after writing what was drained before, if anything was; and if the file cannot be
  ///   written: the data is kept, for the next `write`, there or elsewhere.
  void write(const std::string& path) {
    const std::lock_guard lock(mutex_);
    try {
      drain_locked();
    } catch (const error& failure) {
      throw error(failure.what() + (drained_.launches.empty() ? "" : write_behind_failure(path)));
    }
    write_drained(path);
  }

 private:
  // What to tell of it behind the failure.
  std::string write_behind_failure(const std::string& path) {
    try {
      write_drained(path);
    } catch (const error& failure) {
      return std::string(". And ") + failure.what();
    }
    return ". What was drained is in '" + path + "'";
  }

  void write_drained(const std::string& path) {
    drained_.devices = {device_};
    if (calibration_info_.has_value()) drained_.calibrations = {*calibration_info_};
    if (host_clock_ != nullptr && !host_clock_->content().pairs.empty()) {
      drained_.host_clocks = {host_clock_->content()};
      drained_.host_clocks[0].info.device = device_.info.id;
    }
    detail::write_trace(drained_, path);
    drained_ = {};
  }

  friend struct detail::launch_access;

  // `timed`, where it is given, are events that will stand around the launch.
  tracer trace_locked(std::string name, dim3 grid, dim3 block, const trace_options& options,
                      std::shared_ptr<detail::event_pair> timed) {
    if (is_lost_) check_context();
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

  void abandon() noexcept {
    for (detail::pending_launch& pending : pending_)
      if (pending.timed != nullptr) pending.timed->abandon();
    if (calibration_ != nullptr) calibration_->abandon();
    if (host_clock_ != nullptr) host_clock_->abandon();
    memory_->abandon();
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
    if (fits && !plan.selection.listed.empty()) check_context();  // a list is copied there
    if (fits) launch.tracer = detail::make_tracer(plan, *memory_, device_number_);
  }

  void drain_locked() {
    // Where nothing was launched, a launch that failed may have left its memory.
    if (pending_.empty() && (memory_ == nullptr || !memory_->is_used())) return;
    if constexpr (IKET_ENABLED == 0) {
      std::vector<detail::launch_content> launches;
      for (const detail::pending_launch& pending : pending_) launches.push_back(pending.content);
      detail::add_drained(drained_, next_site_table_++, std::move(launches), {});
      pending_.clear();
    } else {
      const detail::own_errors errors;
      const detail::relaxed_capture capture;
      const detail::device_scope scope(device_number_);
      check_context();
      detail::wait_for_launches(pending_);
      copy_launches();
      // Last: what was copied stays copied if this fails.
      for (detail::pending_launch& pending : pending_) detail::reset_replays(*memory_, pending);
      memory_->recycle();
      measure_host_clock();
    }
  }

  // Copies what the launches wrote, and forgets those that are for one launch. If a copy fails, what was copied before
  // is kept: a kernel may have failed that the program launched meanwhile, and then nothing can be copied ever after.
  void copy_launches() {
    std::vector<detail::launch_content> launches;
    std::size_t taken = 0;
    std::exception_ptr failure;
    try {
      for (; taken < pending_.size(); ++taken) take_launches(pending_[taken], launches);
    } catch (...) {
      failure = std::current_exception();
    }
    if (taken != 0) {
      std::vector<detail::site_content> sites = detail::read_sites(*memory_, launches);
      detail::add_drained(drained_, next_site_table_++, std::move(launches), std::move(sites));
      const auto last = pending_.begin() + static_cast<std::ptrdiff_t>(taken);
      const auto ended = std::stable_partition(pending_.begin(), last,
                                               [](const detail::pending_launch& of) { return of.replayable(); });
      std::for_each(pending_.begin(), ended,
                    [](detail::pending_launch& of) { of.is_taken = of.drained_before = true; });
      pending_.erase(ended, last);
    }
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  // Appends the launches of one tracer. All or nothing: memory of the host may run out.
  void take_launches(detail::pending_launch& pending, std::vector<detail::launch_content>& launches) {
    if (pending.is_taken) detail::reset_replays(*memory_, pending);  // which failed before
    std::vector<detail::launch_content> found = detail::drain_launches(*memory_, pending);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i != 0 || pending.drained_before) found[i].info.id = next_launch_++;
      if (pending.timed != nullptr) found[i].info.event_time_ns = pending.timed->elapsed_ns();
    }
    launches.insert(launches.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }

  void measure_host_clock() {
    if (host_clock_ != nullptr) host_clock_->measure();
  }

  // Notes it once: a context that is made later may come to look like the session's.
  void check_context() {
    is_lost_ = is_lost_ || context_.is_gone();
    if (is_lost_)
      throw error(
          "iket: the CUDA context in which the session was made has ended (cudaDeviceReset ends it), and with it all "
          "that was not drained. Make another session to trace on. What this one has drained can still be written");
  }

  session_options options_;
  int device_number_ = 0;
  detail::device_content device_;
  std::unique_ptr<detail::device_memory> memory_;
  std::unique_ptr<detail::calibration_run> calibration_;
  std::optional<file::calibration_info> calibration_info_;
  std::unique_ptr<detail::host_clock> host_clock_;
  detail::context_mark context_;
  std::mutex mutex_;      // guards all below
  bool is_lost_ = false;  // the context has ended
  detail::u32 next_launch_ = 0;
  detail::u32 next_site_table_ = 0;
  std::vector<detail::pending_launch> pending_;
  detail::trace_content drained_;
};

}  // namespace IKET_DETAIL_ABI
}  // namespace iket
