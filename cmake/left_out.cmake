# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# Says what a build does without and why: during configuration, and in left_out.txt for ./run to show again.

file(WRITE ${PROJECT_BINARY_DIR}/left_out.txt "")

function(iket_left_out what why)
  message(STATUS "Left out: ${what} (${why})")
  file(APPEND ${PROJECT_BINARY_DIR}/left_out.txt "${what} (${why})\n")
endfunction()
