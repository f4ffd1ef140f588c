# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# iket_warnings: warnings for this project's own code, linked privately. Empty where the project is a subdirectory.

add_library(iket_warnings INTERFACE)
if(PROJECT_IS_TOP_LEVEL)
  set(host_warnings -Wall -Wextra -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns about "literal" + std::string (its bug 105651).
    list(APPEND host_warnings -Wno-restrict)
  endif()
  # nvcc's generated host code is not free of these.
  set(plain_warnings -Wpedantic -Wconversion)
  if(IKET_WERROR)
    list(APPEND host_warnings -Werror)
    set(device_errors --Werror=all-warnings)
  endif()
  list(JOIN host_warnings , host_warnings_by_comma)
  target_compile_options(
    iket_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${host_warnings};${plain_warnings}>
                            $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:${device_errors};-Xcompiler=${host_warnings_by_comma}>)
endif()
