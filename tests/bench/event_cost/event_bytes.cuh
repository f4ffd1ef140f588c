// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How many bytes the library's events take: by how much a dump grows with the events of its only launch.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>
#include <unistd.h>

#include <iket/iket.cuh>

#include "host.hpp"
#include "loops.cuh"

namespace event_cost {

/// The size of a dump of one CTA of 8 warps that record `trips` times `steps_per_trip` steps each.
inline double dump_bytes(const variant& row, unsigned trips) {
  const dim3 grid(1), block(256);
  const device_array<warp_result> results(8);
  iket::session session;
  const loop_arguments arguments{{nullptr, ring_entries}, results.get(), 1, trips, 1, 0.5f, 1.0f};
  row.kernels[static_cast<int>(loop_kind::back_to_back)]<<<grid, block>>>(arguments,
                                                                          session.trace("loop", grid, block));
  check(cudaGetLastError(), row.name);
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("iket_event_cost_" + std::to_string(getpid()) + ".bin");
  session.write(path.string());
  const auto size = static_cast<double>(std::filesystem::file_size(path));
  std::filesystem::remove(path);
  return size;
}

/// Bytes per event of one of the library's rows.
inline double event_bytes(const variant& row) {
  constexpr unsigned few = 1, many = 9;  // even 3 records an event fit the ring
  const double events = 8.0 * (many - few) * steps_per_trip * row.events_per_step;
  const double bytes = (dump_bytes(row, many) - dump_bytes(row, few)) / events;
  if (bytes <= 0) throw std::runtime_error(std::string(row.name) + ": its events are not in the dump");
  return bytes;
}

}  // namespace event_cost
