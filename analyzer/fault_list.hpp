// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The misuse that a checked build found, with the names of its sites.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timeline.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// The faults of a launch, in the order of the file, `limits::faults` at most. A site that is not in its table is named
/// by its address.
[[nodiscard]] std::vector<fault> faults_of(const trace_view& view, const launch_view& launch);

/// How many faults are not among those.
[[nodiscard]] std::uint64_t faults_left_out(const launch_view& launch);

/// "leader_absent", "second_recorder", ...; "unknown" for kinds of a newer version.
[[nodiscard]] const char* kind_name(file::fault_kind kind);

/// What happened, where it was seen first, and what to do about it: one sentence.
[[nodiscard]] std::string fault_text(const fault& of);

}  // namespace iket::analysis
