// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a site without a name is called.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace iket::analysis {

/// "site 0x7f3afffff000"
[[nodiscard]] inline std::string address_name(std::uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof(text), "site 0x%llx", static_cast<unsigned long long>(address));
  return text;
}

/// Whether a name looks like one of those.
[[nodiscard]] inline bool is_address_name(std::string_view name) { return name.starts_with("site 0x"); }

}  // namespace iket::analysis
