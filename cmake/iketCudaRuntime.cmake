# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# Gives a target the CUDA runtime, where there is one. Installed too: the runtime is that of the machine where the
# library is used, so it is found there and not exported.

function(iket_add_cuda_runtime target)
  find_package(CUDAToolkit 12.0 QUIET GLOBAL)
  if(TARGET CUDA::cudart)
    # What is linked as CUDA has a runtime already (CMAKE_CUDA_RUNTIME_LIBRARY, static by default), and must not get
    # another beside it.
    target_link_libraries(${target} INTERFACE $<BUILD_INTERFACE:CUDA::toolkit>
                                              $<BUILD_INTERFACE:$<$<LINK_LANGUAGE:CXX>:CUDA::cudart>>)
  endif()
endfunction()
