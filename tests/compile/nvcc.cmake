# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# nvcc: every architecture, standard and switch, and what must not compile.

# iket_add_all_api(name standards architectures definitions...). The standard is an option, since CMake 3.25 does not
# know that nvcc has C++20.
function(iket_add_all_api name standards architectures)
  foreach(standard IN LISTS standards)
    set(target all_api_cxx${standard}_${name})
    add_library(${target} OBJECT all_api.cu)
    target_link_libraries(${target} PRIVATE iket::iket iket_warnings)
    target_compile_options(${target} PRIVATE -std=c++${standard})
    target_compile_definitions(${target} PRIVATE ${ARGN})
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  endforeach()
endfunction()

set(architectures 75-real 80-real 90a-real 100-real 120-real)
iket_add_all_api(enabled "17;20" "${architectures}")
iket_add_all_api(disabled "17;20" "${architectures}" IKET_DISABLE)
foreach(switches IN LISTS iket_switches)
  string(REPLACE + ";" definitions ${switches})
  string(MAKE_C_IDENTIFIER ${switches} name)
  iket_add_all_api(${name} 17 90a-real ${definitions})
endforeach()

# What is refused is refused with IKET_DISABLE too.
file(GLOB sources CONFIGURE_DEPENDS must_fail/*.cu)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  file(STRINGS ${source} expected REGEX "^// expect: ")
  string(REPLACE "// expect: " "" expected "${expected}")
  set(command ${CMAKE_CUDA_COMPILER} -std=c++17 -arch=sm_80 -I ${PROJECT_SOURCE_DIR}/include -cubin ${source} -o)
  add_test(NAME must_fail_${name}_enabled COMMAND ${command} ${name}.cubin)
  add_test(NAME must_fail_${name}_disabled COMMAND ${command} ${name}_disabled.cubin -DIKET_DISABLE)
  set_tests_properties(must_fail_${name}_enabled must_fail_${name}_disabled PROPERTIES PASS_REGULAR_EXPRESSION
                                                                                       "${expected}")
endforeach()

# Each site takes 16 bytes of the constant bank of 64 KiB, and so does the place where recorders are made.
set(many_sites "#include <iket/iket.cuh>\n")
foreach(part RANGE 1 30)
  string(APPEND many_sites "__device__ void part${part}(iket::recorder& rec) {\n")
  foreach(site RANGE 1 100)
    string(APPEND many_sites "  IKET_MARK(rec, \"site ${part}-${site}\");\n")
  endforeach()
  string(APPEND many_sites "}\n")
endforeach()
string(APPEND many_sites "__global__ void kernel(iket::tracer tracer) {\n  iket::recorder rec(tracer);\n")
foreach(part RANGE 1 30)
  string(APPEND many_sites "  part${part}(rec);\n")
endforeach()
file(CONFIGURE OUTPUT many_sites.cu CONTENT "${many_sites}}\n" @ONLY)
add_test(NAME many_sites
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/constant_bank ${CMAKE_CUDA_COMPILER}
                 ${CMAKE_CURRENT_BINARY_DIR}/many_sites.cu -arch=sm_90a -I ${PROJECT_SOURCE_DIR}/include)
math(EXPR bank "16 * (30 * 100 + 1)")
set_tests_properties(many_sites PROPERTIES PASS_REGULAR_EXPRESSION "^${bank} bytes" TIMEOUT 60)

# ptxas says so in a C75xx line where it must serialise wgmma operations, as for a branch or a call between them.
add_test(NAME wgmma_is_not_serialised
         COMMAND ${CMAKE_CUDA_COMPILER} -std=c++17 -arch=sm_90a -I ${PROJECT_SOURCE_DIR}/include -cubin -o
                 ws_gemm.cubin ${PROJECT_SOURCE_DIR}/examples/ws_gemm/main.cu)
set_tests_properties(wgmma_is_not_serialised PROPERTIES FAIL_REGULAR_EXPRESSION "C75[0-9][0-9]")

add_test(NAME no_load_crosses_an_event
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ordering ${CMAKE_CUDA_COMPILER} ${CMAKE_CURRENT_SOURCE_DIR}/ordering.cu
                 -std=c++17 -arch=sm_90 -I ${PROJECT_SOURCE_DIR}/include)
