# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# nvcc: every architecture and standard, several translation units in a program, and what must not compile.

# As an option, since CMake 3.25 does not know that nvcc has C++20.
foreach(standard IN ITEMS 17 20)
  foreach(switch IN ITEMS enabled disabled)
    set(target all_api_cxx${standard}_${switch})
    add_library(${target} OBJECT all_api.cu)
    target_link_libraries(${target} PRIVATE iket::iket iket_warnings)
    target_compile_options(${target} PRIVATE -std=c++${standard})
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "75-real;80-real;90a-real;100-real;120-real")
  endforeach()
  target_compile_definitions(all_api_cxx${standard}_disabled PRIVATE IKET_DISABLE)
endforeach()

# The library's functions, sites and templates in two units of one program, for two architectures.
foreach(rdc IN ITEMS OFF ON)
  add_executable(two_units_rdc_${rdc} two_units/main.cu two_units/other.cu)
  target_link_libraries(two_units_rdc_${rdc} PRIVATE iket::iket iket_warnings)
  set_target_properties(two_units_rdc_${rdc} PROPERTIES CUDA_ARCHITECTURES "80-real;90a-real" CUDA_SEPARABLE_COMPILATION
                                                                                              ${rdc})
  add_test(NAME two_units_rdc_${rdc} COMMAND two_units_rdc_${rdc})
  set_tests_properties(two_units_rdc_${rdc} PROPERTIES SKIP_RETURN_CODE 77 LABELS gpu)
endforeach()

file(GLOB sources CONFIGURE_DEPENDS must_fail/*.cu)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  file(STRINGS ${source} expected REGEX "^// expect: ")
  string(REPLACE "// expect: " "" expected "${expected}")
  add_test(NAME must_fail_${name} COMMAND ${CMAKE_CUDA_COMPILER} -std=c++17 -arch=sm_80 -I
                                          ${PROJECT_SOURCE_DIR}/include -cubin -o ${name}.cubin ${source})
  set_tests_properties(must_fail_${name} PROPERTIES PASS_REGULAR_EXPRESSION "${expected}")
endforeach()

# ptxas says so in a C75xx line where it must serialise wgmma operations, as for a branch or a call between them.
add_test(NAME wgmma_is_not_serialised
         COMMAND ${CMAKE_CUDA_COMPILER} -std=c++17 -arch=sm_90a -I ${PROJECT_SOURCE_DIR}/include -cubin -o
                 ws_gemm.cubin ${PROJECT_SOURCE_DIR}/examples/ws_gemm/main.cu)
set_tests_properties(wgmma_is_not_serialised PROPERTIES FAIL_REGULAR_EXPRESSION "C75[0-9][0-9]")
