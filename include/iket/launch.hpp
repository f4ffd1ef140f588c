// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Launches a kernel with its tracer, in one call.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <cuda_runtime_api.h>

#include <iket/config.hpp>
#include <iket/detail/cuda_check.hpp>
#include <iket/detail/event_pair.hpp>
#include <iket/session.hpp>
#include <iket/session_options.hpp>
#include <iket/tracer.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// The way of `iket::launch` into a session.
struct launch_access {
  /// Calls `launch` with the tracer, before any other thread can drain the session. What it throws before `is_launched`
  /// leaves no launch in the trace; the tracer's memory is free behind the next drain, or where it
  /// was captured, behind `session::end_replays`.
  template <class Session, class Launch>
  static void launch(Session& session, std::string name, const cudaLaunchConfig_t& config, const trace_options& options,
                     std::shared_ptr<event_pair> timed, const bool& is_launched, Launch launch) {
    const std::lock_guard call(session.calls_);
    const tracer made = session.announce(std::move(name), config.gridDim, config.blockDim, options, std::move(timed));
    try {
      launch(made);
    } catch (...) {
      session.end_profile();
      if (!is_launched) session.forget_last();
      throw;
    }
    session.end_profile();
  }
};

/// The cluster that a launch will have: the launch's own, else the one that the kernel was compiled for.
inline dim3 cluster_of(const cudaLaunchConfig_t& config, const void* kernel) {
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == cudaLaunchAttributeClusterDimension)
      return {config.attrs[i].val.clusterDim.x, config.attrs[i].val.clusterDim.y, config.attrs[i].val.clusterDim.z};
  const own_errors errors;
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess || attributes.requiredClusterWidth <= 0)
    return {1, 1, 1};
  return {static_cast<unsigned>(attributes.requiredClusterWidth),
          static_cast<unsigned>(attributes.requiredClusterHeight),
          static_cast<unsigned>(attributes.requiredClusterDepth)};
}

/// Events in between would keep a programmatic launch from overlapping, and mean nothing in a capture.
inline bool can_be_timed(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization ||
        config.attrs[i].id == cudaLaunchAttributeProgrammaticEvent)
      return false;
  return !is_captured(config.stream);
}

}  // namespace detail
}  // namespace abi_1

inline namespace IKET_DETAIL_ABI {

/// Launches `kernel`, whose last parameter is an `iket::tracer`, with a tracer of `session`, and times it with CUDA
/// events, so that the report has that time beside its own. Not in a stream capture, and not a launch that depends
/// programmatically on the one before it, which events would keep from overlapping; for that one before it, set
/// `trace_options::timed` to false. Asynchronous, as a launch is; other threads may drain the session meanwhile.
///
///     cudaLaunchConfig_t config{};
///     config.gridDim = grid;
///     config.blockDim = block;
///     iket::launch(session, "pipeline", config, pipeline, in, out, tiles);
///
/// The stream and the cluster are taken from `config` (or from the kernel's own `__cluster_dims__`); `options` has the
/// rest, but for `regions`, which count in a capture only: else nobody could launch that tracer again. The events are
/// made here and freed by the drain, which waits for the second one: the stream may be destroyed before.
/// @param arguments the kernel's without the tracer; each is converted to the parameter's type
/// @throws iket::error as `session::trace`, or if the launch failed; it is in no trace then
template <class... Parameters, class... Arguments>
void launch(session& session, std::string name, const cudaLaunchConfig_t& config, trace_options options,
            void (*kernel)(Parameters...), Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments) + 1, "all of the kernel's arguments but the tracer");
  using parameters = std::tuple<std::decay_t<Parameters>...>;
  static_assert(std::is_same_v<std::tuple_element_t<sizeof...(Arguments), parameters>, tracer>,
                "the kernel's last parameter is an iket::tracer");
  const auto* const entry = reinterpret_cast<const void*>(kernel);
  const detail::own_errors errors;
  std::shared_ptr<detail::event_pair> timed;
  if constexpr (IKET_ENABLED != 0) {
    options.stream = config.stream;
    if (!detail::is_captured(config.stream)) options.regions.reset();
    options.cluster = detail::cluster_of(config, entry);
    if (options.timed && detail::can_be_timed(config)) timed = std::make_shared<detail::event_pair>();
  }

  parameters values(std::forward<Arguments>(arguments)..., tracer{});
  bool is_launched = false;
  detail::launch_access::launch(session, name, config, options, timed, is_launched, [&](const tracer& made) {
    std::get<sizeof...(Arguments)>(values) = made;
    std::apply(
        [&](auto&... value) {
          void* pointers[] = {static_cast<void*>(&value)...};
          if (timed != nullptr) timed->begin(config.stream);
          detail::cuda_check(cudaLaunchKernelExC(&config, entry, pointers), "cudaLaunchKernelExC",
                             "launching '" + name + "'");
          is_launched = true;
          if (timed != nullptr) timed->end(config.stream);
        },
        values);
  });
}

/// As above, with the default options.
template <class... Parameters, class... Arguments>
void launch(session& session, std::string name, const cudaLaunchConfig_t& config, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  launch(session, std::move(name), config, trace_options{}, kernel, std::forward<Arguments>(arguments)...);
}

}  // namespace IKET_DETAIL_ABI
}  // namespace iket
