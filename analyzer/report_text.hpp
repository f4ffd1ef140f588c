// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The report as a person reads it in a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "report.hpp"

namespace iket::analysis {

struct text_options {
  std::size_t columns = 100;
  bool colours = false;
};

/// The whole report, lines of at most `columns` columns (60 at least).
[[nodiscard]] std::string report_text(const report& source, const text_options& options);

}  // namespace iket::analysis
