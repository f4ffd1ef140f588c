// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Waits for launches that were traced.
#pragma once

#include <set>
#include <vector>

#include <cuda_runtime_api.h>

#include <iket/detail/cuda_check.hpp>
#include <iket/detail/launch_end.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Waits for the event behind each launch, else for the stream that was named, else, as where such a stream was
/// destroyed, for the whole device.
/// @throws iket::error where a kernel failed.
inline void wait_for_launches(const std::vector<launch_end>& ends) {
  const char* const what = "waiting for the traced launches";
  std::set<cudaStream_t> streams;
  bool is_for_all = false;
  for (const launch_end& launch : ends) {
    if (launch.timed != nullptr && launch.timed->has_ended())
      cuda_check(launch.timed->wait(), "cudaEventSynchronize", what);
    else if (launch.stream.has_value())
      streams.insert(*launch.stream);
    else
      is_for_all = true;
  }
  for (auto at = streams.begin(); at != streams.end() && !is_for_all; ++at) {
    const cudaError_t status = cudaStreamSynchronize(*at);
    // Its work goes on after a stream is destroyed. CUDA does not promise to notice that, but mostly does.
    if (status == cudaErrorInvalidResourceHandle || status == cudaErrorContextIsDestroyed)
      is_for_all = true;
    else
      cuda_check(status, "cudaStreamSynchronize", what);
  }
  if (is_for_all) cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize", what);
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
