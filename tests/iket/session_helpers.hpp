// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What tests of a session over the fake CUDA runtime share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <iket/error.hpp>
#include <iket/launch.hpp>
#include <iket/session.hpp>

#include "catch.hpp"
#include "fake_cuda.hpp"
#include "read_back.hpp"
#include "scratch_folder.hpp"
#include "session_life.hpp"
#include "traced_kernel.hpp"

inline iket::session_options small() {
  iket::session_options options;
  options.memory_limit = std::size_t{1} << 20;
  options.records_per_warp = 16;
  options.calibrate = options.host_clock = false;
  return options;
}

inline iket::session_options on_host() {
  iket::session_options options = small();
  options.storage = iket::storage::host;
  return options;
}

/// A stream of the program.
struct own_stream {
  own_stream() { (void)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  ~own_stream() { destroy(); }
  void destroy() {
    if (stream != nullptr) (void)cudaStreamDestroy(stream);
    stream = nullptr;
  }
  cudaStream_t stream = nullptr;
};

constexpr iket::detail::u32 warps = 2, marks = 3;

/// A launch of one CTA, into `stream` where one is named.
inline void launch(iket::session& session, const std::string& name, std::optional<cudaStream_t> stream = std::nullopt) {
  iket::trace_options options;
  options.stream = stream;
  const iket::tracer tracer = session.trace(name, 1, 32 * warps, options);
  fake_cuda::launch(stream.value_or(nullptr), [tracer] { traced::run(tracer, marks); });
}

/// A launch of `iket::launch` whose warps record and close, and which then hangs.
inline void launch_and_hang(iket::session& session, const std::string& name) {
  fake_cuda::set_hanging(true);
  iket::launch(session, name, config_in(nullptr, 1, 32 * warps), marking_kernel, marks);
  fake_cuda::set_hanging(false);
}

inline std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const iket::error& error) {
    return error.what();
  }
  return "";
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Names of the launches in a file, with a ? where records are missing.
inline std::string launches_in(const std::string& path) {
  const read_back file(content_of(path));
  std::string names = file.is_whole ? "" : "not whole: ";
  for (const auto& [id, launch] : file.launches)
    names += launch.name + (launch.records == warps * marks ? "" : "?") + " ";
  return names;
}

/// Whether a call of that name was made since `fake_cuda::fail_no_call`.
inline bool was_called(const std::string& name) {
  const std::vector<std::string> calls = fake_cuda::calls();
  return std::find(calls.begin(), calls.end(), name) != calls.end();
}

/// Waits until some thread has called that function since `fake_cuda::fail_no_call`.
inline void wait_for_call(const std::string& name) {
  while (!was_called(name)) std::this_thread::yield();
}

/// A thread of the program that copies from the device, and has the driver's lock until all kernels of the legacy
/// default stream have ended; from its making on. `end` waits for it.
class copying_thread {
 public:
  copying_thread() {
    fake_cuda::fail_no_call();
    thread_ = std::thread([this] { (void)cudaMemcpy(&word_, from_, sizeof(word_), cudaMemcpyDeviceToHost); });
    wait_for_call("cudaMemcpy");
  }
  copying_thread(const copying_thread&) = delete;
  copying_thread& operator=(const copying_thread&) = delete;
  ~copying_thread() { end(); }
  void end() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  int word_ = 0;
  const void* from_ = &traced::site;
  std::thread thread_;
};

/// A test begins and ends with nothing of CUDA's.
struct clean_device {
  clean_device() {
    traced::define_site();
    define_marking_kernel();
    fake_cuda::fail_no_call();
    fake_cuda::reset_device();
    (void)cudaGetLastError();
  }
  clean_device(const clean_device&) = delete;
  clean_device& operator=(const clean_device&) = delete;
  ~clean_device() {
    CHECK(fake_cuda::live_objects() == 0);
    CHECK(fake_cuda::violations().empty());
  }
};
