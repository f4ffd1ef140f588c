// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "standing_json.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "payload_text.hpp"
#include "standing_text.hpp"

namespace iket::analysis {
namespace {

using namespace report_values;

json json_of(const warp_id& of) { return {{"cta", of.cta}, {"warp", of.warp}}; }

json kind_json(const std::optional<stage_kind>& kind) {
  return kind ? json(*kind == stage_kind::wait ? "wait" : "work") : json(nullptr);
}

json file_json(const source_location& of) { return of.file.empty() ? json(nullptr) : json(of.file); }
json line_json(const source_location& of) { return of.file.empty() ? json(nullptr) : json(of.line); }

json json_of(const standing_event& of) {
  return {
      {"stage", of.name}, {"kind", kind_json(of.kind)}, {"file", file_json(of.source)}, {"line", line_json(of.source)}};
}

json json_of(const standing_line& line, std::uint64_t launch) {
  const char* const places[] = {"in range", "between", "no record", "unknown", "ended"};
  json first = json::array();
  for (const warp_id& at : line.first) first.push_back(json_of(at));
  const json least = json::parse(payload_json(line.least)), most = json::parse(payload_json(line.most));
  const bool has_payload = !least.is_null();
  return {{"launch", integer(launch)},
          {"text", line_text(line)},
          {"place", places[static_cast<std::size_t>(line.place)]},
          {"may_be_in_range", line.may_be_inside},
          {"role", line.role},
          {"stage", line.name.empty() ? json(nullptr) : json(line.name)},
          {"kind", kind_json(line.kind)},
          {"file", file_json(line.source)},
          {"line", line_json(line.source)},
          {"after", line.after ? json_of(*line.after) : json(nullptr)},
          {"warps", integer(line.warps)},
          {"ctas", integer(line.ctas)},
          {"payload_min", least},
          {"payload_max", most},
          {"payload_min_warps", integer(has_payload ? line.least_part.warps : 0)},
          {"payload_min_first", has_payload ? json_of(line.least_part.first) : json(nullptr)},
          {"payload_max_warps", integer(has_payload ? line.most_part.warps : 0)},
          {"payload_max_first", has_payload ? json_of(line.most_part.first) : json(nullptr)},
          {"payload_of", line.payload_of.empty() ? json(nullptr) : json(line.payload_of)},
          {"for_min_ns", nanoseconds(line.shortest)},
          {"for_max_ns", nanoseconds(line.longest)},
          {"at_most", line.at_most},
          {"assumes_no_pause", line.assumes_no_pause},
          {"error_ns", optional_number(line.error_ns)},
          {"apart", line.apart},
          {"first", first}};
}

json json_of(const launch_standing& of) {
  return {{"launch", integer(of.launch)},
          {"state", of.running  ? "running"
                    : of.failed ? "failed"
                                : "ended"},
          {"begun", of.had_begun()},
          {"text", title_text(of)},
          {"age_ns", nanoseconds(of.age)},
          {"snapshot_ns", of.seen ? json(nanoseconds(of.seen->time)) : json(nullptr)},
          {"snapshot_error_ns", of.seen ? json(of.seen->error_ns) : json(nullptr)},
          {"warps", integer(of.warps)},
          {"warps_missing", integer(of.warps_missing)},
          {"ctas", integer(of.ctas)},
          {"ctas_missing", integer(of.ctas_missing)},
          {"ctas_untraced", integer(of.ctas_untraced)},
          {"lines_left_out", integer(of.lines_left_out)},
          {"notes", notes_on(of)}};
}

}  // namespace

void add_standing(const launch_report& launch, json& to) {
  json lines = json::array();
  for (const launch_standing& of : launch.standing)
    for (const standing_line& line : of.lines) lines.push_back(json_of(line, of.launch));
  to["standing"] = std::move(lines);
  to["unended"] = array_of(launch.standing, [](const launch_standing& of) { return json_of(of); });
  to["unended_left_out"] = integer(launch.standing_left_out);
  to["not_begun"] = integer(launch.launches_not_begun);
}

}  // namespace iket::analysis
