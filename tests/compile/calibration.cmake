# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# The session's calibration kernel is text that the driver compiles at run time: ptxas tries it here, for each way of
# holding back the clock, and for GPUs newer than the text's own architecture.

cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH cuda_bin)
find_program(IKET_PTXAS ptxas HINTS ${cuda_bin})
if(NOT IKET_PTXAS)
  iket_left_out("assembling the calibration kernel" "no ptxas beside nvcc")
  return()
endif()

add_executable(calibration_ptx calibration_ptx.cpp)
target_include_directories(calibration_ptx PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_compile_features(calibration_ptx PRIVATE cxx_std_17)
target_link_libraries(calibration_ptx PRIVATE iket_warnings)
foreach(capability IN ITEMS 75 80 86 90 100 120)
  add_test(NAME calibration_sm_${capability}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/calibration_sass $<TARGET_FILE:calibration_ptx> ${IKET_PTXAS}
                   "$<$<BOOL:${IKET_NVDISASM}>:${IKET_NVDISASM}>" ${capability})
endforeach()
