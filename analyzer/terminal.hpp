// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What standard output and standard error are connected to.
#pragma once

#include <cstddef>
#include <optional>

namespace iket::analysis {

[[nodiscard]] bool stdout_is_terminal();
[[nodiscard]] bool stderr_is_terminal();

/// Whether to colour standard output: a terminal that can, and no NO_COLOR in the environment.
[[nodiscard]] bool stdout_takes_colours();

/// Below that nothing is legible.
inline constexpr std::size_t least_columns = 60;

/// Columns of standard output, `least_columns` at least: as asked for, else COLUMNS of the environment, else those of
/// the terminal, else 100.
[[nodiscard]] std::size_t stdout_columns(std::optional<std::size_t> asked_for);

}  // namespace iket::analysis
