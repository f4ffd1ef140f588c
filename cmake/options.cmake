# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# What a build may include. A project that adds this one as a subdirectory gets the header library and nothing else.

option(IKET_BUILD_ANALYZER "Build iket-analyze" ${PROJECT_IS_TOP_LEVEL})
option(IKET_BUILD_EXAMPLES "Build the examples (needs nvcc)" ${PROJECT_IS_TOP_LEVEL})
option(IKET_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(IKET_BUILD_BENCH "Build the benchmarks (most need nvcc)" ${PROJECT_IS_TOP_LEVEL})
set(IKET_BUILD_GPU_PROGRAMS
    AUTO
    CACHE STRING "Build the tests and benchmarks that need a GPU to run: ON, OFF, or AUTO for where there is one")
option(IKET_BUILD_SANITIZED_TESTS "Build tests of the host's side under sanitizers, too" ON)
option(IKET_INSTALL "Add install rules" ${PROJECT_IS_TOP_LEVEL})
option(IKET_USE_CUDA "Build what needs nvcc, where there is one" ON)
option(IKET_STATIC_ANALYZER "Link iket-analyze statically, to carry it to machines that have nothing" OFF)
option(IKET_WERROR "Warnings of this project's own code are errors" ${PROJECT_IS_TOP_LEVEL})
set(IKET_PYPI_ENV
    ${PROJECT_SOURCE_DIR}/build/pypi
    CACHE PATH "Python environment with what some tests use from PyPI; ./run setup makes it")
