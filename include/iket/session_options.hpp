// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a session is made with, and what a launch is traced with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <iket/selection.hpp>

namespace iket {
inline namespace abi_1 {

/// Where warps write their records.
enum class storage {
  device,  ///< in the GPU's memory
  /// In pinned memory of the host, into which the GPU writes. Records are still there after a kernel of the program has
  /// failed (a trap, an assert, an illegal address), when nothing can be copied from the GPU any more, and can be read
  /// beside a kernel that hangs whatever the program's threads wait for. A kernel that records at its full rate is
  /// slowed down a lot by the way to the host (docs/host.md).
  host,
};

/// What a session is made with.
struct session_options {
  /// Memory that the constructor reserves [bytes], for all launches until the next drain: the device's, or with
  /// `storage::host` pinned memory of the host. Default 256 MiB.
  std::size_t memory_limit = std::size_t{256} << 20;
  /// Where that memory is.
  iket::storage storage = iket::storage::device;
  /// Capacity of a warp's ring [records of 8 bytes], rounded up to a power of two; when it is full, the newest records
  /// replace the oldest (with IKET_KEEP_FIRST, nothing is stored any more), and the report says how many were lost. At
  /// least 1, at most 2^27. Default 1024.
  std::uint32_t records_per_warp = 1024;
  /// Measure what an event costs on this GPU, its timer's tick and its clock, for the report's estimate of tracing's
  /// share. Takes some ten milliseconds, once, in the constructor. The first time in a process the driver loads a
  /// kernel for it, which waits until no other runs: make the session before kernels that do not end, or turn this off.
  bool calibrate = true;
  /// Compare the GPU's timer with the host's clock, in the constructor and at the end of every drain, so that launches
  /// get times of the host, to some microseconds, which the report states. Takes well below a millisecond each time, on
  /// a stream of the session's own, and 10 ms in vain where other kernels occupy the whole GPU. The first time in a
  /// process a kernel is loaded, as above.
  bool host_clock = true;
};

/// What to do with a launch that needs more memory than is left.
enum class over_limit {
  sample,  ///< trace an evenly spaced subset of the selected CTAs; the report says which part
  fail,    ///< throw `iket::error` that names the bytes
};

/// What one launch is traced with.
struct trace_options {
  /// The stream that the launch goes to. `drain` then waits for that stream alone; where a launch names none, for the
  /// whole device. The stream must live until the drain, and cudaStreamPerThread must be drained by its own thread; but
  /// a launch that `iket::launch` timed needs no stream any more.
  std::optional<cudaStream_t> stream;
  /// The stream into which the graph of a replayable tracer (see `regions`) will be launched, as `stream` for others.
  std::optional<cudaStream_t> replay_stream;
  /// Capacity of a warp's ring for this launch; the session's where empty.
  std::optional<std::uint32_t> records_per_warp;
  /// What to do if the launch needs more memory than is left.
  iket::over_limit when_over_limit = iket::over_limit::sample;
  /// The CTAs that are traced; see `iket::ctas`.
  cta_selection ctas;
  /// The warps of each that are traced, by a mask; see `iket::warps`.
  std::uint32_t warps = iket::warps::all;
  /// CTAs of a cluster, where the launch has clusters that shall be traced all or none. 1, 1, 1: CTAs count by
  /// themselves. `iket::launch` sets it.
  dim3 cluster = {1, 1, 1};
  /// How many launches the tracer is for: the next `regions` launches after it was handed out, and after each drain;
  /// further ones record nothing and are counted. Each takes the memory of one. A tracer for one launch by default, and
  /// a *replayable* one, for 8 launches, where `stream` is being captured: the graph's launches then are traced one by
  /// one. 1 asks for a replayable one, too.
  ///
  /// A replayable tracer stays good behind a drain, and its memory reserved until `session::end_replays`. A recorder
  /// costs one atomic addition more (docs/cost.md). Launches are told apart by how often each warp made one: a warp
  /// that makes none in a launch, or two, puts what it records later into other launches, which is noticed where those
  /// then seem to overlap, and reported. IKET_CHECKED does not find two recorders on a warp there.
  std::optional<std::uint32_t> regions;
  /// Whether `iket::launch` times the launch with CUDA events.
  bool timed = true;
};

}  // namespace abi_1
}  // namespace iket
