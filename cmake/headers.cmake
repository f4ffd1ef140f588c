# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# The headers, by what they may depend on and for whom they are. Paths as they are included.

# The record and file formats, and what writes and decodes them: plain C++17, no CUDA header.
set(iket_plain_headers
    iket/config.hpp
    iket/error.hpp
    iket/record.hpp
    iket/selection.hpp
    iket/site.hpp
    iket/token.hpp
    iket/trace_file.hpp
    iket/tracer.hpp
    iket/version.hpp
    iket/warp_header.hpp
    iket/detail/background_reading.hpp
    iket/detail/calibration_ptx.hpp
    iket/detail/crc32c.hpp
    iket/detail/exact_stride.hpp
    iket/detail/host_clock_burst.hpp
    iket/detail/host_clock_ptx.hpp
    iket/detail/maker_only.hpp
    iket/detail/payload.hpp
    iket/detail/quiet_thread.hpp
    iket/detail/ring_cursor.hpp
    iket/detail/selection_plan.hpp
    iket/detail/shell_word.hpp
    iket/detail/slot_place.hpp
    iket/detail/trace_content.hpp
    iket/detail/trace_serializer.hpp
    iket/detail/types.hpp
    iket/detail/whole_file.hpp
    iket/detail/write_trace.hpp)

file(
  GLOB iket_public_headers CONFIGURE_DEPENDS
  RELATIVE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/include/iket/*.hpp ${PROJECT_SOURCE_DIR}/include/iket/*.cuh)
file(
  GLOB_RECURSE iket_headers CONFIGURE_DEPENDS
  RELATIVE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/include/iket/*.hpp ${PROJECT_SOURCE_DIR}/include/iket/*.cuh)
