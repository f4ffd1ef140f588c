# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# Runs iket-analyze in a folder of its own and holds its exit code, its output and the files it leaves against what is
# expected. Variables: program, checker, traces (folder), folder, inputs, arguments, exit, out, err, files; see
# iket_add_cli_test in CMakeLists.txt.

file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder}/a_folder ${folder}/a_folder.json)
file(CREATE_LINK /dev/full ${folder}/full.json SYMBOLIC)
foreach(input IN LISTS inputs)
  file(COPY ${traces}/${input} DESTINATION ${folder})
endforeach()

execute_process(
  COMMAND ${program} ${arguments}
  WORKING_DIRECTORY ${folder}
  RESULT_VARIABLE result
  OUTPUT_VARIABLE output
  ERROR_VARIABLE error)
message("exit ${result}\n${output}${error}")

if(NOT result STREQUAL exit)
  message(FATAL_ERROR "expected exit ${exit}")
endif()
if(NOT output MATCHES "${out}")
  message(FATAL_ERROR "expected on standard output: ${out}")
endif()
if(NOT error MATCHES "${err}")
  message(FATAL_ERROR "expected on standard error: ${err}")
endif()
# What fails says so in one line, a gate each. Only there, or where a file could not be written, is there a report to
# print all the same.
string(REGEX MATCHALL "\n" lines "${error}")
list(LENGTH lines line_count)
if(NOT exit EQUAL 0
   AND NOT exit EQUAL 1
   AND (NOT line_count EQUAL 1
        OR NOT
           (output STREQUAL ""
            OR exit EQUAL 4
            OR NOT out STREQUAL "")
       ))
  message(FATAL_ERROR "expected one line on standard error")
endif()

file(
  GLOB_RECURSE found
  LIST_DIRECTORIES false
  RELATIVE ${folder}
  ${folder}/*)
set(expected ${inputs} ${files} full.json)
list(SORT found)
list(SORT expected)
if(NOT found STREQUAL expected)
  message(FATAL_ERROR "expected the files ${expected}, found ${found}")
endif()

foreach(file IN LISTS files)
  if(file MATCHES "[.]gz$")
    # CMake's own tar takes no plain gzip.
    find_program(gzip_program gzip REQUIRED)
    execute_process(COMMAND ${gzip_program} -d ${folder}/${file} COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE "[.]gz$" "" file ${file})
  endif()
  file(READ ${folder}/${file} text)
  if(file MATCHES "[.]csv$")
    if(NOT text MATCHES "^launch,kernel,section,row,name,figure,value\n1,[a-z_]+,launch,")
      message(FATAL_ERROR "${file} does not begin as a report")
    endif()
    continue()
  elseif(file MATCHES "[.]md$")
    if(NOT text MATCHES "^# IKET report\n.*\n## (gemm|spills|ws[^\n]*gemm)\n")
      message(FATAL_ERROR "${file} does not begin as a report")
    endif()
    continue()
  endif()
  string(JSON schema ERROR_VARIABLE not_json GET "${text}" schema)
  string(JSON events ERROR_VARIABLE no_trace GET "${text}" traceEvents)
  if(no_trace AND not_json)
    message(FATAL_ERROR "${file} is neither a report nor a trace: ${not_json}")
  endif()
  if(NOT no_trace)
    execute_process(
      COMMAND ${checker} ${file}
      WORKING_DIRECTORY ${folder}
      RESULT_VARIABLE broken)
    if(NOT broken EQUAL 0)
      message(FATAL_ERROR "${file} breaks rules of Perfetto")
    endif()
  endif()
endforeach()
