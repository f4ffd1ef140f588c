// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A CUDA runtime for tests, with no GPU behind it: link fake_cuda.cpp and fake_driver.cpp in its place. "Device"
/// memory is the host's; kernels are functions that run when somebody waits for their stream, so that who does not wait
/// sees nothing of them. Any call can be told to fail, and what was made and not given back is known.
///
/// As in the driver, a thread that waits for a kernel inside cudaMemcpy, cudaFree, cudaFreeHost, or in a launch that
/// finds the queue full, has a lock: copies, memsets, allocations and launches of other threads wait for it. Questions
/// do not.
///
/// Where CUDA leaves open what happens (a pointer freed twice, a handle of a context that has ended), the fake notes
/// it. Functions may be called from several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace fake_cuda {

/// Lets call number `call` fail with `status`, counted from now on and from 0; it does nothing then, but for those that
/// give something back, which do so all the same. If `is_sticky`, all later calls fail as well, as after a failed
/// kernel.
void fail_call(std::size_t call, cudaError_t status, bool is_sticky = false);
/// No call fails any more.
void fail_no_call();
/// Names of the calls since `fail_call` or `fail_no_call`. Those that only tell of errors are no calls.
std::vector<std::string> calls();

/// A kernel as `<<<>>>` launches it.
void launch(cudaStream_t stream, std::function<void()> kernel);
/// A kernel that fails when it has done `kernel`: the process's CUDA is of no use from then on, until `reset_device`.
void launch_failing(
    cudaStream_t stream, std::function<void()> kernel = [] {});
/// A kernel that does `kernel` and then hangs, until `end_hanging`: who waits for it waits, and others may go on.
void launch_hanging(cudaStream_t stream, std::function<void()> kernel);
/// Kernels that `define_kernel` tells of hang from now on, or do not.
void set_hanging(bool do_kernels_hang);
/// A launch of `cudaLaunchKernelExC` returns only when its stream has nothing to do any more, or does not wait.
void set_queue_full(bool is_queue_full);
/// All kernels that hang end.
void end_hanging();
/// Lets time pass on the device: it does what there is to do, up to kernels that hang.
void advance();
/// How `cudaLaunchKernelExC` finds `kernel`: `bind` copies what the arguments are and returns what is to be run.
void define_kernel(const void* kernel, std::function<std::function<void()>(void** arguments)> bind);
/// A variable of the device, which may be copied from.
void define_variable(const void* address, std::size_t bytes);
/// Pinned memory is of the kind that moves between host and device from now on, or is not.
void set_managed(bool is_pinned_memory_managed);

/// Whether this thread is in a call. A C function throws nothing, so that a test which lets memory run out has to spare
/// it.
bool is_inside();

/// Whether a device has a context: some call made it, since `reset_device`.
bool has_context(int device);

/// As cudaDeviceReset: all that was made is gone.
void reset_device();
/// Says of a stream whether it is being captured.
void set_captured(cudaStream_t stream, bool is_captured);

/// Memory, streams and events that were made and not given back, of the present context.
std::size_t live_objects();
/// What a CUDA runtime may have answered with anything at all.
std::vector<std::string> violations();

}  // namespace fake_cuda
