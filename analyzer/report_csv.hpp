// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// report.json as a table of one figure a row.
#pragma once

#include <string>

namespace iket::analysis {

/// The report as CSV (RFC 4180, lines end in LF), from the text of report.json. The first line names the columns:
///
///     launch,kernel,section,row,name,figure,value
///
/// `launch` counts the elements of `launches` from 1; it and `kernel` are empty for what is about no launch. `section`
/// is the array that a figure is in ("stages", "waits"), else "launch", or a key of the report ("traces", "warnings",
/// "slice"); `row` counts its elements from 1, `name` is what the element is about, to read. `figure` is the path to
/// the value from there: "p50_ns", "records.lost", "covered_by[2].fraction". `value` is as in the JSON; null is empty,
/// and so is an empty array.
///
/// Names are shown as a terminal is: control characters come out as "\x0a". A text that a spreadsheet would take for a
/// formula (it begins with = + - @, and is more than that or a number) has a ' before it.
[[nodiscard]] std::string report_csv(const std::string& report_json);

}  // namespace iket::analysis
