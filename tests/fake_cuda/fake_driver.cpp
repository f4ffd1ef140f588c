// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The functions of the driver that the library looks up, and the two kernels that it loads through them.
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <iket/detail/calibration_ptx.hpp>
#include <iket/detail/host_clock_ptx.hpp>

#include "fake_state.hpp"

namespace fake_cuda {
namespace {

using iket::detail::calibration_measurements;
using iket::detail::host_clock_mailbox;

enum class kernel_kind : std::uintptr_t { calibration = 1, host_clock = 2 };

/// A GPU on which an event costs some cycles, with a timer that steps every 32 ns and a clock of 2 GHz.
void calibrate(calibration_measurements& measured) {
  std::memset(&measured, 0, sizeof(measured));
  for (calibration_measurements::round& round : measured.rounds)
    for (unsigned warp = 0; warp < iket::detail::calibration_warps; ++warp) {
      round.plain_cycles[warp] = 16000;
      round.arithmetic_cycles[warp] = 16640;
      round.burst_cycles[warp] = 10240;
    }
  measured.last_ns = 32000;
  measured.last_cycles = 64000;
  measured.step_ns = 32;
  measured.steps = 1000;
}

std::uint64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// Answers until the last round, the host's word, or 10 ms without a question.
void answer(host_clock_mailbox& mailbox) {
  for (std::uint32_t round = 1; round <= iket::detail::host_clock_rounds; ++round) {
    const std::uint64_t since = now_ns();
    for (std::uint32_t asked = 0; asked != round; asked = mailbox.question.load())
      if (asked == iket::detail::host_clock_cancel || now_ns() - since > 10'000'000) return;
    mailbox.answers[round - 1].store(now_ns());
  }
}

int load(void** library, const void*, void*, void**, unsigned, void*, void**, unsigned) {
  return driver_call("cuLibraryLoadData", [&](machine& of) {
    *library = of.new_handle<void*>();
    return cudaSuccess;
  });
}

int get_kernel(void** kernel, void*, const char* name) {
  return driver_call("cuLibraryGetKernel", [&](machine&) {
    const kernel_kind kind =
        std::strcmp(name, "iket_calibration") == 0 ? kernel_kind::calibration : kernel_kind::host_clock;
    *kernel = reinterpret_cast<void*>(kind);
    return cudaSuccess;
  });
}

int launch_kernel(void* kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void* stream,
                  void** arguments, void**) {
  return driver_call("cuLaunchKernel", [&](machine& of) {
    stream_state* const state = of.find(static_cast<cudaStream_t>(stream));
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    const std::uintptr_t memory = *static_cast<std::uintptr_t*>(arguments[0]);
    if (reinterpret_cast<std::uintptr_t>(kernel) == static_cast<std::uintptr_t>(kernel_kind::calibration)) {
      of.add(*state, [memory] { calibrate(*reinterpret_cast<calibration_measurements*>(memory)); });
    } else {
      of.finish(*state);
      state->beside =
          std::make_unique<device_thread>([memory] { answer(*reinterpret_cast<host_clock_mailbox*>(memory)); });
    }
    return cudaSuccess;
  });
}

int query(void* stream) {
  return driver_call("cuStreamQuery", [&](machine& of) {
    if (context_of_thread() == no_device) return cudaErrorDeviceUninitialized;
    stream_state* const state = of.find(static_cast<cudaStream_t>(stream));
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    if (state->is_captured) of.violations.emplace_back("a stream asked that is being captured");
    if (state->beside != nullptr && !state->beside->is_done) return cudaErrorNotReady;
    if (!of.advance(*state)) return cudaErrorNotReady;
    state->beside.reset();
    return of.broken;
  });
}

int query_event(void* event) {
  return driver_call("cuEventQuery", [&](machine& of) {
    if (context_of_thread() == no_device) return cudaErrorDeviceUninitialized;
    const auto at = of.events.find(static_cast<cudaEvent_t>(event));
    if (at == of.events.end()) return cudaErrorInvalidResourceHandle;
    stream_state* const state = of.find(at->second.stream);
    (void)of.advance(state != nullptr ? *state : of.streams[nullptr]);
    if (of.broken != cudaSuccess) return of.broken;
    return at->second.is_recorded && !at->second.is_reached ? cudaErrorNotReady : cudaSuccess;
  });
}

int current_context(void** context) {
  return driver_call("cuCtxGetCurrent", [&](machine& of) {
    // A device's context keeps its handle when it ends and is made anew.
    *context = context_of_thread() != no_device ? &of.contexts[context_of_thread()] : nullptr;
    return cudaSuccess;
  });
}

/// What was current when this thread pushed.
std::vector<int>& pushed() {
  static thread_local std::vector<int> below;
  return below;
}

int push_context(void* context) {
  return driver_call("cuCtxPushCurrent", [&](machine& of) {
    for (int device = 0; device < machine::device_count; ++device) {
      if (context != &of.contexts[device]) continue;
      pushed().push_back(std::exchange(context_of_thread(), device));
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

int pop_context(void** context) {
  return driver_call("cuCtxPopCurrent", [&](machine& of) {
    if (pushed().empty()) return cudaErrorInvalidValue;
    *context = &of.contexts[context_of_thread()];
    context_of_thread() = pushed().back();
    pushed().pop_back();
    return cudaSuccess;
  });
}

int context_number(void*, unsigned long long* number) {
  return driver_call("cuCtxGetId", [&](machine& of) {
    *number = of.context;
    return cudaSuccess;
  });
}

}  // namespace

void* driver_entry(const std::string& name) {
  if (name == "cuLibraryLoadData") return reinterpret_cast<void*>(&load);
  if (name == "cuLibraryGetKernel") return reinterpret_cast<void*>(&get_kernel);
  if (name == "cuLaunchKernel") return reinterpret_cast<void*>(&launch_kernel);
  if (name == "cuStreamQuery") return reinterpret_cast<void*>(&query);
  if (name == "cuEventQuery") return reinterpret_cast<void*>(&query_event);
  if (name == "cuCtxPushCurrent") return reinterpret_cast<void*>(&push_context);
  if (name == "cuCtxPopCurrent") return reinterpret_cast<void*>(&pop_context);
  if (name == "cuCtxGetCurrent") return reinterpret_cast<void*>(&current_context);
  if (name == "cuCtxGetId") return reinterpret_cast<void*>(&context_number);
  return nullptr;
}

}  // namespace fake_cuda
