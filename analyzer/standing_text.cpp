// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "standing_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "address_name.hpp"
#include "payload_text.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

std::string cta_text(const warp_id& of) {
  return std::to_string(of.cta[0]) + "," + std::to_string(of.cta[1]) + "," + std::to_string(of.cta[2]);
}

std::string warps_text(const standing_line& line, std::uint64_t count) {
  if (line.role == "-") return count_text(count, "warp");
  if (is_address_name(line.role)) return count_text(count, "warp") + " of role " + quoted(line.role);
  return count_text(count, line.role + " warp");
}

/// "132 CTAs x 4 consumer warps", "7 consumer warps of 3 CTAs", "4 consumer warps of CTA 3,0,0", "1 producer warp"
std::string who_text(const standing_line& line) {
  if (line.warps == 1) return warps_text(line, 1);
  if (line.ctas == 1) return warps_text(line, line.warps) + " of CTA " + cta_text(line.first.front());
  if (line.fewest_in_cta == line.most_in_cta)
    return count_text(line.ctas, "CTA") + " x " + warps_text(line, line.most_in_cta);
  return warps_text(line, line.warps) + " of " + count_text(line.ctas, "CTA");
}

/// " (CTA 3,0,0 warp 4, CTA 5,0,0 warp 4)" where they are few, else "".
std::string places_text(const standing_line& line) {
  if (line.warps != line.first.size() || (line.ctas == 1 && line.warps != 1)) return "";
  std::string text;
  for (const warp_id& at : line.first)
    text += (text.empty() ? "CTA " : ", CTA ") + cta_text(at) + " warp " + std::to_string(at.warp);
  return " (" + text + ")";
}

/// " (ws_gemm.cu:88)", without the folders; "" where it is not known.
std::string source_text(const source_location& of) {
  if (of.file.empty()) return "";
  const std::size_t folder = of.file.find_last_of('/');
  return " (" + of.file.substr(folder == std::string::npos ? 0 : folder + 1) + ":" + std::to_string(of.line) + ")";
}

std::string range_text(const std::string& least, const std::string& most) {
  return least == most ? least : least + " to " + most;
}

/// " (1 warp: CTA 3,0,0 warp 4)", " (7 warps)"
std::string part_text(const standing_part& of) {
  return " (" + count_text(of.warps, "warp") +
         (of.warps == 1 ? ": CTA " + cta_text(of.first) + " warp " + std::to_string(of.first.warp) : "") + ")";
}

/// Of several payloads the smallest and the largest, and who is there: one that lags is seen by that.
std::string payload_part(const standing_line& line) {
  const std::string least = payload_text(line.least), most = payload_text(line.most);
  if (least.empty()) return "";
  const std::string values =
      least == most ? least : least + part_text(line.least_part) + " to " + most + part_text(line.most_part);
  if (line.payload_of.empty()) return ", payload " + values;
  return ", last payload " + values + " of " + quoted(line.payload_of);
}

std::string time_text(const standing_line& line) {
  const std::string least = duration_text(static_cast<double>(line.shortest));
  const std::string most = duration_text(static_cast<double>(line.longest));
  return line.at_most ? "up to " + most : range_text(least, most);
}

/// "the mark 'done' (ws_gemm.cu:68)", "'load tile' (ws_gemm.cu:68)"
std::string event_text(const standing_event& of) {
  const std::string what = quoted(of.name) + source_text(of.source);
  return of.kind ? what : (of.is_counter ? "the counter " : "the mark ") + what;
}

/// ", after 'load tile' (ws_gemm.cu:68) ended"
std::string after_text(const standing_line& line) {
  if (line.name.empty()) return "";
  return ", after " + event_text({line.name, line.kind, line.is_counter, line.source}) + (line.kind ? " ended" : "");
}

/// "; last in it: 'load tile' (ws_gemm.cu:68), which ended"
std::string last_text(const standing_line& line) {
  if (!line.after) return "";
  return "; last in it: " + event_text(*line.after) + (line.after->kind ? ", which ended" : "");
}

}  // namespace

std::string line_text(const standing_line& line) {
  const std::string who = who_text(line);
  const std::string whereabouts = places_text(line);
  switch (line.place) {
    case standing_place::in_range:
      return who + " in " + quoted(line.name) + source_text(line.source) + payload_part(line) + ", for " +
             time_text(line) + whereabouts + last_text(line);
    case standing_place::between:
      return who + (line.may_be_inside ? " in no range that the ring still shows" : " between ranges") +
             after_text(line) + payload_part(line) + ", for " + time_text(line) + whereabouts;
    case standing_place::no_record:
      return who + " with no record yet, for " + time_text(line) + whereabouts;
    case standing_place::unknown:
      return who + " somewhere behind the last record that the ring had room for, for " + time_text(line) + whereabouts;
    case standing_place::ended:
      break;
  }
  return who + " at the end, with the recorder closed, for " + time_text(line) + whereabouts;
}

std::string title_text(const launch_standing& of) {
  const std::string age = duration_text(static_cast<double>(of.age));
  if (of.warps == 0 && of.warps_lost != 0)
    return "where its warps stood is not known: their records are missing from the file";
  if (of.had_not_ended() && of.warps == 0) return not_begun_text(1, of.running);
  if (of.running && of.seen) return "where its warps stood at the snapshot, " + age + " after it began";
  if (of.running)
    return "where its warps stood at the snapshot; times to its last record, " + age +
           " after it began, as nothing tells when the snapshot was";
  if (of.failed)
    return "where its warps stood when a kernel failed; times to its last record, " + age + " after it began";
  return "where the last records of its warps leave them; times to the last of those";
}

std::string not_begun_text(std::uint64_t launches, bool running) {
  const bool one = launches == 1;
  return std::string(one ? "it" : "they") + " had not begun " + (running ? "at the snapshot" : "when a kernel failed") +
         ", or no warp of " + (one ? "it" : "them") + " had made a recorder";
}

std::vector<std::string> notes_on(const launch_standing& of) {
  std::vector<std::string> notes;
  if (of.lines_left_out != 0)
    notes.push_back(count_text(of.warps_left_out, "warp") + " at " + count_text(of.lines_left_out, "further place") +
                    " left out");
  if (of.warps_lost != 0)
    notes.push_back("the records of " + count_text(of.warps_lost, "warp") +
                    " are missing from the file, which is cut or damaged");
  else if (of.warps_missing != 0)
    notes.push_back(count_text(of.warps_missing, "further warp") +
                    " of these CTAs made no recorder: not there yet, or never");
  if (of.ctas_missing != 0)
    notes.push_back(count_text(of.ctas_missing, "CTA") +
                    (of.warps_lost != 0 ? " without any record here" : " had not begun, or made no recorder") +
                    (of.ctas_untraced != 0 ? "; " + std::to_string(of.ctas_untraced) + " more not traced" : ""));
  else if (of.ctas_untraced != 0)
    notes.push_back(count_text(of.ctas_untraced, "further CTA") + " not traced");
  if (of.lines.empty()) return notes;
  double error_ns = 0;
  bool at_most = false, assumes_no_pause = false, may_be_inside = false;
  for (const standing_line& line : of.lines) {
    error_ns = std::max(error_ns, line.error_ns.value_or(0));
    at_most = at_most || line.at_most;
    assumes_no_pause = assumes_no_pause || line.assumes_no_pause;
    may_be_inside = may_be_inside || line.may_be_inside;
  }
  if (may_be_inside)
    notes.push_back(
        "in no range that the ring still shows: the begin of one around it may have been overwritten; whether it is in "
        "one is not known, and more records per warp would tell");
  if (of.had_not_ended() && error_ns > 0) notes.push_back("these times to ±" + duration_text(1000 * error_ns));
  if (at_most)
    notes.push_back(
        "up to: nothing in those rings tells how often the 32-bit clock wrapped before: IKET_SYNC there would");
  if (assumes_no_pause)
    notes.push_back("times above " + duration_text(static_cast<double>(of.wrap)) +
                    " assume that no warp paused that long between two earlier records; its 32-bit clock cannot show "
                    "it, IKET_SYNC can");
  return notes;
}

}  // namespace iket::analysis
