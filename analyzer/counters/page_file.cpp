// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "page_file.hpp"

#include <cstddef>
#include <filesystem>
#include <system_error>

#include <zlib.h>

#include "limits.hpp"

namespace iket::analysis::counters {

std::optional<std::string> contents_of_page(const std::string& name, std::vector<std::string>& warnings) {
  std::string text;
  std::error_code failure;
  if (std::filesystem::is_directory(name, failure)) {
    warnings.push_back("'" + name + "' is a folder, and no page");
    return std::nullopt;
  }
  // Reads what is not packed as it is.
  gzFile file = name == "-" ? gzdopen(0, "rb") : gzopen(name.c_str(), "rb");
  if (file == nullptr) {
    warnings.push_back("cannot open '" + name + "'");
    return std::nullopt;
  }
  std::vector<char> block(1 << 16);
  int got = 0;
  while ((got = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0) {
    if (text.size() + static_cast<std::size_t>(got) > limits::page_bytes) {
      warnings.push_back("'" + name + "': only the first " + std::to_string(limits::page_bytes >> 20) +
                         " MiB were read");
      break;
    }
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  if (got < 0) warnings.push_back("cannot read all of '" + name + "'");
  if (gzclose(file) != Z_OK) warnings.push_back("'" + name + "' was cut off: what is packed there has no end");
  return text;
}

}  // namespace iket::analysis::counters
