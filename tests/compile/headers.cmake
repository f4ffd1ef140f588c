# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# Compiles each public header as the first thing of a translation unit, and all of them behind clashing macros, with
# tracing on and off. That they compile is the test.

# iket_write_header_units(variable dir suffix [headers...]): one source a header, which includes it twice.
function(iket_write_header_units variable dir suffix)
  set(sources)
  foreach(header IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER ${header} unit)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${dir}/${unit}.${suffix})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <@header@>\n#include <@header@>\n" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  set(${variable}
      ${sources}
      PARENT_SCOPE)
endfunction()

# Plain headers, with no way to a CUDA header.
iket_write_header_units(units plain cpp ${iket_plain_headers})
foreach(switch IN ITEMS enabled disabled)
  add_library(headers_plain_${switch} OBJECT ${units})
  target_include_directories(headers_plain_${switch} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_compile_features(headers_plain_${switch} PRIVATE cxx_std_17)
  target_link_libraries(headers_plain_${switch} PRIVATE iket_warnings)
endforeach()
target_compile_definitions(headers_plain_disabled PRIVATE IKET_DISABLE)

if(NOT iket_has_nvcc)
  return()
endif()

# The public headers by themselves; those behind them come with these.
iket_write_header_units(units device cu ${iket_public_headers})
list(TRANSFORM iket_headers REPLACE ".+" "#include <\\0>" OUTPUT_VARIABLE includes)
list(JOIN includes "\n" includes)
set(poisoned ${CMAKE_CURRENT_BINARY_DIR}/poisoned.cu)
file(CONFIGURE OUTPUT ${poisoned} CONTENT "#include \"poison.hpp\"\n@includes@\n" @ONLY)

# iket_add_device_headers(name sources... DEFINITIONS definitions...)
function(iket_add_device_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" DEFINITIONS)
  add_library(headers_device_${name} OBJECT ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(headers_device_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(headers_device_${name} PRIVATE iket::iket iket_warnings)
  target_compile_definitions(headers_device_${name} PRIVATE ${arg_DEFINITIONS})
  set_target_properties(headers_device_${name} PROPERTIES CUDA_ARCHITECTURES 90a-real)
endfunction()

iket_add_device_headers(enabled ${units} ${poisoned})
iket_add_device_headers(disabled ${units} ${poisoned} DEFINITIONS IKET_DISABLE)
foreach(switches IN LISTS iket_switches)
  string(REPLACE + ";" definitions ${switches})
  string(MAKE_C_IDENTIFIER ${switches} name)
  iket_add_device_headers(${name} ${poisoned} DEFINITIONS ${definitions})
endforeach()
