// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "launch_pairs.hpp"

#include <algorithm>
#include <map>

#include "launch_clocks.hpp"
#include "parallel.hpp"
#include "ring_blocks.hpp"

namespace iket::analysis {
namespace {

constexpr std::uint64_t telling_ns = 20'000;

void add(launch_pairs& to, std::uint32_t sm, const clock_pair& pair) {
  // A header that never arrived in memory has no time.
  if (pair.globaltimer_ns == 0) return;
  const std::uint64_t ns = pair.globaltimer_ns;
  to.begin_ns = to.pairs.empty() ? ns : std::min(to.begin_ns, ns);
  to.end_ns = std::max(to.end_ns, ns);
  to.pairs.push_back({sm, pair.cycles, ns, static_cast<std::uint32_t>(to.launch)});
}

bool has_sync(record_view records) {
  for (std::size_t i = 0; i < records.size(); ++i)
    if (kind_of(records[i].tag) == record_kind::sync) return true;
  return false;
}

struct sync_pair {
  std::uint32_t sm = 0;
  clock_pair pair{};
};

/// Adds those of one warp.
void find_syncs(const launch_view& launch, const warp_view& warp, const cycle_rates& rates, decoded_ring& ring,
                std::vector<sync_pair>& to) {
  if (!has_sync(warp.records)) return;
  const warp_header header = warp.header();
  decode_ring(header, warp.records, layout_of(launch, header), rates, ring);
  for (const event& e : ring.events)
    if (e.is_pair) to.push_back({ring.clock_sm, {e.cycles, e.payload_bits}});
}

}  // namespace

launch_pairs header_pairs(const trace_view& view, std::size_t launch) {
  launch_pairs result;
  result.launch = launch;
  result.device = device_of(view, view.launches[launch]);
  for (const warp_view& warp : view.launches[launch].warps) {
    const warp_header header = warp.header();
    add(result, header.open_sm, header.open);
    if (header.closed != 0) add(result, header.close_sm, header.close);
  }
  return result;
}

cycle_rates plausible_rates(const trace_view& view, const std::vector<launch_pairs>& launches,
                            std::uint32_t rated_khz) {
  std::vector<double> rates;
  for (const launch_pairs& launch : launches)
    for (const warp_view& warp : view.launches[launch.launch].warps) {
      const warp_header header = warp.header();
      if (header.closed == 0 || header.open_sm != header.close_sm || header.close.cycles <= header.open.cycles ||
          header.open.globaltimer_ns == 0 || header.close.globaltimer_ns < header.open.globaltimer_ns + telling_ns)
        continue;
      rates.push_back(static_cast<double>(header.close.cycles - header.open.cycles) /
                      static_cast<double>(header.close.globaltimer_ns - header.open.globaltimer_ns));
    }
  if (rates.empty()) return {rated_khz / 4e6, rated_khz * 1.2e-6};
  // A few wrong pairs have no say.
  std::sort(rates.begin(), rates.end());
  const std::size_t few = rates.size() / 20;
  return {rates[few] / 1.2, rates[rates.size() - 1 - few] * 1.2};
}

std::vector<launch_pairs> with_syncs(const trace_view& view, const cycle_rates& rates,
                                     std::vector<launch_pairs> launches) {
  std::vector<const launch_view*> views;
  for (const launch_pairs& of : launches) views.push_back(&view.launches[of.launch]);
  const std::vector<ring_block> blocks = ring_blocks_of(views);
  std::vector<of_thread<decoded_ring>> rings(threads_for(blocks.size()));
  std::vector<std::vector<sync_pair>> found(blocks.size());
  for_each_job(blocks.size(), [&](std::size_t number, unsigned thread) {
    const ring_block& block = blocks[number];
    for (std::size_t warp = block.first; warp < block.last; ++warp)
      find_syncs(*views[block.launch], views[block.launch]->warps[warp], rates, rings[thread].value, found[number]);
  });
  for (std::size_t number = 0; number < blocks.size(); ++number)
    for (const sync_pair& sync : found[number]) add(launches[blocks[number].launch], sync.sm, sync.pair);
  return launches;
}

bool was_reset(const launch_pairs& before, const launch_pairs& behind, const cycle_rates& rates) {
  constexpr std::uint64_t slack_cycles = 100'000;  // launches may overlap a little
  std::map<std::uint32_t, sm_pair> latest;
  for (const sm_pair& pair : before.pairs) {
    sm_pair& of = latest.try_emplace(pair.sm, pair).first->second;
    if (pair.globaltimer_ns > of.globaltimer_ns) of = pair;
  }
  std::map<std::uint32_t, sm_pair> earliest;
  for (const sm_pair& pair : behind.pairs) {
    sm_pair& of = earliest.try_emplace(pair.sm, pair).first->second;
    if (pair.globaltimer_ns < of.globaltimer_ns) of = pair;
  }
  std::size_t common = 0;
  std::size_t reset = 0;
  for (const auto& [sm, from] : latest) {
    const auto found = earliest.find(sm);
    if (found == earliest.end() || found->second.globaltimer_ns <= from.globaltimer_ns) continue;
    ++common;
    const sm_pair& to = found->second;
    if (to.cycles < from.cycles) {
      reset += from.cycles - to.cycles > slack_cycles;
    } else if (rates.most > 0) {
      const auto ns = static_cast<double>(to.globaltimer_ns - from.globaltimer_ns);
      reset += static_cast<double>(to.cycles - from.cycles) > 4 * rates.most * ns + static_cast<double>(slack_cycles);
    }
  }
  return reset * 2 > common;
}

}  // namespace iket::analysis
