// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "report_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "compare/comparison_tables.hpp"
#include "counters/counters_tables.hpp"
#include "related_tables.hpp"
#include "report_tables.hpp"
#include "standing_blocks.hpp"
#include "standing_text.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "units.hpp"
#include "wrapped_text.hpp"

namespace iket::analysis {
namespace {

constexpr std::size_t indent = 2;

std::string clock_text(const clock_summary& clock) {
  std::string text = "SM clock " + fixed_text(clock.sm_ghz, 3) + " GHz";
  if (clock.rate_assumed) text += " (assumed)";
  if (clock.domains != nullptr && !clock.domains->empty())
    text += ", " + count_text(clock.domains->size(), "clock domain");
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
  if (in_kernel && launch.launches_running != 0) text += " so far";
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

/// "traced 99.42 us, plain 93.44 us: +6.4 % (medians of 5 and 5 launches)"
std::string plain_fact(const plain_times& times) {
  const std::string medians = times.launches == 1 && times.traced_launches == 1
                                  ? ""
                                  : " (medians of " + std::to_string(times.traced_launches) + " and " +
                                        std::to_string(times.launches) + " launches)";
  return "traced " + fine_duration_text(1000 * times.traced_median_ns) + ", plain " +
         fine_duration_text(1000 * times.median_ns) + ": " + signed_percent_text(times.ratio() - 1) + medians;
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
  if (launch.plain) facts.push_back(plain_fact(*launch.plain));
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
    facts.push_back("tracing took an estimated " + percent_text(*launch.overhead->fraction) + " of the warps' time" +
                    (launch.is_partial() ? " up to the last records" : ""));
  return facts;
}

/// Facts side by side in lines of so many columns; one that is wider has lines of its own.
std::string lines_of(std::vector<std::string> facts, std::size_t width) {
  for (std::string& one : facts)
    if (display_width(one) > width) one = wrapped(words_of(one, width), " ", width, indent);
  return wrapped(facts, " · ", width, indent);
}

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : ", ") + name;
  return result;
}

std::string heading_of(const std::string& kernel) {
  return kernel.empty() ? "(unnamed kernel)" : terminal_safe(kernel);
}

class writer {
 public:
  explicit writer(const text_options& options)
      : colours_(options.colours), width_(std::max(options.columns, least_columns)) {}

  /// Where the warps of launches stand that had not ended.
  void write_standing(const std::vector<standing_block>& blocks) {
    for (const standing_block& one : blocks) {
      out_ += styled(wrapped(words_of(one.heading, width_), " ", width_, indent), style::strong, colours_) + "\n";
      if (one.lines_of != nullptr) write_lines(*one.lines_of);
      if (!one.note.empty()) write_note(one.note, severity::info);
    }
    out_ += "\n";
  }

  void write(const launch_report& launch) {
    out_ += styled(shorten_middle(heading_of(launch.kernel), width_), style::strong, colours_) + "\n";
    out_ += std::string(indent, ' ') + lines_of(facts_of(launch), width_ - indent) + "\n";
    if (!launch.stages.empty()) write(render(stage_table(launch), width_, indent, colours_), stage_legend(launch));
    if (!launch.roles.empty()) {
      const rendered_table table = render(role_table(launch), width_, indent, colours_);
      const bool has_bars = table.text.find("█") != std::string::npos || table.text.find("▒") != std::string::npos;
      write(table, std::string("times are means per warp") + (has_bars ? ": █ work ▒ wait · untracked x lost" : ""));
    }
    if (!launch.related.waits.empty()) write(render(wait_table(launch), width_, indent, colours_), wait_legend());
    if (const std::vector<pipeline>& all = launch.related.pipelines.pipelines; !all.empty()) {
      const std::string more = all.size() > 1 ? "; " + std::to_string(all.size() - 1) + " more: --report" : "";
      write(render(pipeline_table(all.front()), width_, indent, colours_), pipeline_legend(all.front()) + more);
    }
    if (const text_table table = imbalance_table(launch); !table.rows.empty())
      write(render(table, width_, indent, colours_), imbalance_legend());
    if (const std::vector<std::string> facts = path_facts(launch); !facts.empty())
      out_ += "\n" + std::string(indent, ' ') + wrapped(facts, " · ", width_ - 2 * indent, 2 * indent) + "\n";
    if (launch.counters) write(*launch.counters);
    for (const launch_standing& one : launch.standing)
      if (!one.had_not_ended()) write_unclosed(one);
    if (!launch.findings.empty()) out_ += "\n";
    for (const finding& found : launch.findings) write_note(found.text, found.severity);
    out_ += "\n";
  }

  void write(const comparison& of) {
    out_ += styled("compared with " + shorten_middle(terminal_safe(of.baseline), width_ - indent), style::strong,
                   colours_) +
            "\n";
    for (const kernel_comparison& kernel : of.kernels) {
      out_ += std::string(indent, ' ') +
              styled(shorten_middle(heading_of(kernel.after.kernel), width_ - indent), style::strong, colours_) + "\n" +
              std::string(indent, ' ') + wrapped(comparison_facts(of, kernel), " · ", width_ - indent, indent) + "\n";
      if (!kernel.stages.empty())
        write(render(compared_stage_table(kernel), width_, indent, colours_), compared_stage_legend(of, kernel));
      if (!kernel.roles.empty()) write(render(compared_role_table(kernel), width_, indent, colours_), "");
      if (!kernel.notes.empty()) out_ += "\n";
      for (const std::string& note : kernel.notes) write_note(note, severity::info);
      out_ += "\n";
    }
    for (const std::string& text : unmatched_texts(of)) write_note(text, severity::warning);
  }

  void write(const counters::launch_counters& of) {
    out_ += "\n" + std::string(indent, ' ') + lines_of(counters::counter_facts(of), width_ - indent) + "\n";
    if (const text_table table = counters::counter_table(of); !table.rows.empty())
      write(render(table, width_, indent, colours_), counters::counter_legend(of));
    if (!of.notes.empty() || !of.doubts.empty() || !of.time_doubt.empty()) out_ += "\n";
    for (const std::string& doubt : of.doubts) write_note(doubt, severity::warning);
    if (!of.time_doubt.empty()) write_note(of.time_doubt, severity::warning);
    for (const std::string& note : of.notes) write_note(note, severity::info);
  }

  void write(const gate_result& of) {
    write_note((of.failed ? "gate failed: " : "gate passed: ") + gate_text(of),
               of.failed ? severity::warning : severity::info);
  }

  void write_note(const std::string& text, severity level) {
    constexpr std::array<std::string_view, 3> marks{"•", "!", ">"};
    constexpr std::array looks{style::faint, style::warning, style::wait};
    const auto kind = static_cast<std::size_t>(level);
    const std::vector<std::string> words = words_of(terminal_safe(text), width_ - indent);
    const std::string lines = wrapped(words, " ", width_ - indent, indent);
    out_ += styled(marks[kind], looks[kind], colours_) + " " + lines + "\n";
  }

  std::string take() { return std::move(out_); }

 private:
  static constexpr std::size_t most_lines = 12;

  /// Of a launch that ended, for all that the file says: the warps with a range that never ended.
  void write_unclosed(const launch_standing& of) {
    std::vector<const standing_line*> lines;
    for (const standing_line& line : of.lines)
      if (line.place == standing_place::in_range && lines.size() < most_lines) lines.push_back(&line);
    if (lines.empty()) return;
    out_ += "\n" + std::string(indent, ' ') +
            wrapped(words_of(title_text(of), width_ - indent), " ", width_ - indent, indent) + "\n";
    for (const standing_line* const line : lines) write_note(line_text(*line), severity::info);
  }

  void write_lines(const launch_standing& of) {
    for (std::size_t i = 0; i < std::min(most_lines, of.lines.size()); ++i)
      write_note(line_text(of.lines[i]), of.lines[i].apart ? severity::warning : severity::bottleneck);
    if (of.lines.size() > most_lines)
      write_note(count_text(of.lines.size() - most_lines, "further line") + ": --report has them", severity::info);
    for (const std::string& note : notes_on(of)) write_note(note, severity::info);
  }

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
  for (const std::vector<standing_block>& blocks : standing_blocks(source)) text.write_standing(blocks);
  for (const launch_report& launch : source.launches) text.write(launch);
  for (std::size_t i = 1; i < source.devices.size(); ++i)
    if (const std::optional<double>& error_ns = source.devices[i].alignment_error_ns)
      text.write_note("device " + std::to_string(i) + " is on device 0's time line, to ±" +
                          (*error_ns > 0 ? duration_text(1000 * *error_ns) : "0 ns"),
                      severity::info);
  if (source.launches.empty()) text.write_note("0 launches in " + source.file, severity::warning);
  if (source.comparison) text.write(*source.comparison);
  for (const gate_result& gate : source.gates) text.write(gate);
  for (const std::string& warning : source.warnings) text.write_note(warning, severity::warning);
  return text.take();
}

}  // namespace iket::analysis
