// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// By what the host learns that a launch has ended.
#pragma once

#include <memory>
#include <optional>

#include <cuda_runtime_api.h>

#include <iket/detail/cuda_check.hpp>
#include <iket/detail/driver_function.hpp>
#include <iket/detail/event_pair.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// What stands behind a launch.
struct launch_end {
  std::shared_ptr<event_pair> timed;   ///< around the launch, where `iket::launch` made it
  std::optional<cudaStream_t> stream;  ///< it went there; the whole device where none was named
};

/// How far a launch is, as the device tells without the trace memory.
enum class launch_progress {
  unknown,  ///< only its warps tell
  waiting,  ///< something is before it in its stream
  begun,    ///< nothing is before it any more, and it has not ended
  ended,
};

/// Asks the driver of streams and events, without waiting. Not the runtime, whose "not ready" would replace an error
/// that the program has not read yet. To be used with the session's context current.
class progress_query {
 public:
  /// Knows nothing.
  progress_query() = default;

  /// Throws nothing; leaves a CUDA error behind where the driver does not give its functions.
  [[nodiscard]] static progress_query find() noexcept {
    progress_query query;
    query.of_stream_ = driver_function<int (*)(void*)>("cuStreamQuery");
    query.of_event_ = driver_function<int (*)(void*)>("cuEventQuery");
    return query;
  }

  /// Of the launch that `end` stands behind. A launch that its stream has not come to counts as ended where the stream
  /// has nothing to do, as it was not made.
  [[nodiscard]] launch_progress of(const launch_end& end) const noexcept {
    if (end.timed != nullptr && end.timed->has_begun() && of_event_ != nullptr) return of_timed(*end.timed);
    if (!end.stream.has_value() || of_stream_ == nullptr || !may_be_asked(*end.stream)) return launch_progress::unknown;
    return of_stream_(*end.stream) == 0 ? launch_progress::ended : launch_progress::unknown;
  }

  /// Whether a kernel of the program has failed, after which every call that asks the device says so. `stream` is one
  /// that lives.
  [[nodiscard]] bool has_failed(cudaStream_t stream) const noexcept {
    if (of_stream_ == nullptr) return false;
    const int status = of_stream_(stream);
    return status != 0 && status != not_ready;
  }

 private:
  static constexpr int not_ready = 600;  // CUDA_ERROR_NOT_READY

  [[nodiscard]] launch_progress of_timed(const event_pair& timed) const noexcept {
    if (timed.has_ended() && of_event_(timed.end_event()) == 0) return launch_progress::ended;
    return of_event_(timed.begin_event()) == 0 ? launch_progress::begun : launch_progress::waiting;
  }

  // Asking a stream that is being captured would break the capture; asking the legacy default stream, one of any stream
  // that it waits for, which this call tells by an error. What this thread calls its own stream was another thread's.
  [[nodiscard]] static bool may_be_asked(cudaStream_t stream) noexcept {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
    if (stream == nullptr) return false;
#endif
    if (stream == cudaStreamPerThread) return false;
    const own_errors errors;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone;
  }

  int (*of_stream_)(void*) = nullptr;
  int (*of_event_)(void*) = nullptr;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
