# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# NVRTC: it has no standard headers, so this also shows that device code includes none.

add_executable(nvrtc_compile nvrtc_compile.cpp)
target_link_libraries(nvrtc_compile PRIVATE iket_warnings ${CMAKE_DL_LIBS})
target_compile_features(nvrtc_compile PRIVATE cxx_std_17)

# iket_add_nvrtc_tests(label library standards... ARCHITECTURES architectures...): with each switch, for the last of the
# architectures.
function(iket_add_nvrtc_tests label library)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "STANDARDS;ARCHITECTURES")
  set(command nvrtc_compile ${library} ${CMAKE_CURRENT_SOURCE_DIR}/all_api.cu -I${PROJECT_SOURCE_DIR}/include)
  foreach(architecture IN LISTS arg_ARCHITECTURES)
    foreach(standard IN LISTS arg_STANDARDS)
      set(name ${label}_sm_${architecture}_cxx${standard})
      set(options -arch=sm_${architecture} -std=c++${standard})
      add_test(NAME ${name}_enabled COMMAND ${command} ${options})
      add_test(NAME ${name}_disabled COMMAND ${command} ${options} -DIKET_DISABLE)
    endforeach()
  endforeach()
  foreach(switches IN LISTS iket_switches)
    string(REPLACE + ";-D" definitions -D${switches})
    add_test(NAME ${label}_${switches} COMMAND ${command} ${options} ${definitions})
  endforeach()
endfunction()

if(TARGET CUDA::nvrtc)
  iket_add_nvrtc_tests(
    nvrtc $<TARGET_FILE:CUDA::nvrtc>
    STANDARDS 17
    ARCHITECTURES 75 80 90a 100 120)
else()
  iket_left_out("NVRTC tests" "the CUDA toolkit has no libnvrtc")
endif()
