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
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <iket/config.hpp>
#include <iket/detail/cuda_check.hpp>
#include <iket/detail/device_memory.hpp>
#include <iket/detail/drain.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/trace_serializer.hpp>
#include <iket/detail/whole_file.hpp>
#include <iket/error.hpp>
#include <iket/tracer.hpp>

namespace iket {
inline namespace IKET_DETAIL_ABI {

/// What a session is made with.
struct session_options {
  /// Device memory that the constructor reserves [bytes], for all launches until the next drain. Default 256 MiB.
  std::size_t memory_limit = std::size_t{256} << 20;
  /// Capacity of a warp's ring [records of 8 bytes], rounded up to a power of two; when it is full, the newest records
  /// replace the oldest and the report says how many were lost. At least 1, at most 2^27. Default 1024.
  std::uint32_t records_per_warp = 1024;
};

/// What to do with a launch that needs more memory than is left.
enum class over_limit {
  sample,  ///< trace an evenly spaced subset of its CTAs; the report says which part
  fail,    ///< throw `iket::error` that names the bytes
};

/// What one launch is traced with.
struct trace_options {
  /// The stream that the launch goes to. `drain` then waits for that stream alone; where a launch names none, for the
  /// whole device. The stream must live until the drain, and cudaStreamPerThread must be drained by its own thread.
  std::optional<cudaStream_t> stream;
  /// Capacity of a warp's ring for this launch; the session's where empty.
  std::optional<std::uint32_t> records_per_warp;
  /// What to do if the launch needs more memory than is left.
  iket::over_limit when_over_limit = iket::over_limit::sample;
};

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
    (void)checked_capacity(options_.records_per_warp);
    device_.info.id = 0;
    device_.name = "none: compiled out";
    if constexpr (IKET_ENABLED != 0) {
      const detail::own_errors errors;
      detail::cuda_check(cudaGetDevice(&device_number_), "asking for the current device",
                         "Tracing needs a CUDA device and its driver");
      describe_device();
      memory_ = std::make_unique<detail::device_memory>(options_.memory_limit);
    }
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// Frees the memory; cudaFree waits for kernels that may still write into it. Throws nothing.
  ~session() {
    if (memory_ == nullptr) return;
    try {
      const detail::device_scope scope(device_number_);
      memory_.reset();
    } catch (const error&) {
      memory_.reset();  // the context is gone and has taken the memory along
    }
  }

  /// Reserves rings and returns the tracer for the next launch of a kernel; pass it to that one launch, before the next
  /// drain. Makes no CUDA call, so it is safe at any time; costs about a microsecond.
  ///
  /// A launch with another grid or block than announced here records nothing, which the report says.
  /// @param name the kernel's name in the report
  /// @throws iket::error if a dimension is 0, the grid has 2^31 CTAs or more, the block is larger than 1024 threads,
  ///   `records_per_warp` is 0 or too large, or memory is short and the options say `over_limit::fail`.
  [[nodiscard]] tracer trace(std::string name, dim3 grid, dim3 block, const trace_options& options = {}) {
    const std::uint64_t ctas = checked_count(grid, (std::uint64_t{1} << 31) - 1, "grid");
    const std::uint64_t threads = checked_count(block, 1024, "block");
    const std::uint32_t capacity = checked_capacity(options.records_per_warp.value_or(options_.records_per_warp));

    detail::pending_launch launch;
    launch.content.name = std::move(name);
    file::launch_info& info = launch.content.info;
    set_dimensions(info.grid, grid);
    set_dimensions(info.block, block);
    info.warps_per_cta = static_cast<detail::u32>((threads + 31) / 32);
    info.records_per_warp = capacity;
    info.cta_stride = 1;
    info.bytes_limit = options_.memory_limit;
    info.host_time_ns = static_cast<detail::u64>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count());

    const std::lock_guard lock(mutex_);
    info.id = next_launch_++;
    if constexpr (IKET_ENABLED != 0)
      reserve(launch, static_cast<detail::u32>(ctas), options.when_over_limit);
    else
      info.flags |= file::launch_compiled_out;
    if (options.stream.has_value())
      streams_.push_back(*options.stream);
    else
      wait_for_device_ = true;
    pending_.push_back(std::move(launch));
    return pending_.back().tracer;
  }

  /// Waits for the traced launches, copies what they wrote to the host and frees the trace memory for reuse. Tracers
  /// handed out before are used up, also those of other threads: a launch with one of them would write into memory that
  /// is somebody else's by then. A `trace` of another thread waits until the drain is done. Waits for the streams that
  /// were named, else for the device.
  /// @throws iket::error if a traced kernel failed, or a copy did; what was not drained stays to be drained.
  void drain() {
    const std::lock_guard lock(mutex_);
    drain_locked();
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
    detail::whole_file file(path);
    detail::serialize_trace(drained_, file);
    file.commit();
    drained_ = {};
  }

  [[nodiscard]] static std::uint32_t checked_capacity(std::uint32_t records_per_warp) {
    constexpr std::uint32_t most = std::uint32_t{1} << 27;  // CUDA copies rows less than 2^31 bytes apart
    if (records_per_warp == 0 || records_per_warp > most)
      throw error("iket: records_per_warp is " + std::to_string(records_per_warp) + ", but must be from 1 to " +
                  std::to_string(most));
    std::uint32_t capacity = 1;
    while (capacity < records_per_warp) capacity *= 2;
    return capacity;
  }

  [[nodiscard]] static std::uint64_t checked_count(const dim3& size, std::uint64_t most, const char* what) {
    const auto fail = [&](const char* reason) {
      throw error(std::string("iket: the ") + what + " given to trace() is " + std::to_string(size.x) + "x" +
                  std::to_string(size.y) + "x" + std::to_string(size.z) + ", which " + reason);
    };
    if (size.x == 0 || size.y == 0 || size.z == 0) fail("is empty");
    if (size.x > most || size.y > most / size.x || size.z > most / size.x / size.y) fail("is more than can be traced");
    return std::uint64_t{size.x} * size.y * size.z;
  }

  static void set_dimensions(detail::u32 (&to)[3], const dim3& from) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
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

  // Takes memory for as many CTAs as there is room for, evenly spaced, and makes the tracer.
  void reserve(detail::pending_launch& launch, detail::u32 ctas, iket::over_limit when_over_limit) {
    file::launch_info& info = launch.content.info;
    const std::size_t head_bytes = sizeof(detail::refusals);
    const std::size_t cta_bytes = detail::slot_bytes(info.records_per_warp) * info.warps_per_cta;
    const auto launch_bytes = [&](std::size_t count) {
      return detail::device_memory::round_up(head_bytes) + detail::device_memory::round_up(count * cta_bytes);
    };
    const bool countable = ctas <= (std::size_t{1} << 62) / cta_bytes;
    info.bytes_needed = countable ? launch_bytes(ctas) : ~detail::u64{0};
    info.ctas_traced = ctas;
    if (info.bytes_needed > memory_->available()) {
      if (when_over_limit == iket::over_limit::fail)
        throw error("iket: tracing '" + launch.content.name + "' needs " + std::to_string(info.bytes_needed) +
                    " bytes, but of the session's memory_limit of " + std::to_string(options_.memory_limit) +
                    " bytes only " + std::to_string(memory_->available()) +
                    " are free. Raise the limit, lower records_per_warp, or drain earlier launches first");
      info.flags |= file::launch_over_limit;
      const std::size_t room = memory_->available() - std::min(memory_->available(), launch_bytes(0) + 128);
      const auto fitting = static_cast<detail::u32>(std::min<std::size_t>(room / cta_bytes, ctas));
      info.cta_stride = fitting == 0 ? 1 : (ctas + fitting - 1) / fitting;
      info.ctas_traced = fitting == 0 ? 0 : (ctas + info.cta_stride - 1) / info.cta_stride;
    }
    if (info.ctas_traced == 0) return;

    tracer& made = launch.tracer;
    made.refusals = memory_->take(head_bytes);
    made.first_slot = memory_->take(info.ctas_traced * cta_bytes);
    std::copy_n(info.grid, 3, made.grid);
    std::copy_n(info.block, 3, made.block);
    made.warps_per_cta = info.warps_per_cta;
    made.record_mask = info.records_per_warp - 1;
    made.cta_stride = detail::make_divisor(info.cta_stride);
  }

  void drain_locked() {
    if (pending_.empty()) return;
    detail::site_table_content table;
    table.id = next_site_table_++;
    if constexpr (IKET_ENABLED != 0) {
      const detail::own_errors errors;
      const detail::device_scope scope(device_number_);
      wait_for_launches();
      for (detail::pending_launch& launch : pending_) detail::drain_launch(*memory_, launch);
      table.sites = detail::read_sites(*memory_, pending_);
      memory_->recycle();
    }
    for (detail::pending_launch& launch : pending_) {
      launch.content.info.sites = table.id;
      drained_.launches.push_back(std::move(launch.content));
    }
    drained_.site_tables.push_back(std::move(table));
    pending_.clear();
    streams_.clear();
    wait_for_device_ = false;
  }

  void wait_for_launches() {
    const char* const advice = "The error is that of the program's own work: of a traced kernel, or of one before it";
    if (wait_for_device_) {
      detail::cuda_check(cudaDeviceSynchronize(), "waiting for the traced launches", advice);
      return;
    }
    std::sort(streams_.begin(), streams_.end());
    streams_.erase(std::unique(streams_.begin(), streams_.end()), streams_.end());
    for (cudaStream_t stream : streams_)
      detail::cuda_check(cudaStreamSynchronize(stream), "waiting for the traced launches", advice);
  }

  session_options options_;
  int device_number_ = 0;
  detail::device_content device_;
  std::unique_ptr<detail::device_memory> memory_;
  std::mutex mutex_;  // guards all below
  detail::u32 next_launch_ = 0;
  detail::u32 next_site_table_ = 0;
  bool wait_for_device_ = false;
  std::vector<cudaStream_t> streams_;
  std::vector<detail::pending_launch> pending_;
  detail::trace_content drained_;
};

}  // namespace IKET_DETAIL_ABI
}  // namespace iket
