// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Finds the whole chunks of a trace.bin and steps over the damaged ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "damage_list.hpp"

namespace iket::analysis {

/// A chunk whose header and payload have the checksums that they state.
struct chunk {
  std::uint32_t type = 0;
  std::uint64_t offset = 0;            ///< of its header in the file [bytes]
  std::span<const std::byte> payload;  ///< within the file's bytes, aligned to 8 as those are
};

/// A chunk's type as text: its four characters, or its number where they cannot be printed.
[[nodiscard]] std::string chunk_name(std::uint32_t type);

/// All whole chunks behind the file header, in file order, without the end chunk. Everything else goes to `damages`:
/// damaged chunks, a missing end chunk, bytes behind it.
///
/// Behind a damaged header the next whole one is searched for at multiples of 8 bytes; so it is inside a chunk of wrong
/// checksum, unless a whole header stands right behind that. Reads at most five times the file's size, on all
/// cores where it is whole.
[[nodiscard]] std::vector<chunk> find_chunks(std::span<const std::byte> file, damage_list& damages);

}  // namespace iket::analysis
