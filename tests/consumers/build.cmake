# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# cmake -Dsource=... -Dbinary=... -Doptions=... -P build.cmake: configures and builds a consumer from nothing, and
# runs its reader.

file(REMOVE_RECURSE ${binary})
foreach(command IN ITEMS "${CMAKE_COMMAND};-S;${source};-B;${binary};${options}" "${CMAKE_COMMAND};--build;${binary}"
                         "${binary}/reader")
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
