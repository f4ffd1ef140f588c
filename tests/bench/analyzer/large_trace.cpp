// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "large_trace.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "analyzer/synthetic.hpp"

namespace iket::bench {
namespace {

using synthetic::random_numbers;
using synthetic::warp_log;

constexpr std::uint32_t sm_count = 132;
constexpr std::uint32_t domain_count = 8;
constexpr std::uint32_t most_ctas = 1024;  // of a launch
constexpr std::uint32_t warps_per_cta = 4;
constexpr std::uint32_t depth = 3;  // tiles that a token lives for
constexpr std::uint64_t tick_ns = 32;
constexpr std::uint32_t none_open = 0xFFFFFFFFu;
constexpr std::uint64_t wrap = std::uint64_t{1} << 32;

/// The counter of the SMs of one GPC.
struct domain {
  std::uint64_t first_cycles = 0;  // at time 0 of the trace
  std::uint64_t khz = 0;

  [[nodiscard]] std::uint64_t cycles_at(std::uint64_t ns) const { return first_cycles + ns * khz / 1'000'000; }
  [[nodiscard]] clock_pair pair_at(std::uint64_t cycles) const {
    const std::uint64_t ns = synthetic::trace::timer_epoch_ns + (cycles - first_cycles) * 1'000'000 / khz;
    return {cycles, ns / tick_ns * tick_ns};
  }
};

domain domain_of(std::uint32_t sm) {
  const std::uint64_t number = sm % domain_count;
  return {wrap * (number + 1) - 3'000'000 - 70'001 * number, 1'980'000 + 40 * number};
}

struct sites {
  std::uint32_t producer, consumer, wait_slot, load, copy, wait_data, compute, mma, left, done;

  explicit sites(synthetic::trace& to)
      : producer(to.site(site_kind::role, "producer", "gemm.cu", 10)),
        consumer(to.site(site_kind::role, "consumer", "gemm.cu", 20)),
        wait_slot(to.site(site_kind::wait, "wait for free slot", "gemm.cu", 12)),
        load(to.site(site_kind::work, "load tile", "gemm.cu", 13)),
        copy(to.site(site_kind::work, "copy in flight", "gemm.cu", 14)),
        wait_data(to.site(site_kind::wait, "wait for data", "gemm.cu", 22)),
        compute(to.site(site_kind::work, "compute", "gemm.cu", 23)),
        mma(to.site(site_kind::work, "mma", "gemm.cu", 24)),
        left(to.site(site_kind::counter, "tiles left", "gemm.cu", 26)),
        done(to.site(site_kind::mark, "done", "gemm.cu", 30)) {}
};

/// One warp at work: its clock and what it records.
class worker {
 public:
  worker(const sites& at, const domain& clock, std::uint64_t begin, random_numbers& random)
      : at_(at), clock_(clock), now_(begin), random_(random) {}

  /// Until `records` or a few more are written.
  void produce(std::size_t records) {
    log.records.reserve(records + 24);
    std::array<std::uint32_t, depth> tokens{};
    tokens.fill(none_open);
    for (std::uint32_t tile = 0; log.records.size() < records; ++tile) {
      scoped(at_.wait_slot, 40, 400);
      std::uint32_t& token = tokens[tile % depth];
      if (token != none_open) log.end_token(token, step(8, 20), at_.copy);
      token = log.event(record_kind::token_begin, at_.copy, step(8, 20), payload_type::u32, tile);
      scoped(at_.load, 200, 900, static_cast<std::int32_t>(tile));
      sync_sometimes(tile);
    }
    for (const std::uint32_t token : tokens)
      if (token != none_open) log.end_token(token, step(8, 20), at_.copy);
  }

  void consume(std::size_t records) {
    log.records.reserve(records + 24);
    for (std::uint32_t tile = 0; log.records.size() < records; ++tile) {
      scoped(at_.wait_data, 100, 700, static_cast<std::int32_t>(tile));
      log.event(record_kind::push, at_.compute, step(8, 20), payload_type::i32, tile);
      for (int part = 0; part < 2; ++part) scoped(at_.mma, 150, 300);
      log.event(record_kind::pop, 0, step(8, 20));
      if (tile % 8 == 7) log.event(record_kind::counter, at_.left, step(8, 20), payload_type::i32, tile);
      if (tile % 16 == 15) log.event(record_kind::mark, at_.done, step(8, 20));
      sync_sometimes(tile);
    }
  }

  [[nodiscard]] std::uint64_t now() const { return now_; }

  warp_log log;

 private:
  std::uint64_t step(std::uint64_t least, std::uint64_t spread) { return now_ += least + random_.below(spread); }

  void scoped(std::uint32_t site, std::uint64_t least, std::uint64_t spread) {
    log.event(record_kind::range_begin, site, step(8, 20));
    log.event(record_kind::range_end, site, step(least, spread));
  }

  void scoped(std::uint32_t site, std::uint64_t least, std::uint64_t spread, std::int32_t payload) {
    log.event(record_kind::range_begin, site, step(8, 20), payload_type::i32, static_cast<std::uint32_t>(payload));
    log.event(record_kind::range_end, site, step(least, spread));
  }

  void sync_sometimes(std::uint32_t tile) {
    if (tile % 64 != 63) return;
    const clock_pair pair = clock_.pair_at(step(8, 20));
    log.sync(pair.cycles, pair.globaltimer_ns);
  }

  const sites& at_;
  const domain& clock_;
  std::uint64_t now_;
  random_numbers& random_;
};

class writer {
 public:
  writer(const large_trace& what, const file_sink& sink)
      : what_(what), file_(sink), at_(trace_), random_(what.seed), left_(what.records) {
    trace_.calibrate();
    trace_.read_timer({0, 1'000'000'000});
  }

  void write() {
    file_.begin(trace_.content);
    for (std::uint32_t launch = 0; left_ != 0; ++launch) add_launch(launch);
    file_.end();
  }

 private:
  void add_launch(std::uint32_t number) {
    trace_.content.launches.clear();
    trace_.launch(number % 2 == 0 ? "gemm" : "gemm, split", 1, warps_per_cta, what_.records_per_warp, {});
    detail::launch_content& launch = trace_.content.launches.front();
    launch.info.id = number;
    std::vector<std::uint64_t> free_ns(sm_count, end_ns_ + 5'000);
    std::uint32_t ctas = 0;
    for (; ctas < most_ctas && left_ != 0; ++ctas) {
      std::uint64_t& free = free_ns[ctas % sm_count];
      free = add_cta(launch, ctas, free + random_.below(800)) + 1'000;
      end_ns_ = std::max(end_ns_, free);
    }
    launch.info.grid[0] = launch.info.ctas_traced = ctas;
    launch.info.warps_opened = static_cast<std::uint32_t>(launch.warps.size());
    file_.add(launch);
  }

  /// @return when it ended [ns]
  std::uint64_t add_cta(detail::launch_content& to, std::uint32_t cta, std::uint64_t begin_ns) {
    const std::uint32_t sm = cta % sm_count;
    const domain clock = domain_of(sm);
    std::uint64_t end = clock.cycles_at(begin_ns);
    for (std::uint32_t warp = 0; warp < warps_per_cta && left_ != 0; ++warp) {
      const std::uint64_t begin = clock.cycles_at(begin_ns) + 16 * warp;
      worker work(at_, clock, begin, random_);
      const std::size_t records = cta % 16 == 15 ? what_.records_per_warp * 5 / 4 : what_.records_per_warp - 24;
      warp == 0 ? work.produce(records) : work.consume(records);
      if (work.log.records.size() > left_) work.log.records.resize(static_cast<std::size_t>(left_));
      end = std::max(end, work.now() + 40);
      add_warp(to, {cta, warp, sm, clock.pair_at(begin), clock.pair_at(work.now() + 40), true,
                    warp == 0 ? at_.producer : at_.consumer, std::move(work.log)});
    }
    return (end - clock.first_cycles) * 1'000'000 / clock.khz;
  }

  void add_warp(detail::launch_content& to, const synthetic::warp& from) {
    const synthetic::drained found = synthetic::drain(from, what_.records_per_warp);
    to.warps.push_back(found.header);
    to.records.insert(to.records.end(), found.ring.begin(), found.ring.end());
    left_ -= found.ring.size();
  }

  const large_trace what_;
  synthetic::trace trace_;
  detail::trace_serializer<const file_sink> file_;
  const sites at_;
  random_numbers random_;
  std::uint64_t left_;        // records
  std::uint64_t end_ns_ = 0;  // of the launch before
};

}  // namespace

void write_large_trace(const large_trace& what, const file_sink& sink) { writer(what, sink).write(); }

}  // namespace iket::bench
