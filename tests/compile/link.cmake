# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# Several translation units in a program: the library's functions, sites and templates in two, for two architectures.

# iket_add_unit(name source rdc definitions...)
function(iket_add_unit name source rdc)
  add_library(${name} OBJECT two_units/${source}.cu)
  target_link_libraries(${name} PRIVATE iket::iket iket_warnings)
  target_compile_definitions(${name} PRIVATE ${ARGN})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "80-real;90a-real" CUDA_SEPARABLE_COMPILATION ${rdc})
endfunction()

# iket_add_two_units(name main other rdc): a program of two units. That it links is the test; where there is a GPU it
# also runs.
function(iket_add_two_units name main other rdc)
  add_executable(two_units_${name} $<TARGET_OBJECTS:${main}> $<TARGET_OBJECTS:${other}>)
  target_link_libraries(two_units_${name} PRIVATE iket::iket)
  set_target_properties(
    two_units_${name}
    PROPERTIES LINKER_LANGUAGE CUDA
               CUDA_ARCHITECTURES "80-real;90a-real"
               CUDA_SEPARABLE_COMPILATION ${rdc}
               CUDA_RESOLVE_DEVICE_SYMBOLS ${rdc})
  add_test(NAME two_units_${name} COMMAND two_units_${name})
  set_tests_properties(two_units_${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS gpu)
endfunction()

foreach(rdc IN ITEMS OFF ON)
  foreach(unit IN ITEMS main other)
    iket_add_unit(unit_${unit}_rdc_${rdc} ${unit} ${rdc})
  endforeach()
  iket_add_two_units(rdc_${rdc} unit_main_rdc_${rdc} unit_other_rdc_${rdc} ${rdc})
endforeach()

iket_add_unit(unit_other_spelling other_spelling ON)
iket_add_two_units(other_spelling unit_main_rdc_ON unit_other_spelling ON)

# Units built with different switches share kernels, tracers and a session; both have functions of one name that take
# their own kind of recorder.
foreach(switch IN ITEMS IKET_RELAXED IKET_CHECKED IKET_KEEP_FIRST IKET_FILE_COMPONENTS=1)
  string(MAKE_C_IDENTIFIER ${switch} name)
  iket_add_unit(unit_other_${name} other ON ${switch})
  iket_add_two_units(${name} unit_main_rdc_ON unit_other_${name} ON)
endforeach()

# iket_add_link_test(name units... FAILS message): what nvcc says when it links them.
function(iket_add_link_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FAILS" "")
  list(TRANSFORM arg_UNPARSED_ARGUMENTS REPLACE ".+" "$<TARGET_OBJECTS:\\0>")
  add_test(NAME link_${name} COMMAND ${CMAKE_CUDA_COMPILER} -arch=sm_90a -o link_${name} ${arg_UNPARSED_ARGUMENTS}
                                     COMMAND_EXPAND_LISTS)
  set_tests_properties(link_${name} PROPERTIES PASS_REGULAR_EXPRESSION "${arg_FAILS}")
endfunction()

# A recorder does not pass from one to the other.
iket_add_unit(unit_caller caller ON)
foreach(switch IN ITEMS IKET_RELAXED IKET_CHECKED IKET_KEEP_FIRST IKET_DISABLE)
  iket_add_unit(unit_callee_${switch} callee ON ${switch})
  iket_add_link_test(recorder_${switch} unit_caller unit_callee_${switch} FAILS
                     "Undefined reference to '_Z6calleeRN4iket[0-9]+abi_1_on8recorderE'")
endforeach()
# Nothing else keeps those from linking: the two of one kind lack but a main().
iket_add_unit(unit_callee callee ON)
iket_add_link_test(recorder_same unit_caller unit_callee FAILS "undefined reference to .main'")

# And a session does not where one has it compiled out.
iket_add_unit(unit_other_disabled other ON IKET_DISABLE)
iket_add_link_test(session_IKET_DISABLE unit_main_rdc_ON unit_other_disabled FAILS
                   "undefined reference to .launch_other\\(iket::abi_1_on::session&")
