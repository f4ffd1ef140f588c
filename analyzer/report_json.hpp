// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// report.json, schema "iket-report/1".
#pragma once

#include <string>

#include "report.hpp"

namespace iket::analysis {

/// The report as JSON text, indented, with a final line feed. Durations are doubles of nanoseconds; integers beyond
/// 2^53 are strings; what cannot be known is null.
[[nodiscard]] std::string report_json(const report& source);

}  // namespace iket::analysis
