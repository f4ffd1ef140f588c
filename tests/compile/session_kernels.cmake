# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# The session's own kernels are text that the driver compiles at run time: ptxas tries them here, for each way of
# holding back the clock, and for GPUs newer than the text's own architecture.

cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH cuda_bin)
find_program(IKET_PTXAS ptxas HINTS ${cuda_bin})
if(NOT IKET_PTXAS)
  iket_left_out("assembling the session's kernels" "no ptxas beside nvcc")
  return()
endif()

# name_ptx.cpp prints the text, and the script name_sass looks at what became of it.
foreach(name IN ITEMS calibration host_clock)
  add_executable(${name}_ptx ${name}_ptx.cpp)
  target_include_directories(${name}_ptx PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_compile_features(${name}_ptx PRIVATE cxx_std_17)
  target_link_libraries(${name}_ptx PRIVATE iket_warnings)
  foreach(capability IN ITEMS 75 80 86 90 100 120)
    add_test(NAME ${name}_sm_${capability}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/${name}_sass $<TARGET_FILE:${name}_ptx> ${IKET_PTXAS}
                     "$<$<BOOL:${IKET_NVDISASM}>:${IKET_NVDISASM}>" ${capability})
  endforeach()
endforeach()
