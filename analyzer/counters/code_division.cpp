// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "code_division.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <iket/record.hpp>

#include "code_owners.hpp"
#include "limits.hpp"
#include "sass_events.hpp"
#include "sass_flow.hpp"
#include "sass_instruction.hpp"
#include "source_files.hpp"

namespace iket::analysis::counters {
namespace {

constexpr std::size_t most_lines = 5;  // that are told of a stage

/// Adds up how much of something each source line has.
class line_tally {
 public:
  void add(const source_location& line, std::uint64_t count) { counts_[line] += count; }

  [[nodiscard]] std::vector<source_location> most() const {
    std::vector<std::pair<std::uint64_t, source_location>> order;
    for (const auto& [line, count] : counts_) order.emplace_back(count, line);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<source_location> lines;
    for (std::size_t i = 0; i < std::min(order.size(), most_lines); ++i) lines.push_back(order[i].second);
    return lines;
  }

 private:
  std::map<source_location, std::uint64_t> counts_;
};

struct stage_part {
  stage_counters counters;
  std::vector<source_location> sites;
  line_tally spills;
  line_tally conflicts;
};

/// Whether a listing has all of the code: instructions have one distance from each other, what is jumped to is there,
/// and behind the last one, but for what fills the code up, nothing is run.
bool is_whole(std::span<const sass_instruction> code, std::span<const flow_step> flow,
              std::span<const std::uint64_t> addresses) {
  for (std::size_t i = 2; i < addresses.size(); ++i)
    if (addresses[i] - addresses[i - 1] != addresses[1] - addresses[0]) return false;
  for (const flow_step& step : flow)
    if ((step.kind == flow_kind::branch || step.kind == flow_kind::gather) && !step.target) return false;
  std::size_t last = code.size();
  while (last > 0 && code[last - 1].mnemonic() == "NOP") --last;
  if (last == 0) return true;
  const flow_kind kind = flow[last - 1].kind;
  return (kind == flow_kind::branch || kind == flow_kind::end || kind == flow_kind::elsewhere) &&
         !flow[last - 1].conditional;
}

class divider {
 public:
  divider(const source_listing& listing, std::span<const code_site> sites) : listing_(listing), sites_(sites) {
    const column_values zeros(listing.columns.size());
    result_.shared = result_.recording = result_.outside = result_.unknown = zeros;
    for (const code_site& site : sites) {
      const std::size_t number = numbers_.try_emplace({site.stage, site.kind}, parts_.size()).first->second;
      if (number == parts_.size()) parts_.push_back({{site.stage, site.kind, zeros, {}, {}, 0}, {}, {}, {}});
      parts_[number].sites.push_back(site.source);
    }
    for (const source_column& one : listing.columns)
      is_time_.push_back(one.key.starts_with("samples") || one.key.starts_with("stall_"));
    instructions_ = column("instructions");
    conflicts_ = column("shared_wavefronts_excessive");
  }

  code_division divide() {
    if (listing_.has_instructions)
      divide_instructions();
    else
      divide_lines();
    for (const auto& [stage, number] : numbers_) {
      stage_part& part = parts_[number];
      part.counters.spill_lines = part.spills.most();
      part.counters.conflict_lines = part.conflicts.most();
      result_.stages.push_back(std::move(part.counters));
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> column(const std::string& key) const {
    for (std::size_t i = 0; i < listing_.columns.size(); ++i)
      if (listing_.columns[i].key == key) return i;
    return std::nullopt;
  }

  [[nodiscard]] const code_site* find(std::uint32_t bits) const {
    const auto at = std::lower_bound(sites_.begin(), sites_.end(), bits,
                                     [](const code_site& site, std::uint32_t value) { return site.bits < value; });
    return at != sites_.end() && at->bits == bits ? &*at : nullptr;
  }

  [[nodiscard]] std::optional<std::size_t> part_of(std::uint32_t bits) const {
    const code_site* const site = find(bits);
    if (site == nullptr) return std::nullopt;
    return numbers_.at({site->stage, site->kind});
  }

  /// One site for all those of a stage; an unknown one stands for itself.
  [[nodiscard]] std::uint32_t stage_of(std::uint32_t bits) const {
    const std::optional<std::size_t> part = part_of(bits);
    return part ? static_cast<std::uint32_t>(*part) << 4 | 1 : bits;
  }

  void count_events(const sass_events& events) {
    result_.events = events.events.size();
    for (const sass_event& event : events.events) {
      if (!event.tag)
        ++result_.events_untold;
      else if (const record_kind kind = kind_of(*event.tag);
               !has_site(kind) || kind == record_kind::mark || kind == record_kind::counter)
        --result_.events;  // of no stage
      else if (find(site_bits_of(*event.tag)) != nullptr)
        ++result_.events_of_sites;
    }
  }

  void divide_instructions() {
    result_.kind = division_kind::instructions;
    std::vector<sass_instruction> code;
    std::vector<std::uint64_t> addresses;
    for (const source_row& row : listing_.rows) {
      code.push_back(parse_sass(row.text));
      addresses.push_back(row.address);
    }
    const sass_events events = find_events(code);
    count_events(events);
    const std::vector<flow_step> flow = flow_of(code, addresses);
    result_.whole = is_whole(code, flow, addresses);
    code_owners found = find_owners(flow, events, [this](std::uint32_t bits) { return stage_of(bits); });
    result_.indirect = found.indirect;
    result_.dropped = found.dropped;
    // Where lines are known, they tell the code that opens and closes recorders. Of a stage they tell nothing: what the
    // compiler has moved between an event's instructions it gives that event's line.
    for (std::size_t i = 0; i < code.size(); ++i)
      if (found.owners[i].kind == owner_kind::outside && is_recorder_code(listing_.rows[i]))
        found.owners[i].recording = true;
    for (std::size_t i = 0; i < code.size(); ++i) take(listing_.rows[i], code[i], found.owners[i]);
  }

  [[nodiscard]] static bool is_recorder_code(const source_row& row) {
    return std::any_of(row.sources.begin(), row.sources.end(),
                       [](const source_location& line) { return is_recorder_file(line.file); });
  }

  void take(const source_row& row, const sass_instruction& instruction, const code_owner& owner) {
    // A stage that the trace does not know is none.
    stage_part* const stage =
        owner.kind == owner_kind::stage && (owner.site_bits & 1) != 0 ? &parts_[owner.site_bits >> 4] : nullptr;
    if (owner.recording) {
      take_event(row, stage != nullptr                   ? stage->counters.values
                      : owner.kind == owner_kind::shared ? result_.shared
                                                         : result_.recording);
    } else if (stage != nullptr) {
      take(row, instruction, *stage);
    } else {
      add(row.values, owner.kind == owner_kind::shared    ? result_.shared
                      : owner.kind == owner_kind::outside ? result_.outside
                                                          : result_.unknown);
    }
  }

  /// An event's own work is recording. The time that a warp spends at it is that of the stage that is open there: a
  /// sample at the clock read of an end is of a warp that waits for what the stage has begun.
  void take_event(const source_row& row, column_values& time) {
    for (std::size_t i = 0; i < row.values.size(); ++i) (is_time_[i] ? time : result_.recording)[i] += row.values[i];
  }

  void take(const source_row& row, const sass_instruction& instruction, stage_part& to) const {
    add(row.values, to.counters.values);
    const std::string_view name = instruction.mnemonic();
    const std::uint64_t executed = instructions_ ? row.values[*instructions_] : 0;
    if ((name == "LDL" || name == "STL") && executed != 0) {
      to.counters.spill_instructions += executed;
      if (const auto line = line_of(row, to)) to.spills.add(*line, executed);
    }
    const std::uint64_t conflicts = conflicts_ ? row.values[*conflicts_] : 0;
    if (conflicts != 0)
      if (const auto line = line_of(row, to)) to.conflicts.add(*line, conflicts);
  }

  /// Of the lines that an instruction is inlined through, the one that the stage's author knows: in a file of its
  /// sites.
  [[nodiscard]] static std::optional<source_location> line_of(const source_row& row, const stage_part& stage) {
    std::optional<source_location> other;
    for (const source_location& line : row.sources) {
      for (const source_location& site : stage.sites)
        if (may_be_one_file(line.file, site.file)) return source_location{site.file, line.line};
      if (!is_recorder_file(line.file)) other = line;
    }
    return other;
  }

  void divide_lines() {
    result_.kind = division_kind::lines;
    for (const source_row& row : listing_.rows) {
      if (row.sources.empty()) {
        add(row.values, result_.unknown);
        continue;
      }
      const source_location& line = row.sources.front();
      if (is_recorder_file(line.file)) {
        add(row.values, result_.recording);
        continue;
      }
      take_line(row, line);
    }
  }

  /// The sites in a file, by line; nullptr where there were too many files before.
  const std::vector<const code_site*>* sites_in(const std::string& file) {
    if (const auto known = sites_by_file_.find(file); known != sites_by_file_.end()) return &known->second;
    if (sites_by_file_.size() == limits::divided_files) return nullptr;
    std::vector<const code_site*>& found = sites_by_file_[file];
    for (const code_site& site : sites_)
      if (may_be_one_file(file, site.source.file)) found.push_back(&site);
    std::stable_sort(found.begin(), found.end(),
                     [](const code_site* a, const code_site* b) { return a->source.line < b->source.line; });
    return &found;
  }

  /// The nearest begin at or above it. Of two on one line nobody knows which.
  void take_line(const source_row& row, const source_location& line) {
    const std::vector<const code_site*>* const sites = sites_in(line.file);
    if (sites == nullptr) return add(row.values, result_.unknown);
    const auto behind =
        std::upper_bound(sites->begin(), sites->end(), line.line,
                         [](std::uint32_t at, const code_site* site) { return at < site->source.line; });
    if (behind == sites->begin()) return add(row.values, result_.outside);
    const code_site* const nearest = *(behind - 1);
    bool shared = false;
    for (auto one = behind - 1; one != sites->begin() && (*(one - 1))->source.line == nearest->source.line; --one)
      shared = shared || (*(one - 1))->stage != nearest->stage || (*(one - 1))->kind != nearest->kind;
    if (shared) return add(row.values, result_.shared);
    stage_part& part = parts_[numbers_.at({nearest->stage, nearest->kind})];
    add(row.values, part.counters.values);
    if (conflicts_ && row.values[*conflicts_] != 0)
      part.conflicts.add({nearest->source.file, line.line}, row.values[*conflicts_]);
  }

  const source_listing& listing_;
  std::span<const code_site> sites_;
  std::map<std::pair<std::string, stage_kind>, std::size_t> numbers_;  // of parts
  std::map<std::string, std::vector<const code_site*>> sites_by_file_;
  std::vector<stage_part> parts_;
  std::vector<bool> is_time_;  // by column: it counts samples of time, not work
  std::optional<std::size_t> instructions_;
  std::optional<std::size_t> conflicts_;
  code_division result_;
};

}  // namespace

code_division divide(const source_listing& listing, std::span<const code_site> sites) {
  return divider(listing, sites).divide();
}

}  // namespace iket::analysis::counters
