// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "report_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "text_table.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

constexpr std::size_t indent = 2;

/// Words joined by `gap`, broken into lines of `width` columns; lines after the first are indented by `hang`.
std::string wrapped(const std::vector<std::string>& words, const std::string& gap, std::size_t width,
                    std::size_t hang) {
  std::string result;
  std::size_t used = 0;
  for (const std::string& word : words) {
    const std::size_t needed = display_width(word);
    if (used != 0 && used + display_width(gap) + needed > width) {
      result += "\n" + std::string(hang, ' ');
      used = 0;
    }
    if (used != 0) result += gap;
    used += (used != 0 ? display_width(gap) : 0) + needed;
    result += word;
  }
  return result;
}

/// The words of a safe text; one that is longer than a line is cut into several.
std::vector<std::string> words_of(std::string_view text, std::size_t width) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) words.push_back(shorten_middle(text.substr(0, end), width));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string extent_text(const std::array<std::uint32_t, 3>& extent) {
  return std::to_string(extent[0]) + " x " + std::to_string(extent[1]) + " x " + std::to_string(extent[2]);
}

std::string clock_text(const clock_summary& clock) {
  std::string text = "SM clock " + fixed_text(clock.sm_ghz, 3) + " GHz";
  if (clock.rate_assumed) text += " (assumed)";
  if (!clock.domains.empty()) text += ", " + count_text(clock.domains.size(), "clock domain");
  return text;
}

/// "times to ±13 ns (median ±9 ns), timer tick 32 ns"
std::string accuracy_text(const clock_summary& clock) {
  const auto within = [](double ns) {
    return "±" + (ns < 1000 ? fixed_text(std::ceil(ns), 0) + " ns" : duration_text(ns * 1000));
  };
  std::string text =
      "times to " + within(clock.uncertainty_ns) + " (median " + within(clock.uncertainty_median_ns) + ")";
  if (clock.tick_ns > 0) text += ", timer tick " + fixed_text(clock.tick_ns, 0) + " ns";
  return text;
}

/// " (every 4th cluster, warps 0 to 3)"; "" for all.
std::string selection_text(const launch_report& launch) {
  const bool both = !launch.cta_selection.empty() && !launch.warp_selection.empty();
  const std::string text = launch.cta_selection + (both ? ", " : "") + launch.warp_selection;
  return text.empty() ? text : " (" + text + ")";
}

/// "duration 12.3 us"; where CUDA events tell another one, both, finer.
std::string duration_fact(const launch_report& launch) {
  const bool in_kernel = launch.launches_timed != 0;
  const bool by_events = launch.launches_event_timed != 0;
  std::string text = by_events ? "launch " : "duration ";
  if (in_kernel)
    text += by_events ? fine_duration_text(launch.duration_ps) + " in the kernel" : duration_text(launch.duration_ps);
  if (launch.launches_timed > 1)
    text += " (" + duration_text(static_cast<double>(launch.shortest)) + " to " +
            duration_text(static_cast<double>(launch.longest)) + ")";
  if (!by_events) return text;
  text += (in_kernel ? ", " : "") + fine_duration_text(launch.event_duration_ps) + " by CUDA events";
  if (launch.launches_event_timed != launch.count)
    text += " (" + std::to_string(launch.launches_event_timed) + " of the launches)";
  return text;
}

/// "begins 3.1 us behind the traced launch before", "overlaps the traced launch before by 12.3 us in 9 of 10"; "" for
/// the first of all.
std::string sequence_text(const launch_sequence& sequence) {
  const std::optional<double> overlap = sequence.mean_overlap_ps(), gap = sequence.mean_gap_ps();
  if (!overlap) return gap ? "begins " + duration_text(*gap) + " behind the traced launch before" : "";
  const std::string part =
      gap ? " in " + std::to_string(sequence.overlapping) + " of " + std::to_string(sequence.followers) : "";
  return "overlaps the traced launch before by " + duration_text(*overlap) + part;
}

std::vector<std::string> facts_of(const launch_report& launch) {
  std::vector<std::string> facts;
  if (launch.is_of_several) facts.push_back("in " + terminal_safe(launch.file));
  facts.insert(facts.end(), {"grid " + extent_text(launch.grid), "block " + extent_text(launch.block)});
  if (launch.gpu)
    facts.push_back((launch.gpu_number ? "device " + std::to_string(*launch.gpu_number) + ": " : "") +
                    terminal_safe(launch.gpu->name));
  if (launch.count != 1) facts.push_back(std::to_string(launch.count) + " launches");
  if (launch.launches_timed != 0 || launch.launches_event_timed != 0) facts.push_back(duration_fact(launch));
  if (std::string text = sequence_text(launch.sequence); !text.empty()) facts.push_back(std::move(text));
  facts.push_back(std::to_string(launch.ctas_traced) + " of " + count_text(launch.ctas_total, "CTA") + " traced" +
                  selection_text(launch));
  facts.push_back(count_text(launch.warps, "warp"));
  facts.push_back("records: " + std::to_string(launch.written) + " written, " + std::to_string(launch.kept) +
                  " kept, " + std::to_string(launch.lost) + " lost");
  if (launch.launches_timed != 0) {
    facts.push_back(clock_text(launch.clock));
    if (!launch.clock.rate_assumed) facts.push_back(accuracy_text(launch.clock));
  }
  if (launch.overhead && launch.overhead->fraction)
    facts.push_back("tracing took an estimated " + percent_text(*launch.overhead->fraction) + " of the warps' time");
  return facts;
}

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : ", ") + name;
  return result;
}

text_table stage_table(const launch_report& launch) {
  text_table table;
  table.columns = {
      {"stage", true, 20, 0, false}, {"kind", true, 0, 0, false},  {"roles", true, 10, 6, false, cell_kind::list},
      {"count", false, 0, 0, false}, {"total", false, 0, 1, true}, {"self", false, 0, 0, true},
      {"mean", false, 0, 4, true},   {"p50", false, 0, 0, true},   {"p90", false, 0, 3, true},
      {"p99", false, 0, 6, true},    {"max", false, 0, 5, true},   {"share", false, 0, 0, true}};
  const bool estimated = std::any_of(launch.stages.begin(), launch.stages.end(),
                                     [](const stage_statistics& stage) { return stage.overhead.has_value(); });
  if (estimated) table.columns.push_back({"tracing", false, 0, 2, true});
  for (const stage_statistics& stage : launch.stages) {
    const bool waits = stage.kind == stage_kind::wait;
    const auto duration = [&](picoseconds duration_spread::*member) -> table_cell {
      if (!stage.spread) return {"-", style::faint};
      return {duration_text(static_cast<double>((*stage.spread).*member)), style::plain};
    };
    // In front of the median, of which the mark tells, and which no width drops.
    table_cell median = duration(&duration_spread::p50);
    if (stage.is_too_short()) median.text.insert(0, 1, '~');
    const auto optional_text = [](const std::optional<double>& value, std::string (*text)(double)) {
      return value ? text(*value) : std::string("-");
    };
    const style look = waits ? style::wait : style::plain;
    table.rows.push_back({{terminal_safe(stage.name), look},
                          {waits ? "wait" : "work", look},
                          {terminal_safe(joined(stage.roles)), style::plain},
                          {std::to_string(stage.count), style::plain},
                          {duration_text(static_cast<double>(stage.total)), style::plain},
                          {duration_text(static_cast<double>(stage.self)), style::plain},
                          {optional_text(stage.mean_ps(), duration_text), style::plain},
                          std::move(median),
                          duration(&duration_spread::p90),
                          duration(&duration_spread::p99),
                          duration(&duration_spread::max),
                          {optional_text(stage.share(), percent_text), look}});
    if (estimated) table.rows.back().push_back({optional_text(stage.overhead, percent_text), style::faint});
  }
  return table;
}

/// What the table of stages estimates, and what "~" in it says where it occurs.
std::string stage_legend(const launch_report& launch) {
  std::string text;
  if (std::any_of(launch.stages.begin(), launch.stages.end(),
                  [](const stage_statistics& stage) { return stage.overhead.has_value(); }))
    text = "tracing: the events' part of a stage, an estimate";
  const auto is_marked = [](const stage_statistics& stage) { return stage.is_too_short(); };
  if (std::none_of(launch.stages.begin(), launch.stages.end(), is_marked)) return text;
  return text + (text.empty() ? "" : "; ") + "~ shorter than the cost of " + fixed_text(too_short_events, 0) +
         " events (an estimated " + duration_text(launch.too_short_ps) + ")";
}

/// How a role's time divides, in `width` characters: work, wait, untracked, lost.
std::string bar_of(const role_statistics& role, std::size_t width) {
  const auto lifetime = static_cast<double>(role.lifetime());
  if (lifetime <= 0) return {};
  const std::pair<picosecond_sum, const char*> parts[] = {
      {role.work, "█"}, {role.wait, "▒"}, {role.untracked, "·"}, {role.lost, "x"}};
  std::string bar;
  std::size_t drawn = 0;
  double end = 0;
  for (const auto& [time, character] : parts) {
    end += static_cast<double>(time) / lifetime;
    for (; drawn < static_cast<std::size_t>(std::lround(end * static_cast<double>(width))); ++drawn) bar += character;
  }
  return bar;
}

text_table role_table(const launch_report& launch) {
  constexpr std::size_t bar_width = 20;
  text_table table;
  table.columns = {
      {"role", true, 8, 0, false}, {"warps", false, 0, 0, false},    {"lifetime", false, 0, 6, true},
      {"work", false, 0, 0, true}, {"", false, 0, 4, true},          {"wait", false, 0, 0, true},
      {"", false, 0, 5, true},     {"untracked", false, 0, 0, true}, {"", false, 0, 2, true},
      {"lost", false, 0, 0, true}, {"", false, 0, 1, true},          {"", true, 10, 3, false, cell_kind::drawing}};
  for (const role_statistics& role : launch.roles) {
    const auto lifetime = static_cast<double>(role.lifetime());
    const auto mean = [&](picosecond_sum time) {
      return duration_text(static_cast<double>(time) / static_cast<double>(role.warps));
    };
    const auto part = [&](picosecond_sum time) {
      return lifetime > 0 ? percent_text(static_cast<double>(time) / lifetime) : std::string("-");
    };
    const style waits = role.wait != 0 ? style::wait : style::plain;
    table.rows.push_back({{terminal_safe(role.name), style::plain},
                          {std::to_string(role.warps), style::plain},
                          {mean(role.lifetime()), style::plain},
                          {part(role.work), style::plain},
                          {mean(role.work), style::plain},
                          {part(role.wait), waits},
                          {mean(role.wait), waits},
                          {part(role.untracked), style::plain},
                          {mean(role.untracked), style::plain},
                          {part(role.lost), style::plain},
                          {mean(role.lost), style::plain},
                          {bar_of(role, bar_width), style::plain}});
  }
  return table;
}

class writer {
 public:
  explicit writer(const text_options& options)
      : colours_(options.colours), width_(std::max<std::size_t>(options.columns, 60)) {}

  void write(const launch_report& launch) {
    const std::string name = launch.kernel.empty() ? "(unnamed kernel)" : terminal_safe(launch.kernel);
    out_ += styled(shorten_middle(name, width_), style::strong, colours_) + "\n";
    out_ += std::string(indent, ' ') + wrapped(facts_of(launch), " · ", width_ - indent, indent) + "\n";
    if (!launch.stages.empty()) write(render(stage_table(launch), width_, indent, colours_), stage_legend(launch));
    if (!launch.roles.empty()) {
      const rendered_table table = render(role_table(launch), width_, indent, colours_);
      const bool has_bars = table.text.find("█") != std::string::npos || table.text.find("▒") != std::string::npos;
      write(table, std::string("times are means per warp") + (has_bars ? ": █ work ▒ wait · untracked x lost" : ""));
    }
    if (!launch.findings.empty()) out_ += "\n";
    for (const finding& found : launch.findings) write_note(found.text, found.severity);
    out_ += "\n";
  }

  void write_note(const std::string& text, severity level) {
    const bool warns = level == severity::warning;
    const std::vector<std::string> words = words_of(terminal_safe(text), width_ - indent);
    const std::string lines = wrapped(words, " ", width_ - indent, indent);
    out_ += styled(warns ? "!" : "•", warns ? style::warning : style::faint, colours_) + " " + lines + "\n";
  }

  std::string take() { return std::move(out_); }

 private:
  void write(const rendered_table& table, const std::string& legend) {
    out_ += "\n" + table.text;
    std::string note = legend;
    if (!table.dropped.empty())
      note += (note.empty() ? "" : "; ") + std::string("not shown in this width: ") + joined(table.dropped);
    if (note.empty()) return;
    const std::string lines = wrapped(words_of(note, width_), " ", width_ - indent, indent);
    out_ += std::string(indent, ' ') + styled(lines, style::faint, colours_) + "\n";
  }

  bool colours_;
  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string report_text(const report& source, const text_options& options) {
  writer text(options);
  for (const launch_report& launch : source.launches) text.write(launch);
  for (std::size_t i = 1; i < source.devices.size(); ++i)
    if (const std::optional<double>& error_ns = source.devices[i].alignment_error_ns)
      text.write_note("device " + std::to_string(i) + " is on device 0's time line, to ±" +
                          (*error_ns > 0 ? duration_text(1000 * *error_ns) : "0 ns"),
                      severity::info);
  if (source.launches.empty()) text.write_note("0 launches in " + source.file, severity::warning);
  for (const std::string& warning : source.warnings) text.write_note(warning, severity::warning);
  return text.take();
}

}  // namespace iket::analysis
