// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "fake_cuda.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "fake_state.hpp"
#include "high_memory.hpp"

namespace fake_cuda {

machine& the_machine() {
  static machine one;
  return one;
}

cudaError_t& last_error() {
  static thread_local cudaError_t status = cudaSuccess;
  return status;
}

int& context_of_thread() {
  static thread_local int device = no_device;
  return device;
}

namespace {

int& current_device() {
  static thread_local int device = 0;
  return device;
}

cudaStreamCaptureMode& capture_mode() {
  static thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

int& calls_deep() {
  static thread_local int depth = 0;
  return depth;
}

}  // namespace

inside_scope::inside_scope() { ++calls_deep(); }
inside_scope::~inside_scope() { --calls_deep(); }
bool is_inside() { return calls_deep() != 0; }

namespace {

/// As the runtime does in a thread without a context: it makes one on the device that the thread would use.
void make_context(machine& of) {
  if (context_of_thread() == no_device) context_of_thread() = current_device();
  of.contexts[context_of_thread()].is_made = true;
}

}  // namespace

cudaError_t verdict(machine& of, const char* name) {
  // However often the host asks until a kernel has ended, it is one call: others have the same numbers in every run.
  if (!of.calls.empty() && of.calls.back() == "cuStreamQuery" && of.calls.back() == name) return of.broken;
  const std::size_t number = of.calls.size();
  of.calls.emplace_back(name);
  if (number == of.failing_call || (number > of.failing_call && of.fails_for_ever)) return of.failing_status;
  // These ask nothing of the device.
  for (const char* const asks_nothing :
       {"cudaGetDevice", "cudaThreadExchangeStreamCaptureMode", "cudaGetDriverEntryPoint"})
    if (of.calls.back() == asks_nothing) return cudaSuccess;
  if (of.calls.back().rfind("cuda", 0) == 0 && of.calls.back() != "cudaSetDevice") make_context(of);
  return of.broken;
}

stream_state* machine::find(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamPerThread) return &streams[stream];
  const auto at = streams.find(stream);
  return at == streams.end() ? nullptr : &at->second;
}

bool machine::advance(stream_state& stream) {
  while (!stream.waiting.empty() && broken == cudaSuccess) {
    if (const std::function<void()> run = std::exchange(stream.waiting.front().run, nullptr); run) run();
    if (stream.waiting.front().hangs) return false;
    stream.waiting.pop_front();
  }
  stream.waiting.clear();
  return true;
}

void machine::finish(stream_state& stream) {
  while (!advance(stream)) changed.wait(mutex);
  stream.beside.reset();
}

void machine::finish_locked(stream_state& stream) {
  lock_holder = std::this_thread::get_id();
  finish(stream);
  lock_holder = {};
  changed.notify_all();
}

void machine::wait_for_lock(const char* name) {
  static const std::set<std::string> behind_lock = {
      "cudaMemcpy",   "cudaMemcpyAsync", "cudaMemcpy2DAsync", "cudaMemsetAsync",     "cudaMalloc",    "cudaFree",
      "cudaFreeHost", "cudaHostAlloc",   "cuLibraryLoadData", "cudaLaunchKernelExC", "cuLaunchKernel"};
  if (behind_lock.count(name) == 0) return;
  while (lock_holder != std::thread::id()) changed.wait(mutex);
}

bool machine::is_device_memory(const void* address, std::size_t bytes) const {
  const auto is_within = [&](const std::map<const void*, std::size_t>& pieces) {
    auto at = pieces.upper_bound(address);
    if (at == pieces.begin()) return false;
    --at;
    const auto offset =
        static_cast<std::size_t>(static_cast<const char*>(address) - static_cast<const char*>(at->first));
    return offset <= at->second && bytes <= at->second - offset;
  };
  return is_within(memory) || is_within(variables);
}

bool machine::is_capturing() const {
  return std::any_of(streams.begin(), streams.end(), [](const auto& stream) { return stream.second.is_captured; });
}

void fail_call(std::size_t number, cudaError_t status, bool is_sticky) {
  machine& of = the_machine();
  const std::lock_guard lock(of.mutex);
  of.calls.clear();
  of.failing_call = number;
  of.failing_status = status;
  of.fails_for_ever = is_sticky;
}

void fail_no_call() { fail_call(SIZE_MAX, cudaSuccess); }

std::vector<std::string> calls() {
  const std::lock_guard lock(the_machine().mutex);
  return the_machine().calls;
}

void launch(cudaStream_t stream, std::function<void()> kernel) {
  machine& of = the_machine();
  const std::lock_guard lock(of.mutex);
  if (stream_state* const at = of.find(stream); at != nullptr)
    of.add(*at, std::move(kernel));
  else
    of.violations.emplace_back("a launch into a stream that is gone");
}

void launch_failing(cudaStream_t stream, std::function<void()> kernel) {
  launch(stream, [kernel = std::move(kernel)] {
    kernel();
    the_machine().broken = cudaErrorIllegalAddress;
  });
}

void launch_hanging(cudaStream_t stream, std::function<void()> kernel) {
  machine& of = the_machine();
  const std::lock_guard lock(of.mutex);
  of.add(*of.find(stream), std::move(kernel), true);
}

void set_hanging(bool do_kernels_hang) {
  machine& of = the_machine();
  const std::lock_guard lock(of.mutex);
  of.do_kernels_hang = do_kernels_hang;
}

void set_queue_full(bool is_queue_full) {
  const std::lock_guard lock(the_machine().mutex);
  the_machine().is_queue_full = is_queue_full;
}

void end_hanging() {
  machine& of = the_machine();
  const std::lock_guard lock(of.mutex);
  for (auto& [stream, state] : of.streams)
    for (work& step : state.waiting) step.hangs = false;
  of.changed.notify_all();
}

void advance() {
  machine& of = the_machine();
  const std::lock_guard lock(of.mutex);
  for (auto& [stream, state] : of.streams) (void)of.advance(state);
}

bool has_context(int device) {
  const std::lock_guard lock(the_machine().mutex);
  return the_machine().contexts[device].is_made;
}

void set_managed(bool is_pinned_memory_managed) {
  const std::lock_guard lock(the_machine().mutex);
  the_machine().is_pinned_memory_managed = is_pinned_memory_managed;
}

void define_kernel(const void* kernel, std::function<std::function<void()>(void** arguments)> bind) {
  const std::lock_guard lock(the_machine().mutex);
  the_machine().kernels[kernel] = std::move(bind);
}

void define_variable(const void* address, std::size_t bytes) {
  const std::lock_guard lock(the_machine().mutex);
  the_machine().variables[address] = bytes;
}

void reset_device() {
  machine& of = the_machine();
  const std::lock_guard lock(of.mutex);
  for (const auto& [stream, state] : of.streams)
    if (stream != nullptr) of.streams_of_ended_contexts.insert(stream);
  of.streams.clear();  // and what still runs
  of.events.clear();
  for (const auto& [address, bytes] : of.memory) high_memory::give_back(const_cast<void*>(address), bytes);
  of.memory.clear();
  of.broken = cudaSuccess;
  of.do_kernels_hang = of.is_queue_full = false;
  for (auto& context : of.contexts) context.is_made = false;
  ++of.context;
}

void set_captured(cudaStream_t stream, bool is_captured) {
  machine& of = the_machine();
  const std::lock_guard lock(of.mutex);
  of.find(stream)->is_captured = is_captured;
}

std::size_t live_objects() {
  machine& of = the_machine();
  const std::lock_guard lock(of.mutex);
  return of.memory.size() + of.streams.size() - of.streams.count(nullptr) - of.streams.count(cudaStreamPerThread) +
         of.events.size();
}

std::vector<std::string> violations() {
  const std::lock_guard lock(the_machine().mutex);
  return the_machine().violations;
}

namespace {

/// What no thread may do while a stream is captured, unless it says that it knows what it does.
cudaError_t disturbs_captures(const machine& of) {
  return of.is_capturing() && capture_mode() != cudaStreamCaptureModeRelaxed ? cudaErrorStreamCaptureUnsupported
                                                                             : cudaSuccess;
}

cudaError_t allocate(machine& of, void** memory, std::size_t bytes) {
  if (const cudaError_t status = disturbs_captures(of); status != cudaSuccess) return status;
  *memory = bytes > std::size_t{1} << 40 ? nullptr : high_memory::take(bytes);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  of.memory[*memory] = bytes;
  return cudaSuccess;
}

cudaError_t give_back(machine& of, void* memory) {
  if (const cudaError_t status = disturbs_captures(of); status != cudaSuccess) return status;
  if (memory == nullptr) return cudaSuccess;
  for (auto& stream : of.streams) of.finish_locked(stream.second);
  const auto known = of.memory.find(memory);
  if (known == of.memory.end()) {
    of.violations.emplace_back("memory freed that is not there");
    return cudaErrorInvalidValue;
  }
  high_memory::give_back(memory, known->second);
  of.memory.erase(known);
  return cudaSuccess;
}

/// The stream of a call other than a wait.
stream_state* used(machine& of, cudaStream_t stream) {
  stream_state* const state = of.find(stream);
  if (state == nullptr) of.violations.emplace_back("a stream used that is gone");
  return state;
}

cudaError_t copy_row(machine& of, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                     cudaStream_t stream) {
  if (used(of, stream) == nullptr) return cudaErrorInvalidResourceHandle;
  if (!of.is_device_memory(kind == cudaMemcpyHostToDevice ? to : from, bytes)) return cudaErrorInvalidValue;
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t make_stream(machine& of, cudaStream_t* stream) {
  *stream = of.new_handle<cudaStream_t>();
  of.streams.try_emplace(*stream);
  return cudaSuccess;
}

}  // namespace
}  // namespace fake_cuda

using namespace fake_cuda;

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    default:
      return "cudaErrorOther";
  }
}
const char* cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "a description"; }
cudaError_t cudaGetLastError() { return std::exchange(last_error(), cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error(); }

cudaError_t cudaGetDevice(int* device) {
  return call("cudaGetDevice", [&](machine&) {
    *device = context_of_thread() != no_device ? context_of_thread() : current_device();
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", [&](machine&) {
    if (device < 0 || device >= machine::device_count) return cudaErrorInvalidValue;
    current_device() = context_of_thread() = device;
    make_context(the_machine());
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", [&](machine& of) {
    if (of.is_capturing()) return cudaErrorStreamCaptureUnsupported;
    for (auto& stream : of.streams) of.finish(stream.second);
    return of.broken;
  });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call("cudaGetDeviceProperties", [&](machine&) {
    *properties = {};
    std::strcpy(properties->name, device == 0 ? "Fake 0" : "Fake 1");
    std::strcpy(properties->uuid.bytes, "a UUID");
    properties->multiProcessorCount = 4;
    properties->major = 9;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  return call("cudaDeviceGetAttribute", [&](machine&) {
    *value = 1'980'000;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cudaDeviceGetStreamPriorityRange", [&](machine&) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
  });
}
#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** entry, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
#else
cudaError_t cudaGetDriverEntryPoint(const char* name, void** entry, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
#endif
  return call("cudaGetDriverEntryPoint", [&](machine&) {
    *entry = driver_entry(name);
    *result = *entry != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return call("cudaMalloc", [&](machine& of) {
    const cudaError_t status = allocate(of, memory, bytes);
    if (status == cudaSuccess) std::memset(*memory, 0xA5, bytes);  // not zero by itself
    return status;
  });
}
cudaError_t cudaFree(void* memory) {
  return call(
      "cudaFree", [&](machine& of) { return give_back(of, memory); }, true);
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return call("cudaHostAlloc", [&](machine& of) { return allocate(of, memory, bytes); });
}
cudaError_t cudaFreeHost(void* memory) {
  return call(
      "cudaFreeHost", [&](machine& of) { return give_back(of, memory); }, true);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call("cudaHostGetDevicePointer", [&](machine&) {
    *device = host;
    return cudaSuccess;
  });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void*) {
  return call("cudaPointerGetAttributes", [&](machine& of) {
    *attributes = {};
    attributes->type = of.is_pinned_memory_managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
    return cudaSuccess;
  });
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return call("cudaMemsetAsync", [&](machine& of) {
    if (used(of, stream) == nullptr) return cudaErrorInvalidResourceHandle;
    if (!of.is_device_memory(memory, bytes)) return cudaErrorInvalidValue;
    std::memset(memory, value, bytes);
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return call("cudaMemcpy", [&](machine& of) {
    of.finish_locked(*of.find(nullptr));
    return of.broken != cudaSuccess ? of.broken : copy_row(of, to, from, bytes, kind, nullptr);
  });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call("cudaMemcpyAsync", [&](machine& of) { return copy_row(of, to, from, bytes, kind, stream); });
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return call("cudaMemcpy2DAsync", [&](machine& of) {
    cudaError_t status = cudaSuccess;
    for (std::size_t row = 0; row < height && status == cudaSuccess; ++row)
      status = copy_row(of, static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                        width, kind, stream);
    return status;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return call("cudaStreamCreateWithFlags", [&](machine& of) { return make_stream(of, stream); });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return call("cudaStreamCreateWithPriority", [&](machine& of) { return make_stream(of, stream); });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call(
      "cudaStreamDestroy",
      [&](machine& of) {
        stream_state* const state = used(of, stream);
        if (state == nullptr) return cudaErrorInvalidResourceHandle;
        // Its work goes on: whoever waits for the device waits for it.
        for (work& step : state->waiting) of.streams[nullptr].waiting.push_back(std::move(step));
        of.streams.erase(stream);
        return cudaSuccess;
      },
      true);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call("cudaStreamSynchronize", [&](machine& of) {
    stream_state* const state = of.find(stream);
    if (of.streams_of_ended_contexts.count(stream) != 0)
      of.violations.emplace_back("a stream waited for whose context has ended");
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    of.finish(*state);
    return of.broken;
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call("cudaStreamIsCapturing", [&](machine& of) {
    const stream_state* const state = used(of, stream);
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    *status = state->is_captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call("cudaThreadExchangeStreamCaptureMode", [&](machine&) {
    std::swap(*mode, capture_mode());
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return call("cudaEventCreate", [&](machine& of) {
    *event = of.new_handle<cudaEvent_t>();
    of.events.try_emplace(*event);
    return cudaSuccess;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call(
      "cudaEventDestroy",
      [&](machine& of) {
        if (of.events.erase(event) != 0) return cudaSuccess;
        of.violations.emplace_back("an event destroyed that is gone");
        return cudaErrorInvalidResourceHandle;
      },
      true);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call("cudaEventRecord", [&](machine& of) {
    stream_state* const state = used(of, stream);
    if (state == nullptr || of.events.count(event) == 0) return cudaErrorInvalidResourceHandle;
    of.events[event] = {stream, true, false};
    of.add(*state, [event, &of] {
      if (const auto at = of.events.find(event); at != of.events.end()) at->second.is_reached = true;
    });
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", [&](machine& of) {
    const auto at = of.events.find(event);
    if (at == of.events.end()) return cudaErrorInvalidResourceHandle;
    stream_state* const state = of.find(at->second.stream);
    // Of a stream that is gone, the work is with the device's.
    if (at->second.is_recorded && !at->second.is_reached) of.finish(state != nullptr ? *state : of.streams[nullptr]);
    return of.broken;
  });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call("cudaEventElapsedTime", [&](machine& of) {
    if (of.events.count(begin) == 0 || of.events.count(end) == 0) return cudaErrorInvalidResourceHandle;
    if (!of.events[begin].is_reached || !of.events[end].is_reached) return cudaErrorNotReady;
    *milliseconds = 0.125F;
    return cudaSuccess;
  });
}

cudaError_t cudaProfilerStart() {
  return call("cudaProfilerStart", [](machine&) { return cudaSuccess; });
}
cudaError_t cudaProfilerStop() {
  return call("cudaProfilerStop", [](machine&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  return call("cudaFuncGetAttributes", [&](machine&) {
    *attributes = {};
    return cudaSuccess;
  });
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  return call("cudaLaunchKernelExC", [&](machine& of) {
    stream_state* const state = used(of, config->stream);
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    if (of.is_queue_full) of.finish_locked(*state);
    const auto bind = of.kernels.find(kernel);
    if (bind == of.kernels.end()) return cudaErrorInvalidValue;
    of.add(*state, bind->second(arguments), of.do_kernels_hang);
    return cudaSuccess;
  });
}

}  // extern "C"
