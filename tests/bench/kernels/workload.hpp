// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A kernel with its data, ready to be launched again and again: what the bench sees of it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <iket/tracer.hpp>

namespace bench {

/// One variant of a kernel on its data, which lies in a `device_pool`. Results do not depend on earlier launches.
class workload {
 public:
  workload() = default;
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;
  virtual ~workload() = default;

  [[nodiscard]] virtual dim3 grid() const = 0;
  [[nodiscard]] virtual dim3 block() const = 0;

  /// A ring of this capacity keeps all that a warp of this kernel records. [records]
  [[nodiscard]] virtual std::uint32_t records_per_warp() const = 0;

  /// Asynchronous, in the default stream. A tracer must be made for `grid()` and `block()`; the default one is inert.
  virtual void launch(iket::tracer tracer) = 0;

  /// Overwrites the results, so that one that nobody writes is seen.
  virtual void poison() = 0;

  /// Waits for the device. True if every result of the last launch is right.
  [[nodiscard]] virtual bool is_right() = 0;
};

}  // namespace bench
