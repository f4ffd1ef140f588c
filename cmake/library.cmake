# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# The header-only library, iket::iket.

include(GNUInstallDirs)

add_library(iket INTERFACE)
add_library(iket::iket ALIAS iket)
target_include_directories(iket INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(iket INTERFACE cxx_std_17)

include(${CMAKE_CURRENT_LIST_DIR}/iketCudaRuntime.cmake)
if(IKET_USE_CUDA)
  iket_add_cuda_runtime(iket)
endif()
