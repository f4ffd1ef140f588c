# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# The host's tests once more, under sanitizers; without the CUDA headers also where there are some.

if(NOT IKET_BUILD_SANITIZED_TESTS)
  iket_left_out("host tests under sanitizers" "IKET_BUILD_SANITIZED_TESTS is off")
  return()
endif()

# The preset "dev" has everything under a sanitizer.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  return()
endif()

include(CheckCXXSourceRuns)

# iket_add_sanitized_tests(name sanitizers sources...): the program iket_test_<name>, as `iket_add_catch_test` makes it.
function(iket_add_sanitized_tests name sanitizers)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=${sanitizers})
  check_cxx_source_runs("int main() { return 0; }" iket_has_sanitizer_${name})
  if(NOT iket_has_sanitizer_${name})
    iket_left_out("host tests under -fsanitize=${sanitizers}" "such programs do not run here")
    return()
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/tests/fake_cuda)
  iket_add_catch_test(${name} ${ARGN} ${folder}/fake_cuda.cpp ${folder}/fake_driver.cpp LIBS Threads::Threads)
  target_include_directories(iket_test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${folder} ${folder}/include)
  target_compile_options(iket_test_${name} PRIVATE -g -O1 -fno-omit-frame-pointer -fsanitize=${sanitizers}
                                                   -fno-sanitize-recover=all)
  target_link_options(iket_test_${name} PRIVATE -fsanitize=${sanitizers})
endfunction()

set(plain
    background_reading
    crc32c
    exact_stride
    payload
    replays
    ring_cursor
    selection_plan
    shell_word
    site
    trace_serializer)
list(TRANSFORM plain APPEND _test.cpp)
iket_add_sanitized_tests(
  host_under_asan
  address,undefined
  ${plain}
  launch_plan_test.cpp
  session_test.cpp
  session_snapshot_test.cpp
  session_storage_test.cpp
  session_threads_test.cpp
  watch_times_test.cpp
  watchdog_test.cpp
  watchdog_blocked_test.cpp
  whole_file_test.cpp
  whole_file_processes_test.cpp)
iket_add_sanitized_tests(session_faults_under_asan address,undefined session_faults_test.cpp)
if(TARGET iket_test_session_faults_under_asan)
  target_link_options(iket_test_session_faults_under_asan PRIVATE LINKER:--wrap=fsync)
endif()
iket_add_sanitized_tests(host_under_tsan thread session_snapshot_test.cpp session_storage_test.cpp
                         session_threads_test.cpp watchdog_test.cpp watchdog_blocked_test.cpp host_clock_test.cpp)
