// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A session's whole life over the fake CUDA runtime, gone on with whatever fails on the way.
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <iket/error.hpp>
#include <iket/launch.hpp>
#include <iket/session.hpp>

#include "fake_cuda.hpp"
#include "read_back.hpp"
#include "scratch_folder.hpp"
#include "traced_kernel.hpp"

inline void marking_kernel(iket::detail::u32, iket::tracer) {}

/// Makes a launch of it leave so many marks in each traced warp as its first argument says.
inline void define_marking_kernel() {
  fake_cuda::define_kernel(reinterpret_cast<const void*>(&marking_kernel), [](void** arguments) {
    const auto count = *static_cast<iket::detail::u32*>(arguments[0]);
    const auto tracer = *static_cast<iket::tracer*>(arguments[1]);
    return [count, tracer] { traced::run(tracer, count); };
  });
}

inline cudaLaunchConfig_t config_in(cudaStream_t stream, unsigned ctas, unsigned threads) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(ctas);
  config.blockDim = dim3(threads);
  config.stream = stream;
  return config;
}

/// Whether the session is at work, and not the test.
inline bool is_in_step = false;

struct session_life {
  static constexpr unsigned ctas = 3, warps = 2, marks = 5;

  scratch_folder folder;
  std::optional<iket::session> session;
  std::vector<std::string> errors;   ///< what was thrown, in order
  std::size_t launched = 0;          ///< launches that happened
  std::size_t written = 0;           ///< files that were tried
  std::size_t calls_before_end = 0;  ///< of the session, until it is destroyed
  bool is_given_up = false;          ///< a step went wrong again and again

  session_life() {
    traced::define_site();
    fake_cuda::define_kernel(reinterpret_cast<const void*>(&marking_kernel), [this](void** arguments) {
      ++launched;
      const auto count = *static_cast<iket::detail::u32*>(arguments[0]);
      const auto tracer = *static_cast<iket::tracer*>(arguments[1]);
      return [count, tracer] { traced::run(tracer, count); };
    });
  }

  /// All of it; each step once more where it throws.
  void live(const iket::session_options& options, cudaStream_t stream) {
    iket::trace_options named, listed, replayed;
    named.stream = stream;
    listed.ctas = iket::ctas::list({0, 1, 2});
    replayed.regions = 2;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(ctas);
    config.blockDim = dim3(32 * warps);
    config.stream = stream;

    step([&] { session.emplace(options); });
    if (!session.has_value()) return;
    trace(named, stream);
    step([&] { iket::launch(*session, "timed", config, named, marking_kernel, marks); });
    trace(listed, nullptr);
    iket::tracer replayable;
    step([&] { replayable = session->trace("replayed", ctas, 32 * warps, replayed); });
    for (int i = 0; i < 2; ++i) launch(replayable, nullptr);
    step([&] { session->snapshot(folder / "snapshot"); });
    step([&] { session->drain(); });
    launch(replayable, nullptr);
    trace(named, stream);
    write();
    trace({}, nullptr);
    step([&] { session->end_replays(); });
    trace(named, stream);
    write();
    calls_before_end = fake_cuda::calls().size();
    step([&] { session.reset(); });
  }

  /// What the files say, one trace's after the other's.
  [[nodiscard]] std::vector<read_back> files() const {
    std::vector<read_back> all;
    for (std::size_t i = 0; i < written; ++i)
      if (const std::string text = content_of(path(i)); !text.empty()) all.emplace_back(text);
    return all;
  }

 private:
  [[nodiscard]] std::string path(std::size_t number) const {
    return folder / ("trace" + std::to_string(number) + ".bin");
  }

  template <class Step>
  void step(Step step) {
    for (int attempt = 0; attempt < 3; ++attempt) {
      try {
        is_in_step = true;
        step();
        is_in_step = false;
        return;
      } catch (const std::exception& failure) {
        is_in_step = false;
        errors.emplace_back(failure.what());
      }
    }
    is_given_up = true;
  }

  void launch(const iket::tracer& tracer, cudaStream_t stream) {
    is_in_step = false;
    fake_cuda::launch(stream, [tracer] { traced::run(tracer, marks); });
    ++launched;
  }

  void trace(const iket::trace_options& options, cudaStream_t stream) {
    step([&] { launch(session->trace("traced", ctas, 32 * warps, options), stream); });
  }

  // Each try to a file of its own: of a failed one there may be what was drained before.
  void write() {
    step([&] {
      is_in_step = false;
      const std::string to = path(written++);
      is_in_step = true;
      session->write(to);
    });
  }
};
