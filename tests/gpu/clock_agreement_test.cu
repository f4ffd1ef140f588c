// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Whether SMs agree about the time: every SM passes messages to every other, and no difference between a message's way
// there and back may be the clocks'. Under IKET_TEST_DUMP=folder, the traces and what the kernel read itself stay
// there.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "clock_agreement/clock_agreement.hpp"
#include "device_values.hpp"
#include "ping_pong.cuh"
#include "ping_pong_run.hpp"
#include "support.hpp"

using clock_agreement::distribution;
using clock_agreement::grouping;
using clock_agreement::sighting;
using clock_agreement::tournament;
using iket::analysis::load_result;
using iket::analysis::timeline;
using iket::analysis::warp_timeline;

using ping_pong::domains;
using ping_pong::messages_seen;
using ping_pong::raw_messages;
using ping_pong::run;

namespace {

static_assert(clock_agreement::nobody == ping_pong::no_partner);

// 16 warps; with an SM's whole shared memory to itself each CTA has an SM to itself.
constexpr unsigned block = 512;
// About as long as a burst or a pause, at 75 us a round.
constexpr std::uint32_t rounds_per_window = 3;

struct gpu {
  std::uint32_t sms = 0;
  std::size_t shared_bytes = 0;  // of a CTA that lets no second one onto its SM
};

int attribute(cudaDeviceAttr which) {
  int value = 0;
  REQUIRE(cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess);
  return value;
}

gpu look_at_gpu() {
  REQUIRE(attribute(cudaDevAttrCooperativeLaunch) == 1);
  const int of_sm = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const int of_cta = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  return {static_cast<std::uint32_t>(attribute(cudaDevAttrMultiProcessorCount)),
          static_cast<std::size_t>(std::min(of_cta - 1024, of_sm / 2 + 1024))};
}

/// How long the other warps go without a clock pair [ns]; IKET_TEST_PAIR_NS says otherwise, to see what that changes.
std::uint32_t pair_period_ns() {
  const char* const said = std::getenv("IKET_TEST_PAIR_NS");
  return said != nullptr ? static_cast<std::uint32_t>(std::strtoul(said, nullptr, 10)) : 2'000;
}

/// About 10 ms in all, at some 0.95 us a message.
std::uint32_t messages_of_pair(const tournament& meetings) {
  return 2 * std::clamp(5400 / std::max(meetings.rounds(), 1u), raw_messages, 400u);
}

timeline trace_of(iket::session& session, const std::string& name) {
  const std::string path = ping_pong::kept_path(name + ".bin");
  if (path.empty()) return gpu_test::written_by(session);
  session.write(path);
  load_result result = iket::analysis::load_timeline(path);
  REQUIRE(result.trace.has_value());
  return std::move(*result.trace);
}

void launch_on(const gpu& on, ping_pong::table table, ping_pong::load kind, iket::tracer tracer) {
  REQUIRE(cudaFuncSetAttribute(ping_pong::everyone, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(on.shared_bytes)) == cudaSuccess);
  void* arguments[] = {&table, &kind, &tracer};
  REQUIRE(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(ping_pong::everyone), dim3(on.sms), dim3(block),
                                      arguments, on.shared_bytes, nullptr) == cudaSuccess);
  REQUIRE(gpu_test::finish() == cudaSuccess);
}

iket::session_options options_for(const gpu& on, const tournament& meetings, std::uint32_t messages) {
  iket::session_options options;
  // A player's marks and their payloads; of the others, three records for each clock pair: some 15,000 in all.
  options.records_per_warp = std::max(meetings.rounds() * messages * 2, 4096u);
  options.memory_limit = iket::estimate_memory(on.sms, block, {}, options.records_per_warp).bytes + (1 << 20);
  options.calibrate = false;
  return options;
}

run play(const std::string& name, ping_pong::load kind) {
  const gpu on = look_at_gpu();
  const tournament meetings(on.sms);
  const std::uint32_t messages = messages_of_pair(meetings), rounds = meetings.rounds();
  gpu_test::device_values<std::uint32_t> partners(meetings.partners()), sms(on.sms), unanswered(1), finished(1),
      flags(std::size_t{rounds} * on.sms * ping_pong::flag_words);
  gpu_test::device_values<unsigned long long> raw(std::size_t{on.sms} * rounds * raw_messages);
  gpu_test::device_values<float> sink(1);
  const ping_pong::table table{partners.get(), flags.get(), raw.get(), sms.get(),    unanswered.get(), finished.get(),
                               sink.get(),     rounds,      messages,  raw_messages, pair_period_ns()};
  iket::session session(options_for(on, meetings, messages));
  launch_on(on, table, kind, iket::tracer{});  // loads the kernel, and wakes the GPU
  flags.clear();
  finished.clear();
  launch_on(on, table, kind, session.trace("ping_pong", on.sms, block));
  return {name, meetings, messages, sms.copy(), raw.copy(), unanswered.copy().at(0), trace_of(session, name)};
}

void print(const char* what, const distribution& of) {
  std::printf("  %-38s median %.1f, p90 %.1f, worst %.1f, rms %.1f ns\n", what, of.median, of.p90, of.worst, of.rms);
}

void print(const char* what, const domains& of) {
  std::printf("  %s: %zu\n", what, of.size());
  for (const std::vector<std::uint32_t>& one : of) {
    std::printf("    %2zu SMs:", one.size());
    for (const std::uint32_t sm : one) std::printf(" %u", sm);
    std::printf("\n");
  }
}

/// That the run is what the figures are to be of.
void check_run(const run& of, const messages_seen& seen) {
  const iket::analysis::launch& launch = of.trace.launches.at(0);
  CHECK(of.unanswered == 0);
  CHECK(seen.missing == 0);
  CHECK(std::set<std::uint32_t>(of.sms.begin(), of.sms.end()).size() == of.sms.size());
  CHECK(launch.warps.size() == of.sms.size() * (block / 32));
  std::size_t lossy = 0, elsewhere = 0;
  for (const warp_timeline& warp : launch.warps) {
    lossy += warp.lost != 0 || !warp.closed ? 1 : 0;
    elsewhere += warp.sm != of.sms.at(warp.cta_linear) ? 1 : 0;
  }
  CHECK(lossy == 0);
  CHECK(elsewhere == 0);
  for (const std::string& warning : of.trace.warnings) FAIL_CHECK(warning);
}

void print_run(const run& of, const messages_seen& seen) {
  const iket::analysis::launch& launch = of.trace.launches.at(0);
  std::printf("%s: %zu SMs, %u rounds, %u messages a pair, clock pairs every %u ns, %.2f ms\n", of.name.c_str(),
              of.sms.size(), of.meetings.rounds(), of.messages, pair_period_ns(),
              static_cast<double>(launch.end - launch.begin) / 1e9);
  if (seen.lengths.empty()) return;
  const double shortest = *std::min_element(seen.lengths.begin(), seen.lengths.end());
  std::printf("  messages: %zu seen, %zu missing; shortest %.1f, median %.1f ns; %zu received too early\n",
              seen.lengths.size(), seen.missing, shortest, clock_agreement::sizes_of(seen.lengths).median, seen.early);
}

void print_errors(const run& of, const std::vector<double>& errors, const distribution& pairs) {
  print("errors of SMs:", clock_agreement::sizes_of(errors));
  print("what they leave of pairs (ways):", pairs);
  std::printf("  of which an error's own uncertainty: %.1f ns rms\n",
              pairs.rms / std::sqrt(static_cast<double>(errors.size())));
  std::vector<std::size_t> order(errors.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return std::abs(errors[a]) > std::abs(errors[b]); });
  std::printf("  farthest off:");
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 8); ++i)
    std::printf(" SM %u %+.1f", of.sms[order[i]], errors[order[i]]);
  std::printf(" ns\n");
}

/// Whether the load did make the counters run apart.
void print_rates(const run& of, const grouping& counters) {
  const std::vector<std::size_t> counter_of = counters.group_of();
  std::vector<double> cycles(counters.groups.size()), ns(counters.groups.size());
  for (const warp_timeline& warp : of.trace.launches.at(0).warps) {
    cycles[counter_of.at(warp.cta_linear)] += static_cast<double>(warp.cycles);
    ns[counter_of.at(warp.cta_linear)] += static_cast<double>(warp.unobserved - warp.observed) / 1000;
  }
  std::printf("  rates of counters:");
  for (std::size_t i = 0; i < cycles.size(); ++i) std::printf(" %.6f", cycles[i] / ns[i]);
  std::printf(" GHz\n");
}

/// Prints all before it checks anything. GPCs: the SMs of each.
void judge(const run& of, const domains& gpcs) {
  const auto& clock = of.trace.launches.at(0).clock;
  const messages_seen seen = ping_pong::read_messages(of);
  print_run(of, seen);
  const std::vector<sighting> ahead = clock_agreement::sightings(of.meetings, seen.shortest);
  const auto errors = clock_agreement::clock_errors(of.sms.size(), ahead);
  const grouping counters{ping_pong::by_cta(of, gpcs)};
  const std::vector<sighting> read = ping_pong::counter_sightings(of);
  const domains stated = ping_pong::sorted(*clock.domains);
  distribution of_sms, wander;
  if (errors) {
    of_sms = clock_agreement::sizes_of(*errors);
    print_errors(of, *errors, clock_agreement::sizes_of(clock_agreement::residuals(*errors, ahead)));
    wander = clock_agreement::sizes_of(clock_agreement::group_wander(*errors, ahead, counters, rounds_per_window));
    print("wander of counters within 3 rounds:", wander);
  }
  std::printf("  stated: uncertainty median %.1f, worst %.1f ns; tick %.1f ns; %.6f GHz\n", clock.uncertainty_median_ns,
              clock.uncertainty_ns, clock.tick_ns, clock.sm_ghz);
  print_rates(of, counters);
  print("counters, as the kernel read them under both loads", gpcs);
  if (stated != gpcs) print("domains, as stated", stated);
  if (errors) ping_pong::dump(of, *errors, counters);
  std::fflush(stdout);

  check_run(of, seen);
  // The bounds are those for a timer that ticks every 32 ns, as it does from sm_90 on.
  const double scale = std::max(1.0, clock.tick_ns / 32);
  CHECK(seen.early == 0);
  REQUIRE(errors.has_value());
  CHECK(of_sms.median <= 10 * scale);
  CHECK(of_sms.worst <= 32 * scale);
  CHECK(wander.worst <= 32 * scale);
  CHECK(clock.uncertainty_median_ns <= 16 * scale);
  CHECK(clock.uncertainty_ns <= 32 * scale);
  // Counters may happen to agree for as long as a kernel lasts: then a domain has more than one GPC.
  CHECK(clock_agreement::refines(gpcs, stated));
  for (const domains* groups : {&gpcs, &stated})
    CHECK(clock_agreement::count_contradictions(ping_pong::by_cta(of, *groups), read,
                                                ping_pong::most_of_one_message_cycles) == 0);
}

}  // namespace

TEST_CASE("SMs agree about the time under steady and under bursty load", "[no sanitizer]") {
  const run steady = play("clock_agreement_steady", ping_pong::load::steady);
  const run bursty = play("clock_agreement_bursty", ping_pong::load::bursty);
  const domains gpcs = clock_agreement::common_refinement(ping_pong::read_counters(steady, ping_pong::load::steady),
                                                          ping_pong::read_counters(bursty, ping_pong::load::bursty));
  for (const run* of : {&steady, &bursty}) {
    INFO(of->name);
    judge(*of, gpcs);
  }
}
