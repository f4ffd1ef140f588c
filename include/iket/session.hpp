// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The host side: owns the trace memory of one device, hands out tracers, drains what kernels wrote, writes trace.bin.
/// Needs the CUDA runtime's header and library, no nvcc.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <iket/config.hpp>
#include <iket/detail/announce_launch.hpp>
#include <iket/detail/capture_run.hpp>
#include <iket/detail/collect_launches.hpp>
#include <iket/detail/event_pair.hpp>
#include <iket/detail/launch_plan.hpp>
#include <iket/detail/pending_launch.hpp>
#include <iket/detail/read_beside_kernels.hpp>
#include <iket/detail/running_launches.hpp>
#include <iket/detail/session_device.hpp>
#include <iket/detail/session_scope.hpp>
#include <iket/detail/take_snapshot.hpp>
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
struct watch_access;
}  // namespace detail
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
/// Under iket-capture (docs/counters.md) traces go to its folder instead of where `write` says, also what was not
/// written when the session ends; and in two of its three runs tracers are inert.
///
/// Under IKET_DISABLE no CUDA call is made, tracers are inert, and `write` leaves a file that says "compiled out".
class session {
 public:
  /// Reserves the trace memory: one cudaMalloc (with `storage::host`, cudaHostAlloc) of `memory_limit`, zeroed, and
  /// 8 MiB of pinned host memory.
  /// @throws iket::error without a usable device or without the memory, or if `records_per_warp` is 0 or too large.
  explicit session(const session_options& options = {})
      : options_(options), capture_(detail::capture_run::of_environment()) {
    (void)detail::checked_capacity(options_.records_per_warp);
    if constexpr (IKET_ENABLED != 0) device_ = std::make_unique<detail::session_device>(options_);
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// Frees the memory, which waits for all kernels that run on the device, also with `storage::host`: cudaFreeHost
  /// waits as cudaFree does (measured on an H200, driver 580). Throws nothing. Frees nothing on the device where the
  /// session's context has ended, which did that.
  ~session() {
    if (capture_.writes_rest()) write_rest();
    if (device_ != nullptr) device_->end(launches_.pending);
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
    const std::lock_guard call(calls_);
    return announce(std::move(name), grid, block, options, nullptr);
  }

  /// Waits for the traced launches, copies what they wrote to the host and frees the trace memory for reuse. Tracers
  /// handed out before are used up, also those of other threads: a launch with one of them would write into memory that
  /// is somebody else's by then. A `trace` of another thread waits until the drain is done. Waits for the streams that
  /// were named, else for the device.
  ///
  /// Replayable tracers stay good; none of their launches may run meanwhile. With one of them about that names no
  /// `replay_stream`, the drain waits for the device. CUDA does not let a program wait for the device while any of its
  /// threads captures a stream, and that capture fails: name the streams where that can happen.
  ///
  /// With `storage::host` waits a second more at most for the driver to give the names of sites; where it does not,
  /// names are those that the session had read before.
  /// @throws iket::error if a kernel of the program failed, or a copy did; what was not drained stays to be drained.
  ///   std::bad_alloc if the host's memory runs out; what was copied before is kept then.
  void drain() {
    const std::lock_guard call(calls_);
    drain_in_call();
  }

  /// Drains, and gives the memory of all replayable tracers back. No launch may use one of them any more.
  /// @throws iket::error as `drain`
  void end_replays() {
    const std::lock_guard call(calls_);
    drain_in_call();
    const std::lock_guard state(state_);
    launches_.pending.clear();
    if (device_ == nullptr) return;
    const detail::session_scope scope = device_->enter();
    device_->memory().recycle_lasting();
  }

  /// Drains, and writes all that was drained since the last `write` to `path`. A file appears there whole or not at
  /// all, and the disk has it when this returns; a second `write` has what came since.
  /// @throws iket::error as `drain`, after writing what was drained before, if anything was; and if the file cannot be
  ///   written: the data is kept, for the next `write`, there or elsewhere.
  void write(const std::string& path) {
    const std::lock_guard call(calls_);
    try {
      drain_in_call();
    } catch (const error& failure) {
      throw error(failure.what() + (launches_.drained.launches.empty() ? "" : write_behind_failure(path)));
    }
    (void)write_drained(path);
  }

  /// Writes to `path` what the launches that were not drained yet have recorded so far, while they run, or hang. Drains
  /// nothing: a later `write` has all of it again. Launches that have not ended say so in the file, and
  /// `iket-analyze` shows first where their warps stand.
  ///
  /// May be called from any thread at any time, also while another one waits for a kernel that never ends, in `drain`,
  /// cudaDeviceSynchronize or cudaStreamSynchronize; with `storage::host` also in `iket::launch`, cudaMemcpy or any
  /// other call of CUDA, which else let a snapshot wait for the kernel as well. Does not touch the program's streams,
  /// waits for none of them, and allocates and loads nothing on the device; so it works beside work on the legacy
  /// default stream. A `trace` of another thread waits until the records are copied, a `drain` with what comes behind
  /// its waiting. Takes as long as a drain copies, and up to 10 ms more where kernels occupy the whole GPU; with
  /// `storage::host` up to a second more where the driver does not answer, and then names are those that the session
  /// had read before.
  ///
  /// With `storage::host` also behind a kernel that failed; the launches that may have are marked.
  /// @throws iket::error if a copy fails, as behind a failed kernel without `storage::host`; if the context has ended;
  ///   and if the file cannot be written. Nothing has changed then.
  void snapshot(const std::string& path) {
    const detail::trace_content content = content_of_snapshot([] {});
    write_or_say(content, path, "Nothing was taken from the session");
  }

 private:
  // What to tell of it behind the failure.
  std::string write_behind_failure(const std::string& path) {
    const bool has_failed_ones = launches_.drained.has_failed_ones();
    std::string written;
    try {
      written = write_drained(path);
    } catch (const error& failure) {
      return std::string(". And ") + failure.what();
    }
    return (has_failed_ones ? ". What was recorded up to then is in '" : ". What was drained is in '") + written + "'";
  }

  // Adds to an error what becomes of the content.
  static void write_or_say(const detail::trace_content& content, const std::string& path, const char* kept) {
    try {
      detail::write_trace(content, path);
    } catch (const error& failure) {
      throw error(std::string(failure.what()) + ". " + kept);
    }
  }

  // Returns where it went.
  std::string write_drained(const std::string& path) {
    {
      const std::lock_guard state(state_);
      describe(launches_.drained);
    }
    std::string file = capture_.is_captured() ? capture_.take_file() : path;
    write_or_say(launches_.drained, file, "Nothing is lost: the next write() has it, there or elsewhere");
    launches_.drained = {};
    return file;
  }

  // Under iket-capture, of a program that ends without a `write`. What fails there has no one to tell.
  void write_rest() noexcept {
    const std::lock_guard call(calls_);
    try {
      drain_in_call();
    } catch (...) {  // NOLINT(bugprone-empty-catch) what was drained before is written all the same
    }
    try {
      if (!launches_.drained.launches.empty()) (void)write_drained({});
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }

  friend struct detail::launch_access;
  friend struct detail::watch_access;

  // `timed`, where it is given, are events that will stand around the launch.
  tracer announce(std::string name, dim3 grid, dim3 block, const trace_options& options,
                  std::shared_ptr<detail::event_pair> timed) {
    const std::lock_guard state(state_);
    if (device_ != nullptr && device_->is_lost()) device_->check_context();
    launches_.pending.push_back(detail::announce_launch(device_.get(), options_, launches_.next_launch, std::move(name),
                                                        grid, block, options, std::move(timed),
                                                        capture_.is_untraced()));
    ++launches_.next_launch;
    if (device_ != nullptr) capture_.begin_profile();
    return launches_.pending.back().tracer;
  }

  // Of a launch that failed.
  void forget_last() {
    const std::lock_guard state(state_);
    launches_.pending.pop_back();
  }

  // Of a launch that was made.
  void end_profile() {
    const std::lock_guard state(state_);
    capture_.end_profile();
  }

  void describe(detail::trace_content& content) const {
    if (device_ != nullptr) {
      device_->describe(content);
      return;
    }
    content.devices.resize(1);
    content.devices[0].name = "none: compiled out";
  }

  void drain_in_call() {
    std::unique_lock state(state_);
    capture_.end_profile();  // what a drain launches is nobody's concern
    // Where nothing was launched, a launch that failed may have left its memory.
    if (launches_.pending.empty() && (device_ == nullptr || !device_->memory().is_used())) return;
    if (device_ == nullptr) {
      launches_.collect_compiled_out();
      return;
    }
    const detail::session_scope scope = device_->enter();
    wait(state);
    empty_memory(detail::counts::known);
    if (!device_->background().is_under_way()) device_->measure_host_clock();  // that uses the same memory
  }

  // Waits for the launches with the state free for others. Where one of them has failed and the host has their memory,
  // takes what is there before it throws.
  void wait(std::unique_lock<std::mutex>& state) {
    std::vector<detail::launch_end> ends;
    for (const detail::pending_launch& pending : launches_.pending) ends.push_back(pending.end);
    state.unlock();
    try {
      detail::wait_for_launches(ends);
    } catch (const error&) {
      state.lock();
      if (device_->memory().is_on_host() && device_->has_failed()) empty_memory(detail::counts::doubtful);
      throw;
    }
    state.lock();
  }

  void empty_memory(detail::counts trust) {
    detail::device_memory& memory = device_->memory();
    launches_.collect(*device_, trust);
    // Last: what was copied stays copied if this fails.
    for (detail::pending_launch& pending : launches_.pending) detail::reset_replays(memory, pending);
    memory.recycle();
  }

  // Calls `begin` when no other call is in the way any more.
  template <class Begin>
  detail::trace_content content_of_snapshot(Begin begin) {
    const std::lock_guard state(state_);
    begin();
    if (device_ == nullptr) {
      detail::trace_content content;
      detail::add_drained(content, 0, detail::compiled_out(launches_.pending), {});
      describe(content);
      return content;
    }
    const detail::session_scope scope = device_->enter();
    return detail::take_snapshot(*device_, launches_);
  }

  std::vector<detail::running_launch> running() {
    const std::lock_guard state(state_);
    if (device_ == nullptr || launches_.pending.empty()) return {};
    const detail::session_scope scope = device_->enter();
    return detail::find_running(*device_, launches_.pending);
  }

  session_options options_;
  detail::capture_run capture_;
  // One call at a time, to its end. What was drained belongs to the call.
  std::mutex calls_;
  // All else below. Taken behind `calls_`. A snapshot needs it: it is held neither for a kernel's end nor, with
  // `storage::host`, for longer than the driver's patience while sites are read. It is held in what else waits for the
  // driver where another thread has its lock: a reading of the timer, and copies where the device has the records.
  std::mutex state_;
  std::unique_ptr<detail::session_device> device_;  // null in a build without tracing
  detail::launch_collection launches_;
};

}  // namespace IKET_DETAIL_ABI
}  // namespace iket
