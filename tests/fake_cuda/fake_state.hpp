// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the fake CUDA runtime and driver share.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "fake_cuda.hpp"

namespace fake_cuda {

/// A kernel that runs beside the host, as the one that talks to it.
struct device_thread {
  template <class Body>
  explicit device_thread(Body body) : thread([this, body] { body(), is_done = true; }) {}
  device_thread(const device_thread&) = delete;
  device_thread& operator=(const device_thread&) = delete;
  ~device_thread() { thread.join(); }

  std::atomic<bool> is_done{false};
  std::thread thread;
};

/// Something that a stream has to do.
struct work {
  std::function<void()> run;
  bool hangs = false;  ///< does not end when it has run, until it is told to
};

struct stream_state {
  std::deque<work> waiting;  ///< until somebody waits for it or asks
  std::unique_ptr<device_thread> beside;
  bool is_captured = false;
};

struct event_state {
  cudaStream_t stream = nullptr;  ///< where it was recorded
  bool is_recorded = false;
  bool is_reached = false;
};

struct machine {
  std::recursive_mutex mutex;           ///< guards all of it
  std::condition_variable_any changed;  ///< a kernel does not hang any more, or the driver's lock is free

  std::vector<std::string> calls;
  std::size_t failing_call = SIZE_MAX;
  cudaError_t failing_status = cudaSuccess;
  bool fails_for_ever = false;
  cudaError_t broken = cudaSuccess;  ///< what a failed kernel left
  bool do_kernels_hang = false;
  bool is_queue_full = false;
  std::thread::id lock_holder;  ///< the thread whose call has the driver's lock; of no thread where it is free
  bool is_pinned_memory_managed = false;

  static constexpr int device_count = 2;
  struct {
    bool is_made = false;
  } contexts[device_count];             ///< their addresses are the handles
  unsigned long long context = 1;       ///< its number, of all of them
  std::uintptr_t last_handle = 0x1000;  ///< none comes twice
  std::map<const void*, std::size_t> memory, variables;
  std::map<cudaStream_t, stream_state> streams;
  std::map<cudaEvent_t, event_state> events;
  std::set<cudaStream_t> streams_of_ended_contexts;
  std::map<const void*, std::function<std::function<void()>(void**)>> kernels;
  std::vector<std::string> violations;

  /// Only added to a stream's work while it is there.
  stream_state* find(cudaStream_t stream);
  /// Does what waits in a stream, up to a kernel that hangs. Whether there is none.
  bool advance(stream_state& stream);
  /// Does all that waits in a stream. Waits where a kernel hangs: other threads' calls go on meanwhile.
  void finish(stream_state& stream);
  /// As `finish`, with the driver's lock, as a call that waits for the device within it.
  void finish_locked(stream_state& stream);
  /// Waits until no other thread has the driver's lock, if the call `name` needs it.
  void wait_for_lock(const char* name);
  void add(stream_state& stream, std::function<void()> run, bool hangs = false) {
    stream.waiting.push_back({std::move(run), hangs});
  }
  /// Whether all of it is of one piece of memory, or of one variable.
  [[nodiscard]] bool is_device_memory(const void* address, std::size_t bytes) const;
  [[nodiscard]] bool is_capturing() const;
  template <class Handle>
  [[nodiscard]] Handle new_handle() {
    return reinterpret_cast<Handle>(last_handle += 16);
  }
};

machine& the_machine();
cudaError_t& last_error();  ///< of this thread

/// The device whose context is current to this thread, or `no_device`: once it has called the runtime for something
/// that needs one, or pushed it. A device has one context.
int& context_of_thread();
constexpr int no_device = -1;

/// While there is one, its thread is in a call.
struct inside_scope {
  inside_scope();
  inside_scope(const inside_scope&) = delete;
  inside_scope& operator=(const inside_scope&) = delete;
  ~inside_scope();
};

/// Notes the call and says how it fails, if it is to.
cudaError_t verdict(machine& of, const char* name);

/// A call: `body(machine)` does it and returns its status.
template <class Body>
cudaError_t call(const char* name, Body body, bool gives_back = false) {
  const inside_scope inside;
  machine& of = the_machine();
  const std::lock_guard lock(of.mutex);
  cudaError_t status = verdict(of, name);
  of.wait_for_lock(name);
  if (status == cudaSuccess || gives_back) {
    const cudaError_t done = body(of);
    if (status == cudaSuccess) status = done;
  }
  if (status != cudaSuccess) last_error() = status;
  return status;
}

/// A call of the driver, which leaves the runtime's last error alone.
template <class Body>
int driver_call(const char* name, Body body) {
  const cudaError_t before = last_error();
  const cudaError_t status = call(name, body);
  last_error() = before;
  return status;
}

/// The driver's function of that name, or null.
void* driver_entry(const std::string& name);

}  // namespace fake_cuda
