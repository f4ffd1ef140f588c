// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// report.json for people, in a ticket or a pull request.
#pragma once

#include <string>

namespace iket::analysis {

/// The report as Markdown (CommonMark with tables), from the text of report.json: for each launch its facts, findings,
/// and a table for each of its arrays of figures. Times in the unit that fits, fractions in percent. Names from the
/// trace are escaped: they show as they are.
[[nodiscard]] std::string report_markdown(const std::string& report_json);

}  // namespace iket::analysis
