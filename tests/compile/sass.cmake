# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# Looks into what nvcc makes of a kernel.

file(GLOB pypi_bin ${IKET_PYPI_ENV}/lib/python3*/site-packages/nvidia/cu13/bin)
cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH cuda_bin)
find_program(IKET_NVDISASM nvdisasm HINTS ${cuda_bin} ${pypi_bin})
if(NOT IKET_NVDISASM)
  iket_left_out("comparison of instructions with IKET_DISABLE" "no nvdisasm; ./run setup fetches one")
  return()
endif()

# iket_add_sass_equal_tests(name source architectures...): a build with IKET_DISABLE has the instructions of a source
# that never knew IKET.
function(iket_add_sass_equal_tests name source)
  foreach(architecture IN LISTS ARGN)
    add_test(NAME sass_equal_${name}_sm_${architecture}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sass_equal ${CMAKE_CUDA_COMPILER} ${IKET_NVDISASM} ${source}
                     -std=c++17 -arch=sm_${architecture} -I ${PROJECT_SOURCE_DIR}/include)
  endforeach()
endfunction()

iket_add_sass_equal_tests(sample ${CMAKE_CURRENT_SOURCE_DIR}/disabled.cu 80 90a 100)
iket_add_sass_equal_tests(quickstart ${PROJECT_SOURCE_DIR}/examples/quickstart/quickstart.cu 80 90a 100)
iket_add_sass_equal_tests(ws_gemm ${PROJECT_SOURCE_DIR}/examples/ws_gemm/gemm_sm80.cuh 80 100)
iket_add_sass_equal_tests(ws_gemm ${PROJECT_SOURCE_DIR}/examples/ws_gemm/gemm_sm90.cuh 90a)

set(bench_kernels ${PROJECT_SOURCE_DIR}/tests/bench/kernels)
iket_add_sass_equal_tests(ping_pong ${bench_kernels}/ping_pong.cuh 90a)
foreach(name IN ITEMS rms_norm attention scan)
  iket_add_sass_equal_tests(${name} ${bench_kernels}/${name}.cuh 80 90a 100)
endforeach()

# Hardware counters are divided among stages by the events in the machine code.
if(TARGET iket_analysis)
  set(counters ${PROJECT_SOURCE_DIR}/tests/counters)
  add_executable(iket_count_events ${counters}/count_events.cpp)
  target_link_libraries(iket_count_events PRIVATE iket_analysis iket_warnings)
  foreach(architecture IN ITEMS 75 80 90a 100 120)
    add_test(NAME sass_events_sm_${architecture}
             COMMAND ${counters}/check_events ${CMAKE_CUDA_COMPILER} ${IKET_NVDISASM} $<TARGET_FILE:iket_count_events>
                     ${architecture} -I ${PROJECT_SOURCE_DIR}/include)
  endforeach()
endif()
