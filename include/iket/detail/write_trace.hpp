// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From what was drained to trace.bin.
#pragma once

#include <string>

#include <iket/detail/trace_content.hpp>
#include <iket/detail/trace_serializer.hpp>
#include <iket/detail/whole_file.hpp>
#include <iket/error.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Writes `content` to `path`, whole or not at all, and returns when the disk has it: the caller may then forget it.
/// @throws iket::error where the file cannot be written.
inline void write_trace(const trace_content& content, const std::string& path) {
  try {
    whole_file file(path);
    serialize_trace(content, file);
    file.sync();
    file.commit();
  } catch (const error& failure) {
    throw error(std::string("iket: ") + failure.what());
  }
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
