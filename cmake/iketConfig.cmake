# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# What find_package(iket) reads.

include(${CMAKE_CURRENT_LIST_DIR}/iketTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/iketCudaRuntime.cmake)
iket_add_cuda_runtime(iket::iket)
