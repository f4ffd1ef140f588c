// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Texts, values and tables of report.json in Markdown (CommonMark with tables).
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace iket::analysis::markdown {

using json = nlohmann::ordered_json;

/// Text that Markdown shows as it is, on one line, and makes no link, image, mention or HTML of. Sites look for
/// mentions in what Markdown has made of it, where no escape is left: those have a zero-width space in them.
[[nodiscard]] std::string escaped(const std::string& text);

/// A key in words; without the unit, which stands in the cells, unless another key is called that.
[[nodiscard]] std::string header_of(std::string key, const json& among);

/// A value by what its key says of its unit.
[[nodiscard]] std::string cell_of(const std::string& key, const json& value);

/// Whether a value has too much in it for a cell.
[[nodiscard]] bool is_wide(const json& value);

/// One row an element; columns that are empty in all of them are left out, and so is what is a table itself. `rows` are
/// objects, one at least.
[[nodiscard]] std::string table_of(const json& rows);

}  // namespace iket::analysis::markdown
