# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# What tracing may do to the instructions of a kernel: nothing to the tensor cores' pipeline on Hopper, and elsewhere no
# more than is written down.

find_program(IKET_PYTHON3 python3)
if(NOT IKET_NVDISASM OR NOT IKET_PYTHON3)
  iket_left_out("checks of what tracing adds to instructions" "no nvdisasm or no python3; ./run setup fetches both")
  return()
endif()

# iket_add_pipeline_test(name script arguments...): passes nvcc and nvdisasm first.
function(iket_add_pipeline_test name script)
  add_test(NAME ${name} COMMAND ${IKET_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${CMAKE_CUDA_COMPILER}
                                ${IKET_NVDISASM} ${ARGN})
endfunction()

iket_add_pipeline_test(wgmma_sequence_ws_gemm wgmma_sequence ${PROJECT_SOURCE_DIR}/examples/ws_gemm/gemm_sm90.cuh)
iket_add_pipeline_test(wgmma_sequence_ping_pong wgmma_sequence ${PROJECT_SOURCE_DIR}/tests/bench/kernels/ping_pong.cuh)
iket_add_pipeline_test(wgmma_sequence_events wgmma_sequence ${CMAKE_CURRENT_SOURCE_DIR}/wgmma_events.cu)

# With recorders as they must not be. Two are found by what ptxas says, the third by the instructions alone.
set(bad_recorder -I ${CMAKE_CURRENT_SOURCE_DIR}/must_fail_pipeline)
foreach(fault IN ITEMS BRANCHES CALLS WAITS)
  string(TOLOWER must_fail_pipeline_${fault} name)
  iket_add_pipeline_test(${name} wgmma_sequence ${CMAKE_CURRENT_SOURCE_DIR}/wgmma_events.cu ${bad_recorder} -D${fault})
endforeach()
set_tests_properties(must_fail_pipeline_branches must_fail_pipeline_calls PROPERTIES PASS_REGULAR_EXPRESSION "C7519")
set_tests_properties(must_fail_pipeline_waits PROPERTIES PASS_REGULAR_EXPRESSION "\\+WARPGROUP.DEPBAR")

iket_add_pipeline_test(event_cost event_cost)
set_tests_properties(event_cost PROPERTIES SKIP_RETURN_CODE 77)
iket_add_pipeline_test(must_fail_event_cost event_cost -DIKET_CHECKED)
set_tests_properties(must_fail_event_cost PROPERTIES PASS_REGULAR_EXPRESSION "not as recorded" SKIP_RETURN_CODE 77
                                                     ENVIRONMENT_MODIFICATION IKET_BLESS=unset:)

# The script behind docs/cost.md, on two kernels: the times, which need a GPU, apart.
add_test(NAME perturb COMMAND ${PROJECT_SOURCE_DIR}/tests/bench/perturb --nvcc ${CMAKE_CUDA_COMPILER} --nvdisasm
                              ${IKET_NVDISASM} --kernel ws_gemm_phases --kernel scan)
set_tests_properties(perturb PROPERTIES PASS_REGULAR_EXPRESSION
                                        "ws_gemm_phases sm_90a.*scan +sm_90a.*instructions by class")
