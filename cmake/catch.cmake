# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# Tests written with Catch2, of version 2 or 3.

find_package(Catch2 REQUIRED)
list(APPEND CMAKE_MODULE_PATH ${Catch2_DIR})
include(Catch)

# Version 3 brings a main(); version 2 makes one where a macro asks for it.
add_library(iket_catch INTERFACE)
target_include_directories(iket_catch INTERFACE ${PROJECT_SOURCE_DIR}/tests)
if(TARGET Catch2::Catch2WithMain)
  target_link_libraries(iket_catch INTERFACE Catch2::Catch2WithMain)
else()
  file(CONFIGURE OUTPUT catch_main.cpp CONTENT "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
  add_library(iket_catch_main STATIC ${CMAKE_CURRENT_BINARY_DIR}/catch_main.cpp)
  target_link_libraries(iket_catch_main PUBLIC Catch2::Catch2)
  target_link_libraries(iket_catch INTERFACE iket_catch_main)
endif()

# iket_add_catch_test(name sources... [LIBS libraries...])
#
# Adds the program iket_test_<name> and one test per TEST_CASE, named "<name>:<test case>".
function(iket_add_catch_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" LIBS)
  set(program iket_test_${name})
  add_executable(${program} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${program} PRIVATE ${arg_LIBS} iket_catch iket_warnings)
  target_compile_features(${program} PRIVATE cxx_std_17)
  catch_discover_tests(${program} TEST_PREFIX "${name}:")
endfunction()
