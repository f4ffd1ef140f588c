// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Names of kernels, as a program gives them and as a profiler prints them.
#pragma once

#include <string>
#include <string_view>

namespace iket::analysis::counters {

/// Without namespaces, template arguments and parameters: of "void <unnamed>::gemm<int, 4>(const float *, tracer)"
/// "gemm".
[[nodiscard]] std::string base_name(std::string_view kernel);

/// With namespaces and template arguments, without its type and parameters: "<unnamed>::gemm<int, 4>".
[[nodiscard]] std::string full_name(std::string_view kernel);

/// Whether two full names may be of one kernel: pages print more of the namespaces, or less.
[[nodiscard]] bool may_be_one_kernel(std::string_view a, std::string_view b);

/// Whether it is one that IKET launches itself, to calibrate and to read clocks.
[[nodiscard]] bool is_own_kernel(std::string_view kernel);

}  // namespace iket::analysis::counters
