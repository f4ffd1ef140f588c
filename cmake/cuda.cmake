# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# Enables the CUDA language where nvcc works, and sets iket_has_nvcc; and iket_runs_kernels, where what needs a GPU to
# run is to be built. Nothing here is needed to use the library.

include(CheckLanguage)

set(iket_has_nvcc OFF)
if(IKET_USE_CUDA)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # One binary for Ampere and Ada, whose PTX every newer GPU can take; one for Hopper, whose wgmma is in no PTX that
    # other GPUs could take.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES
          80 90a-real
          CACHE STRING "GPU architectures of examples, tests and benchmarks")
    endif()
    enable_language(CUDA)
    set(iket_has_nvcc ON)
  else()
    iket_left_out("examples, benchmarks and tests of device code" "no working nvcc")
  endif()
else()
  iket_left_out("examples, benchmarks and tests of device code" "IKET_USE_CUDA is off")
endif()

set(iket_runs_kernels ${iket_has_nvcc})
if(iket_has_nvcc AND IKET_BUILD_GPU_PROGRAMS STREQUAL AUTO)
  # What the driver makes; it need not answer. /dev/dxg is WSL's.
  if(NOT EXISTS /dev/nvidiactl AND NOT EXISTS /dev/dxg)
    set(iket_runs_kernels OFF)
    iket_left_out("tests and benchmarks that need a GPU"
                  "no NVIDIA driver here; -DIKET_BUILD_GPU_PROGRAMS=ON builds them")
  endif()
elseif(NOT IKET_BUILD_GPU_PROGRAMS)
  set(iket_runs_kernels OFF)
  iket_left_out("tests and benchmarks that need a GPU" "IKET_BUILD_GPU_PROGRAMS is off")
endif()
