// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a CUDA error says about the program, apart from the call that happened to return it.
#pragma once

#include <cuda_runtime_api.h>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// What to do about an error that comes from elsewhere than the call that returned it; nullptr for others, about which
/// the caller knows more. Numbers, where the oldest supported CUDA has no name for them.
[[nodiscard]] inline const char* cuda_advice(cudaError_t status) noexcept {
  switch (static_cast<int>(status)) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case 721:  // cudaErrorTensorMemoryLeak
      return "A kernel of the program failed, this one or one before it: from then on CUDA calls of the process "
             "return this error, IKET's as well. compute-sanitizer finds the place. What the session has drained can "
             "still be written; what it has not is lost, but with iket::storage::host";
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case 226:  // cudaErrorContained
      return "The GPU reports a fault of its hardware, to every CUDA call of the process from then on. What the "
             "session has drained can still be written; what it has not is lost, but with iket::storage::host";
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorStreamCaptureWrongThread:
      return "A stream is being captured, which forbids this call: drain outside of captures, and name the streams of "
             "launches (iket::trace_options::stream and replay_stream), so that a drain need not wait for the device";
    case cudaErrorInvalidResourceHandle:
    case cudaErrorContextIsDestroyed:
    case cudaErrorDeviceUninitialized:
      return "A stream or a context was destroyed too early, or another context is current than the one in which the "
             "session was made. A stream that was named for a launch has to live until the drain, a context as long as "
             "its sessions";
    case cudaErrorInitializationError:
      return "CUDA does not work in a process that was forked from one that uses it: trace where the session was made";
    default:
      return nullptr;
  }
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
