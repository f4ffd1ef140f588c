# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# Reads the version from the one header that states it, into iket_version.

set(version_header ${CMAKE_CURRENT_LIST_DIR}/../include/iket/version.hpp)
set_property(
  DIRECTORY
  APPEND
  PROPERTY CMAKE_CONFIGURE_DEPENDS ${version_header})

set(iket_version)
foreach(part IN ITEMS MAJOR MINOR PATCH)
  file(STRINGS ${version_header} line REGEX "^#define IKET_VERSION_${part} [0-9]+$")
  if(NOT line)
    message(FATAL_ERROR "${version_header} does not define IKET_VERSION_${part}")
  endif()
  string(REGEX MATCH "[0-9]+$" number "${line}")
  list(APPEND iket_version ${number})
endforeach()
list(JOIN iket_version . iket_version)
