// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the file says of a device.
#pragma once

#include <cstring>

#include <cuda_runtime_api.h>

#include <iket/detail/cuda_check.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Of a session's one device, which has number 0 in the file.
/// @throws iket::error where CUDA does not tell.
[[nodiscard]] inline device_content describe_device(int device) {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties",
             "asking for the device's properties");
  int clock_khz = 0;  // no property in CUDA 13
  if (cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device) != cudaSuccess) clock_khz = 0;
  device_content content;
  content.name = properties.name;
  static_assert(sizeof(properties.uuid) == sizeof(content.info.uuid), "a UUID is 16 bytes");
  std::memcpy(content.info.uuid, &properties.uuid, sizeof(content.info.uuid));
  content.info.sm_count = static_cast<u32>(properties.multiProcessorCount);
  content.info.compute_major = static_cast<u16>(properties.major);
  content.info.compute_minor = static_cast<u16>(properties.minor);
  content.info.rated_clock_khz = static_cast<u32>(clock_khz);
  return content;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
