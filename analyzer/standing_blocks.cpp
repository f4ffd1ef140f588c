// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "standing_blocks.hpp"

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "standing_text.hpp"
#include "terminal_text.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

std::uint64_t unended(const launch_report& of) { return of.launches_running + of.launches_failed; }

std::string launches_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " launch" : " launches");
}

/// Makes the blocks of one element of `report::launches`.
class block_maker {
 public:
  /// `is_one_of_several` launches of its kernel that had not ended.
  block_maker(const launch_report& of, bool is_one_of_several) : of_(of), is_one_of_several_(is_one_of_several) {}

  std::vector<standing_block> make() {
    const launch_standing* not_begun = nullptr;
    for (const launch_standing& one : of_.standing) {
      if (one.had_begun())
        add("launch " + std::to_string(one.launch), title_text(one), &one);
      else if (not_begun == nullptr)
        not_begun = &one;
    }
    if (const std::uint64_t count = of_.launches_not_begun; count != 0) {
      const bool has_number = count == 1 && not_begun != nullptr;
      add(has_number ? "launch " + std::to_string(not_begun->launch) : launches_text(count),
          not_begun_text(count, of_.launches_running != 0), nullptr);
    }
    if (of_.standing_left_out == 0) return std::move(blocks_);
    const std::string text = launches_text(of_.standing_left_out) + " more had not ended: --launch tells of each";
    if (blocks_.empty())
      add("", text, nullptr);
    else
      blocks_.back().note = text;
    return std::move(blocks_);
  }

 private:
  void add(const std::string& which, const std::string& text, const launch_standing* lines_of) {
    std::string heading = of_.kernel.empty() ? "(unnamed kernel)" : terminal_safe(of_.kernel);
    if (of_.is_of_several) heading += " in " + terminal_safe(of_.file);
    if (is_one_of_several_ && !which.empty()) heading += " (" + which + ", grid " + extent_text(of_.grid) + ")";
    blocks_.push_back({heading + ": " + text, lines_of, {}});
  }

  const launch_report& of_;
  bool is_one_of_several_;
  std::vector<standing_block> blocks_;
};

}  // namespace

std::vector<std::vector<standing_block>> standing_blocks(const report& source) {
  std::unordered_map<std::string, std::uint64_t> counts;  // by kernel
  for (const launch_report& one : source.launches) counts[one.kernel] += unended(one);
  std::vector<std::vector<standing_block>> result;
  for (const launch_report& one : source.launches)
    if (unended(one) != 0) result.push_back(block_maker(one, counts.at(one.kernel) > 1).make());
  return result;
}

}  // namespace iket::analysis
