// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counter_doubts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "kernel_figures.hpp"
#include "units.hpp"

namespace iket::analysis::counters {
namespace {

using launch_span = std::span<const profiled_kernel* const>;

constexpr double picoseconds_per_second = 1e12;
constexpr double least_difference_ps = 5e6;  // CUDA events around a short launch have their own time in theirs

bool differ(double a, double b) { return std::max(a, b) > doubtful_ratio * std::min(a, b); }

/// "98.4 us to 202 us"; empty where all are about the same.
std::string spread_text(launch_span launches, std::string_view key, double ratio, std::string (*text_of)(double)) {
  const std::vector<double> values = figure_of_each(launches, key);
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most > ratio * *least ? text_of(*least) + " to " + text_of(*most) : std::string();
}

std::string time_text(double seconds) { return duration_text(picoseconds_per_second * seconds); }
std::string whole_text(double number) { return fixed_text(number, 0); }

std::string spreads_text(launch_span launches) {
  std::string text;
  const auto add = [&](const std::string& spread, const std::string& of) {
    if (!spread.empty()) text += (text.empty() ? "" : ", ") + spread + of;
  };
  add(spread_text(launches, "duration_s", doubtful_ratio, time_text), "");
  add(spread_text(launches, "registers_per_thread", 1, whole_text), " registers a thread");
  add(spread_text(launches, "shared_static_bytes", 1, whole_text), " bytes of static shared memory");
  add(spread_text(launches, "shared_dynamic_bytes", 1, whole_text), " bytes of dynamic shared memory");
  return text.empty()
             ? text
             : "the launches that the profiler saw differ (" + text + "): give it the pages of one configuration";
}

/// What a launch takes without the profiler, and where that is from: untraced, as under the profiler, if that is known;
/// else in the trace, if that tells all of it. Of some CTAs that are evenly spaced the first and the last one are not
/// far from the launch's.
std::optional<std::pair<double, const char*>> own_time_ps(const launch_report& launch) {
  constexpr std::uint64_t some_ctas = 8;
  if (launch.plain) return std::pair(1000 * launch.plain->median_ns, "in the plain run");
  const bool has_ends = launch.ctas_traced == launch.ctas_total || launch.ctas_traced >= some_ctas * launch.count;
  const bool is_spaced = launch.selected && launch.selected->choice == cta_choice::every;
  if (launch.launches_timed != 0 && is_spaced && has_ends && !launch.is_partial())
    return std::pair(launch.duration_ps, "in the trace");
  if (launch.launches_event_timed != 0) return std::pair(launch.event_duration_ps, "in the trace");
  return std::nullopt;
}

std::string instruction_doubt(const launch_counters& of, std::size_t listings) {
  const std::optional<double> executed = of.figure("instructions");
  if (!executed || listings == 0 || *executed <= 0 || of.division != division_kind::instructions ||
      !of.column("instructions"))
    return {};
  const auto listed = static_cast<double>(of.value(of.sums, "instructions"));
  // Divided by lines, an instruction counts in each line that it is inlined through. Not every launch has a listing of
  // its own: equal ones count once, and the page may be of some of them.
  const double expected = *executed * static_cast<double>(listings);
  if (!differ(listed, expected)) return {};
  return "the page 'source' has " + fixed_text(100 * listed / expected, 0) +
         " % of the instructions that the kernel executed: it was cut off, or is of other launches";
}

std::string figures_doubt(std::span<const source_listing* const> pages) {
  const auto is_doubtful = [](const source_listing* page) { return page->is_doubtful; };
  if (std::none_of(pages.begin(), pages.end(), is_doubtful)) return {};
  return "some figures of the page 'source' cannot be read, or contradict each other: print it again";
}

/// A launch's samples are counted in its page `raw`, and listed in its page `source`.
std::string launch_doubt(launch_span launches, std::span<const source_listing* const> pages) {
  std::set<double> counted;
  for (const profiled_kernel* const launch : launches) {
    if (launch->raw.empty()) continue;
    const std::optional<double> samples = samples_of(*launch);
    if (!samples) return {};
    counted.insert(*samples);
  }
  for (const source_listing* const page : pages)
    if (const auto listed = samples_of(*page);
        listed && !counted.empty() && !counted.contains(static_cast<double>(*listed)))
      return "the page 'source' has " + std::to_string(*listed) + " samples, and the page 'raw' counts " +
             fixed_text(*counted.begin(), 0) + (counted.size() > 1 ? " or others" : "") +
             ": they are of different launches, or rows are missing";
  return {};
}

/// Each sample has one reason.
std::string sample_doubt(const launch_counters& of) {
  std::uint64_t reasons = 0;
  for (std::size_t i = 0; i < of.columns.size(); ++i)
    if (of.columns[i].starts_with("stall_") && !of.columns[i].ends_with("_not_issued")) reasons += of.sums[i];
  const std::uint64_t samples = of.value(of.sums, "samples");
  if (samples == reasons || reasons == 0 || !of.column("samples")) return {};
  return "the page 'source' has " + std::to_string(samples) + " samples and " + std::to_string(reasons) +
         " reasons of stalls for them: it was edited, or cannot be read in part, so print it again";
}

}  // namespace

std::vector<std::string> doubts_of(launch_span launches, std::span<const source_listing* const> pages,
                                   const launch_counters& of) {
  std::vector<std::string> doubts = {spreads_text(launches), instruction_doubt(of, pages.size()), figures_doubt(pages),
                                     launch_doubt(launches, pages), sample_doubt(of)};
  std::erase(doubts, std::string());
  return doubts;
}

std::string doubt_of_time(const launch_report& launch, const launch_counters& of) {
  const std::optional<double> seconds = of.figure("duration_s");
  const auto own = own_time_ps(launch);
  if (!seconds || !own) return {};
  const double profiled = picoseconds_per_second * *seconds;
  if (!differ(profiled, own->first) || std::abs(profiled - own->first) < least_difference_ps) return {};
  return "it took " + duration_text(profiled) + " under the profiler and " + duration_text(own->first) + " " +
         own->second +
         ": another build, other work, or another clock or cold caches, which ncu's --clock-control none and "
         "--cache-control none leave as they are";
}

std::string note_on_unusable(launch_span launches) {
  constexpr std::size_t most = 3;
  const std::vector<unusable_figure> figures = unusable_figures_of(launches);
  std::string text;
  for (std::size_t i = 0; i < std::min(figures.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + figures[i].label + " (" + quoted(figures[i].text) + ")";
  if (figures.size() > most) text += " and " + count_text(figures.size() - most, "further figure");
  return text.empty() ? text : "not taken, as the page has no number there that it can be: " + text;
}

}  // namespace iket::analysis::counters
