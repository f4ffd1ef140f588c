// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "standing.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "clock_accuracy.hpp"
#include "limits.hpp"
#include "payload_text.hpp"
#include "stage_statistics.hpp"
#include "standing_warp.hpp"

namespace iket::analysis {
namespace {

constexpr std::size_t most_named_warps = 4;
constexpr std::size_t most_payloads = 3;  // that get a line each
constexpr double wrap_cycles = 0x1p32;
constexpr double longest_wrap_ps = 0x1p61;  // a file may say that the clock stood still

/// What tells more comes first: among those that wait, one that should be at work.
auto rank_of(const standing_line& line) {
  const bool waits = line.place == standing_place::in_range && line.kind == stage_kind::wait;
  return std::tuple(!line.apart, line.place, waits, -static_cast<std::int64_t>(line.warps), -line.longest);
}

/// What tells lines apart, but for what came last before.
auto place_of(const standing_line& line) {
  return std::tuple(line.role, line.place, line.name, line.kind, line.source.file, line.source.line, line.payload_of,
                    payload_text(line.least), payload_text(line.most));
}

/// The launch as a whole, and the warps by what they have in common.
class launch_reader {
 public:
  launch_reader(const timeline& source, const launch& of) : source_(source), of_(of) {
    result_.launch = static_cast<std::uint64_t>(&of - source.launches.data()) + 1;
    result_.running = of.running;
    result_.failed = of.failed;
    result_.seen = of.snapshot;
    until_ = of.begin;
    for (const warp_timeline& warp : of.warps) until_ = std::max(until_, warp.closed ? warp.close : warp.last_event);
    if (of.snapshot) until_ = std::max(of.snapshot->time, of.begin);
    result_.age = until_ - of.begin;
    result_.wrap = of.clock.sm_ghz > 0
                       ? static_cast<picoseconds>(std::min(wrap_cycles * 1000 / of.clock.sm_ghz, longest_wrap_ps))
                       : 0;
    count_ctas();
  }

  launch_standing read(std::size_t most_lines) {
    std::map<site_key, std::vector<standing_warp>> sites;
    for (const warp_timeline& warp : of_.warps) {
      const standing_warp one = standing_of(warp);
      sites[one.key].push_back(one);
    }
    for (auto& [key, warps] : sites) add_site(warps);
    mark_apart();
    std::stable_sort(result_.lines.begin(), result_.lines.end(),
                     [](const standing_line& a, const standing_line& b) { return rank_of(a) < rank_of(b); });
    for (std::size_t i = most_lines; i < result_.lines.size(); ++i) {
      ++result_.lines_left_out;
      result_.warps_left_out += result_.lines[i].warps;
    }
    if (result_.lines.size() > most_lines) result_.lines.resize(most_lines);
    return std::move(result_);
  }

 private:
  void count_ctas() {
    result_.warps = of_.warps.size();
    result_.warps_lost = of_.warps_opened - std::min<std::uint64_t>(of_.warps_opened, result_.warps);
    for (std::size_t i = 0; i < of_.warps.size(); ++i)
      result_.ctas += i == 0 || of_.warps[i].cta_linear != of_.warps[i - 1].cta_linear;
    result_.ctas_missing = of_.ctas_traced - std::min(of_.ctas_traced, result_.ctas);
    result_.ctas_untraced = of_.ctas_total - std::min(of_.ctas_total, of_.ctas_traced);
    const std::uint64_t reserved = result_.ctas * count_warps(of_.warp_mask, of_.warps_per_cta);
    result_.warps_missing = reserved - std::min(reserved, result_.warps);
  }

  /// Warps at one site: a line for each payload, or one for all where those are many.
  void add_site(std::vector<standing_warp>& warps) {
    const auto value = [](const standing_warp& one) { return payload{one.key.type, one.payload_bits}; };
    const auto before = [&](const standing_warp& a, const standing_warp& b) {
      return payload_less(value(a), value(b));
    };
    std::stable_sort(warps.begin(), warps.end(), before);
    std::vector<std::size_t> ends;
    for (std::size_t i = 1; i <= warps.size(); ++i)
      if (i == warps.size() || before(warps[i - 1], warps[i])) ends.push_back(i);
    if (ends.size() > most_payloads) {
      const std::size_t last = ends[ends.size() - 2];
      const extremes of{value(warps.front()), value(warps.back()), part_of(warps, 0, ends.front()),
                        part_of(warps, last, warps.size())};
      std::stable_sort(warps.begin(), warps.end(),
                       [](const standing_warp& a, const standing_warp& b) { return a.warp < b.warp; });
      add_line(warps, 0, warps.size(), of);
      return;
    }
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const standing_part all = part_of(warps, begin, end);
      add_line(warps, begin, end, {value(warps[begin]), value(warps[begin]), all, all});
      begin = end;
    }
  }

  /// The payloads of a line.
  struct extremes {
    payload least, most;
    standing_part least_part, most_part;
  };

  static warp_id id_of(const standing_warp& of) { return {of.warp->cta, of.warp->warp}; }

  static standing_part part_of(const std::vector<standing_warp>& warps, std::size_t begin, std::size_t end) {
    return {end - begin, id_of(warps[begin])};
  }

  /// Of warps [begin, end), which are in order of their places.
  void add_line(const std::vector<standing_warp>& warps, std::size_t begin, std::size_t end, const extremes& of) {
    const site_key& key = warps[begin].key;
    standing_line line;
    line.place = key.place;
    line.role = role_name(source_, key.role);
    name_place(key, line);
    line.source = source_at(key.source);
    if (key.after.name != none)
      line.after =
          standing_event{name_of(key.after), kind_of(key.after), key.after.is_counter, source_at(key.after_source)};
    if (key.payload_of.name != none) line.payload_of = name_of(key.payload_of);
    line.may_be_inside = key.may_be_inside;
    line.least = of.least;
    line.most = of.most;
    line.least_part = of.least_part;
    line.most_part = of.most_part;
    line.warps = end - begin;
    std::uint32_t in_cta = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const warp_timeline& warp = *warps[i].warp;
      ++in_cta;
      if (i + 1 == end || warps[i + 1].warp->cta_linear != warp.cta_linear) {
        line.fewest_in_cta = line.ctas == 0 ? in_cta : std::min(line.fewest_in_cta, in_cta);
        line.most_in_cta = std::max(line.most_in_cta, in_cta);
        ++line.ctas;
        in_cta = 0;
      }
      if (line.first.size() < most_named_warps) line.first.push_back(id_of(warps[i]));
      add_time(warps[i], i == begin, line);
    }
    result_.lines.push_back(std::move(line));
  }

  void add_time(const standing_warp& of, bool is_first, standing_line& line) const {
    const picoseconds time = std::max<picoseconds>(until_ - of.since, 0);
    const picoseconds longer = of.warp->closed ? 0 : of.warp->doubts.may_be_earlier_by(of.since);
    line.shortest = is_first ? time : std::min(line.shortest, time);
    line.longest = std::max(line.longest, std::min(time + longer, std::max(result_.age, time)));
    if (!of.warp->closed && time >= result_.wrap) {
      const bool is_doubtful = of.warp->doubts.may_be_later(of.since);
      line.at_most = line.at_most || is_doubtful;
      line.assumes_no_pause = line.assumes_no_pause || (!is_doubtful && of.since > of.warp->doubts.last_pair);
    }
    line.at_most = line.at_most || longer != 0;
    if (of_.accuracy == nullptr) return;
    const double error_ns = static_cast<double>(of_.accuracy->uncertainty(of.warp->sm, of.since)) / 1000 +
                            (of_.snapshot ? of_.snapshot->error_ns : 0);
    line.error_ns = std::max(line.error_ns.value_or(0), error_ns);
  }

  void name_place(const site_key& key, standing_line& line) const {
    if (key.at.name == none) return;
    line.name = name_of(key.at);
    line.kind = kind_of(key.at);
    line.is_counter = key.at.is_counter;
  }

  [[nodiscard]] source_location source_at(index place) const {
    return place == none ? source_location{} : source_.sources.at(place);
  }

  [[nodiscard]] std::optional<stage_kind> kind_of(const named& of) const {
    return of.is_point ? std::nullopt : std::optional(source_.stages.at(of.name).kind);
  }

  [[nodiscard]] const std::string& name_of(const named& of) const {
    return of.is_point ? source_.points.at(of.name).name : source_.stages.at(of.name).name;
  }

  /// A few warps apart from nearly all of their role are what to look at first, and a single one apart from two or more
  /// that stand together; where there are many such places, a kernel is just at work.
  void mark_apart() {
    constexpr std::uint64_t part = 8;
    constexpr std::size_t most_apart = 8;
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> roles;  // all warps, and those at the largest place
    std::map<decltype(place_of(result_.lines.front())), std::uint64_t> places;
    std::vector<std::uint64_t*> at_place;  // of each line: all warps there
    for (const standing_line& line : result_.lines) {
      auto& [all, largest] = roles[line.role];
      all += line.warps;
      at_place.push_back(&places[place_of(line)]);
      *at_place.back() += line.warps;
      largest = std::max(largest, *at_place.back());
    }
    std::vector<standing_line*> found;
    for (std::size_t i = 0; i < result_.lines.size(); ++i) {
      standing_line& line = result_.lines[i];
      const auto& [all, largest] = roles[line.role];
      const bool is_few = line.warps * part <= all && (all - largest) * part <= all;
      const bool is_alone = *at_place[i] == 1 && largest >= 2 && largest == all - 1;
      if (is_few || is_alone) found.push_back(&line);
    }
    if (found.size() > most_apart) return;
    for (standing_line* const line : found) line->apart = true;
  }

  const timeline& source_;
  const launch& of_;
  picoseconds until_ = 0;
  launch_standing result_;
};

bool had_not_ended(const launch& of) { return of.running || of.failed; }

bool had_begun(const launch& of) { return !of.warps.empty() || of.warps_opened != 0; }

bool is_to_be_read(const launch& of) {
  return had_not_ended(of) ||
         std::any_of(of.warps.begin(), of.warps.end(), [](const warp_timeline& warp) { return !warp.closed; });
}

}  // namespace

group_standing standing_of(const timeline& source, const launch_group& group, standing_room room) {
  group_standing result;
  std::vector<const launch*> not_begun;
  for (const launch* const one : group) {
    if (!is_to_be_read(*one)) continue;
    if (!had_begun(*one)) {
      not_begun.push_back(one);
    } else if (result.launches.size() == room.launches || room.lines == 0) {
      ++result.left_out;
    } else {
      result.launches.push_back(launch_reader(source, *one).read(room.lines));
      room.lines -= result.launches.back().lines.size();
    }
  }
  result.not_begun = not_begun.size();
  for (const launch* const one : not_begun) {
    if (result.launches.size() == room.launches) break;
    result.launches.push_back(launch_reader(source, *one).read(0));
  }
  return result;
}

std::vector<group_standing> standings_of(const timeline& source, const std::vector<launch_group>& groups) {
  std::vector<group_standing> result(groups.size());
  standing_room room{limits::standing_launches_of_report, limits::standing_lines_of_report};
  for (const bool first : {true, false})
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (had_not_ended(*groups[i].front()) != first) continue;
      result[i] = standing_of(
          source, groups[i],
          {std::min(room.launches, limits::standing_launches), std::min(room.lines, limits::standing_lines)});
      room.launches -= result[i].launches.size();
      for (const launch_standing& one : result[i].launches) room.lines -= one.lines.size();
    }
  return result;
}

}  // namespace iket::analysis
