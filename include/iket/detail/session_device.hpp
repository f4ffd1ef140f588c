// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a session has on its device.
#pragma once

#include <memory>
#include <new>
#include <optional>
#include <vector>

#include <cuda_runtime_api.h>

#include <iket/detail/background_reading.hpp>
#include <iket/detail/calibration.hpp>
#include <iket/detail/context_mark.hpp>
#include <iket/detail/cuda_check.hpp>
#include <iket/detail/describe_device.hpp>
#include <iket/detail/device_memory.hpp>
#include <iket/detail/host_clock.hpp>
#include <iket/detail/launch_end.hpp>
#include <iket/detail/pending_launch.hpp>
#include <iket/detail/session_scope.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/types.hpp>
#include <iket/error.hpp>
#include <iket/session_options.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// The trace memory, the measurements, and the context that all of it lives in.
class session_device {
 public:
  /// On the device that is current. @throws iket::error as the session's constructor
  explicit session_device(const session_options& options) {
    const own_errors errors;
    const relaxed_capture capture;
    cuda_check(cudaGetDevice(&number_), "cudaGetDevice", "asking for the current device",
               "Tracing needs a CUDA device and its driver");
    description_ = describe_device(number_);
    memory_ = std::make_unique<device_memory>(options.memory_limit, options.storage);
    context_ = context_mark::of_current();
    query_ = progress_query::find();
    if (options.calibrate) calibrate();
    if (options.host_clock) host_clock_ = std::make_unique<detail::host_clock>();
    measure_host_clock();
  }
  session_device(const session_device&) = delete;
  session_device& operator=(const session_device&) = delete;
  ~session_device() = default;

  /// Frees all of it and the events of `pending`; before the destructor. Throws nothing. Frees nothing where the
  /// context has ended, which did that. Waits for what is read in the background: the driver, that lets it wait for a
  /// kernel, would let the freeing wait for that, too.
  void end(std::vector<pending_launch>& pending) noexcept {
    background_.wait();  // it uses all of this
    const own_errors errors;
    int now = 0;
    // Without a device the runtime has ended, and the driver may have.
    const bool has_runtime = cudaGetDevice(&now) == cudaSuccess;
    std::optional<session_scope> scope;
    if (is_lost_ || (has_runtime && context_.is_gone()))
      abandon(pending);
    else if (has_runtime)
      scope.emplace(context_, number_, std::nothrow);
    pending.clear();
    calibration_.reset();
    host_clock_.reset();
    memory_.reset();
  }

  [[nodiscard]] device_memory& memory() { return *memory_; }
  /// Its number in the file.
  [[nodiscard]] u32 id() const { return description_.info.id; }
  [[nodiscard]] const progress_query& query() const { return query_; }
  /// Null where the clocks are not compared.
  [[nodiscard]] detail::host_clock* host_clock() { return host_clock_.get(); }

  /// What the file says of the device, as of now.
  void describe(trace_content& content) const {
    content.devices = {description_};
    if (calibration_info_.has_value()) content.calibrations = {*calibration_info_};
    if (host_clock_ == nullptr || host_clock_->content().pairs.empty()) return;
    content.host_clocks = {host_clock_->content()};
    content.host_clocks[0].info.device = description_.info.id;
  }

  void measure_host_clock() {
    if (host_clock_ != nullptr) host_clock_->measure();
  }

  /// What has to stand around calls, from any thread.
  /// @throws iket::error where the context has ended, or CUDA does not let the device be chosen.
  [[nodiscard]] session_scope enter() {
    check_context();
    return session_scope(context_, number_);
  }
  /// The same for a thread that nobody listens to.
  [[nodiscard]] session_scope enter_quietly() const noexcept { return session_scope(context_, number_, std::nothrow); }

  /// What is read while nobody has to wait for it.
  [[nodiscard]] background_reading& background() { return background_; }

  /// Whether a kernel of the program has failed, as far as the driver tells. With the context current.
  [[nodiscard]] bool has_failed() const { return query_.has_failed(memory_->stream()); }

  /// Whether the context was found to have ended.
  [[nodiscard]] bool is_lost() const { return is_lost_; }
  /// @throws iket::error where the context has ended. Notes it once: one that is made later may come to look like it.
  void check_context() {
    is_lost_ = is_lost_ || context_.is_gone();
    if (is_lost_)
      throw error(
          "iket: the CUDA context in which the session was made has ended (cudaDeviceReset ends it), and with it all "
          "that was not drained. Make another session to trace on. What this one has drained can still be written");
  }

 private:
  void calibrate() {
    calibration_ = std::make_unique<calibration_run>();
    calibration_info_ = calibration_->measure(description_.info.compute_major, description_.info.compute_minor);
    if (calibration_info_.has_value()) calibration_info_->device = description_.info.id;
  }

  void abandon(std::vector<pending_launch>& pending) noexcept {
    for (pending_launch& launch : pending)
      if (launch.end.timed != nullptr) launch.end.timed->abandon();
    if (calibration_ != nullptr) calibration_->abandon();
    if (host_clock_ != nullptr) host_clock_->abandon();
    memory_->abandon();
  }

  int number_ = 0;
  device_content description_;
  std::unique_ptr<device_memory> memory_;
  std::unique_ptr<calibration_run> calibration_;
  std::optional<file::calibration_info> calibration_info_;
  std::unique_ptr<detail::host_clock> host_clock_;
  context_mark context_;
  progress_query query_;
  bool is_lost_ = false;
  background_reading background_;  // the last member, the first to end: it uses the others
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
