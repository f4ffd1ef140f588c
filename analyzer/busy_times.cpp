// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "busy_times.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace iket::analysis {
namespace {

constexpr std::uint64_t pause_ns = 100'000;

struct launch_span {
  std::uint32_t launch = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

std::vector<launch_span> spans_of(const std::vector<sm_pair>& pairs) {
  std::vector<launch_span> spans;
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (const sm_pair& pair : pairs) {
    const auto [place, is_new] = places.try_emplace(pair.launch, spans.size());
    if (is_new) spans.push_back({pair.launch, pair.globaltimer_ns, pair.globaltimer_ns});
    launch_span& span = spans[place->second];
    span.begin_ns = std::min(span.begin_ns, pair.globaltimer_ns);
    span.end_ns = std::max(span.end_ns, pair.globaltimer_ns);
  }
  return spans;
}

}  // namespace

std::vector<busy_time> number_busy_times(std::vector<sm_pair>& pairs) {
  std::vector<launch_span> spans = spans_of(pairs);
  std::sort(spans.begin(), spans.end(),
            [](const launch_span& a, const launch_span& b) { return a.begin_ns < b.begin_ns; });
  std::vector<busy_time> times;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  for (const launch_span& span : spans) {
    if (times.empty() || (span.begin_ns > times.back().end_ns && span.begin_ns - times.back().end_ns > pause_ns))
      times.push_back({span.begin_ns, span.end_ns});
    times.back().end_ns = std::max(times.back().end_ns, span.end_ns);
    numbers[span.launch] = static_cast<std::uint32_t>(times.size() - 1);
  }
  for (sm_pair& pair : pairs) pair.launch = numbers[pair.launch];
  return times;
}

}  // namespace iket::analysis
