# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# What both consumers build: a reader of the file format with a C++ compiler alone, the host
# side with the CUDA runtime, and an example with nvcc.

add_executable(reader ../reader.cpp)
target_link_libraries(reader PRIVATE iket::iket)

option(CONSUMER_CUDA "Build what needs the CUDA toolkit" OFF)
if(CONSUMER_CUDA)
  add_executable(host ../host.cpp)
  target_link_libraries(host PRIVATE iket::iket)

  set(CMAKE_CUDA_ARCHITECTURES 80)
  enable_language(CUDA)
  file(GLOB sources ../../../examples/quickstart/*.cu)
  add_executable(quickstart ${sources})
  target_link_libraries(quickstart PRIVATE iket::iket)
endif()
