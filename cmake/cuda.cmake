# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# Enables the CUDA language where nvcc works, and sets iket_has_nvcc. Nothing here is needed to use the library.

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
