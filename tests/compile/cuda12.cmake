# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# The oldest supported CUDA, from PyPI packages (./run setup). These carry no nvcc, but all there is to hold the
# library's two halves to that version: its NVRTC for device code, its runtime's headers for host code.

file(GLOB cuda12 ${IKET_PYPI_ENV}/lib/python3*/site-packages/nvidia)
find_library(
  IKET_CUDA12_NVRTC
  NAMES libnvrtc.so.12
  PATHS ${cuda12}/cuda_nvrtc/lib
  NO_DEFAULT_PATH)
if(NOT IKET_CUDA12_NVRTC)
  iket_left_out("tests with CUDA 12" "not in ${IKET_PYPI_ENV}; ./run setup puts it there")
  return()
endif()

iket_add_nvrtc_tests(
  cuda12_nvrtc ${IKET_CUDA12_NVRTC}
  STANDARDS 17 20
  ARCHITECTURES 70 75 80 90a)

iket_write_header_units(units cuda12 cpp ${iket_headers})
add_library(headers_cuda12 OBJECT ${units})
target_include_directories(headers_cuda12 PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_include_directories(headers_cuda12 SYSTEM PRIVATE ${cuda12}/cuda_runtime/include ${cuda12}/cuda_nvcc/include)
target_compile_features(headers_cuda12 PRIVATE cxx_std_17)
target_link_libraries(headers_cuda12 PRIVATE iket_warnings)
