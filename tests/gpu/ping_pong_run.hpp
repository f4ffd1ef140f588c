// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a run of ping_pong.cuh left, read as messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "clock_accuracy.hpp"
#include "clock_agreement/clock_agreement.hpp"
#include "timeline.hpp"

namespace ping_pong {

using clock_agreement::grouping;
using clock_agreement::shortest_times;
using clock_agreement::sighting;
using clock_agreement::tournament;
using iket::analysis::picoseconds;
using iket::analysis::point;
using iket::analysis::timeline;
using iket::analysis::warp_timeline;

// What a pair of SMs keeps of its messages as read by the kernel itself: even, so that both ways have half.
inline constexpr std::uint32_t raw_messages = 16;
// SMs of one GPC differ by 10 cycles at most, and two ways by some 130 and part of a poll. Other counters differ by
// millions, or, on a GPU that has rested, hardly at all; under a load that changes their rates stray from straight
// lines.
inline constexpr double same_counter_cycles(load of) { return of == load::bursty ? 300 : 150; }
inline constexpr double most_of_one_message_cycles = 900;
// Of a message without a record.
inline constexpr picoseconds never = std::numeric_limits<picoseconds>::min();

/// All that one run left.
struct run {
  std::string name;
  tournament meetings;
  std::uint32_t messages;  // of a pair, both ways together
  std::vector<std::uint32_t> sms;
  std::vector<unsigned long long> raw;
  std::uint32_t unanswered;
  timeline trace;
};

/// A file that stays where IKET_TEST_DUMP names a folder; else empty.
inline std::string kept_path(const std::string& name) {
  const char* folder = std::getenv("IKET_TEST_DUMP");
  if (folder == nullptr || *folder == '\0') return {};
  std::filesystem::create_directories(folder);
  return (std::filesystem::path(folder) / name).string();
}

/// Times by [CTA][message of the whole run]; `never` where there is no record of it.
inline std::vector<picoseconds> message_times(const run& of) {
  const std::size_t all = std::size_t{of.meetings.rounds()} * of.messages;
  std::vector<picoseconds> times(of.sms.size() * all, never);
  for (const warp_timeline& warp : of.trace.launches.at(0).warps)
    for (const point& point : warp.points)
      if (point.payload().bits < all) times.at(warp.cta_linear * all + point.payload().bits) = point.time;
  return times;
}

/// What the messages say of the time line [ns].
struct messages_seen {
  shortest_times shortest;
  std::vector<double> lengths;
  std::size_t early = 0;  // received before they were sent by more than the uncertainties of the two times together
  std::size_t missing = 0;
};

/// Calls visit(round, from, to, message of the pair) for all messages.
template <class Visit>
void for_each_message(const run& of, Visit visit) {
  for (std::uint32_t round = 0; round < of.meetings.rounds(); ++round)
    for (std::uint32_t a = 0; a < of.meetings.players(); ++a) {
      const std::uint32_t b = of.meetings.partner(round, a);
      if (b == clock_agreement::nobody || b < a) continue;
      for (std::uint32_t i = 0; i < of.messages; ++i) visit(round, i % 2 == 0 ? a : b, i % 2 == 0 ? b : a, i);
    }
}

inline messages_seen read_messages(const run& of) {
  const std::vector<picoseconds> times = message_times(of);
  const std::size_t all = std::size_t{of.meetings.rounds()} * of.messages;
  const iket::analysis::clock_accuracy& accuracy = *of.trace.launches.at(0).accuracy;
  messages_seen seen{shortest_times(of.sms.size()), {}, 0, 0};
  for_each_message(of, [&](std::uint32_t round, std::uint32_t from, std::uint32_t to, std::uint32_t i) {
    const std::size_t message = std::size_t{round} * of.messages + i;
    const picoseconds sent = times[from * all + message], received = times[to * all + message];
    if (sent == never || received == never) {
      ++seen.missing;
      return;
    }
    const picoseconds doubt = accuracy.uncertainty(of.sms[from], sent) + accuracy.uncertainty(of.sms[to], received);
    seen.early += received + doubt < sent ? 1 : 0;
    const double ns = static_cast<double>(received - sent) / 1000;
    seen.shortest.add(from, to, ns);
    seen.lengths.push_back(ns);
  });
  return seen;
}

/// Calls visit(from, to, sent, received, round, message of the pair) for the messages that the kernel timed itself.
template <class Visit>
void for_each_raw_message(const run& of, Visit visit) {
  const std::uint32_t unkept = of.messages - raw_messages, rounds = of.meetings.rounds();
  for_each_message(of, [&](std::uint32_t round, std::uint32_t from, std::uint32_t to, std::uint32_t i) {
    if (i < unkept) return;
    const auto raw_of = [&](std::size_t cta) { return of.raw[(cta * rounds + round) * raw_messages + i - unkept]; };
    visit(from, to, raw_of(from), raw_of(to), round, i);
  });
}

/// How far the counters of CTAs' SMs were ahead of each other, by what the kernel read itself [cycles].
inline std::vector<sighting> counter_sightings(const run& of) {
  shortest_times cycles(of.sms.size());
  for_each_raw_message(
      of, [&](std::uint32_t from, std::uint32_t to, unsigned long long sent, unsigned long long received, std::uint32_t,
              std::uint32_t) { cycles.add(from, to, static_cast<double>(static_cast<long long>(received - sent))); });
  return clock_agreement::sightings(of.meetings, cycles);
}

using domains = clock_agreement::partition;

inline domains sorted(domains of) {
  for (std::vector<std::uint32_t>& one : of) std::sort(one.begin(), one.end());
  std::sort(of.begin(), of.end());
  return of;
}

/// SMs that share a counter, by what the kernel read: also those whose counters happened to agree all along.
/// Nothing where messages are missing.
inline domains read_counters(const run& of, load under) {
  const auto found = clock_agreement::group_clocks(of.sms.size(), counter_sightings(of), same_counter_cycles(under));
  domains by_sm = found ? found->groups : domains();
  for (std::vector<std::uint32_t>& one : by_sm)
    for (std::uint32_t& cta : one) cta = of.sms[cta];
  return sorted(by_sm);
}

/// From SMs to the CTAs on them.
inline domains by_cta(const run& of, const domains& by_sm) {
  domains result(by_sm.size());
  for (std::size_t i = 0; i < by_sm.size(); ++i)
    for (std::uint32_t cta = 0; cta < of.sms.size(); ++cta)
      if (std::find(by_sm[i].begin(), by_sm[i].end(), of.sms[cta]) != by_sm[i].end()) result[i].push_back(cta);
  return result;
}

/// Keeps what the map can be improved by offline, where IKET_TEST_DUMP is set.
inline void dump(const run& of, const std::vector<double>& errors, const grouping& counters) {
  const std::string raw_path = kept_path(of.name + "_messages.csv"), sm_path = kept_path(of.name + "_sms.csv");
  if (raw_path.empty()) return;
  std::ofstream raw(raw_path), sms(sm_path);
  raw << "round,message,from_sm,to_sm,sent_cycles,received_cycles\n";
  for_each_raw_message(of, [&](std::uint32_t from, std::uint32_t to, unsigned long long sent,
                               unsigned long long received, std::uint32_t round, std::uint32_t i) {
    raw << round << ',' << i << ',' << of.sms[from] << ',' << of.sms[to] << ',' << sent << ',' << received << '\n';
  });
  const std::vector<std::size_t> counter_of = counters.group_of();
  sms << "cta,sm,counter,error_ns\n";
  for (std::size_t cta = 0; cta < of.sms.size(); ++cta)
    sms << cta << ',' << of.sms[cta] << ',' << counter_of[cta] << ',' << errors[cta] << '\n';
  std::printf("  kept: %s.bin, %s, %s\n", of.name.c_str(), raw_path.c_str(), sm_path.c_str());
}

}  // namespace ping_pong
