// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which stages are open at a place in a kernel's machine code, and what an event changes in that.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <iket/record.hpp>

#include "timeline.hpp"

namespace iket::analysis::counters {

/// A stage that an event has opened.
struct open_stage {
  record_kind begun_by = record_kind::none;  ///< range_begin, push or token_begin
  std::uint32_t site_bits = 0;               ///< of that event's tag
  auto operator<=>(const open_stage&) const = default;
};

/// The stages that are open, in the order in which they were opened. Ends close as in the pairing of records: a scoped
/// end the nearest of its own site, a pop the innermost pushed one, and what was opened behind either, tokens apart,
/// with it; a token's end the last token of its site. An end with nothing to close changes nothing.
class open_stages {
 public:
  /// More than anybody nests: code whose stages would only ever be opened must come to an end.
  static constexpr std::size_t most = 64;

  /// What the event with this tag does. Without a tag it is the end of a token, the only event whose tag need not be a
  /// constant: it closes the last token. False where there are too many.
  [[nodiscard]] bool apply(std::optional<std::uint32_t> tag);

  /// The site bits of the innermost stage: the one opened last. None where no stage is open.
  [[nodiscard]] std::optional<std::uint32_t> innermost() const;

  auto operator<=>(const open_stages&) const = default;

 private:
  void close_stack(record_kind begun_by, std::optional<std::uint32_t> site_bits);
  void close_token(std::optional<std::uint32_t> site_bits);

  std::vector<open_stage> stages_;
};

}  // namespace iket::analysis::counters
