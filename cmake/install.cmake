# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# Installs the headers and what find_package(iket) needs, and lets find_package use this build tree as well.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/iket)
set(package_build_dir ${PROJECT_BINARY_DIR}/package)

install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/include/iket
  TYPE INCLUDE
  FILES_MATCHING
  PATTERN *.hpp
  PATTERN *.cuh)

install(TARGETS iket EXPORT iketTargets)
install(
  EXPORT iketTargets
  NAMESPACE iket::
  DESTINATION ${package_dir})
export(
  EXPORT iketTargets
  NAMESPACE iket::
  FILE ${package_build_dir}/iketTargets.cmake)

# Nothing in the package depends on the machine it was built on.
write_basic_package_version_file(${package_build_dir}/iketConfigVersion.cmake COMPATIBILITY SameMajorVersion
                                                                                            ARCH_INDEPENDENT)
configure_file(${PROJECT_SOURCE_DIR}/cmake/iketConfig.cmake ${package_build_dir} COPYONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/iketCudaRuntime.cmake ${package_build_dir} COPYONLY)
install(FILES ${package_build_dir}/iketConfig.cmake ${package_build_dir}/iketConfigVersion.cmake
              ${package_build_dir}/iketCudaRuntime.cmake DESTINATION ${package_dir})
