// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// make_traces FOLDER: writes the trace files that the tests of the command line read.

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include <iket/detail/crc32c.hpp>
#include <iket/trace_file.hpp>

#include "hang_trace.hpp"
#include "synthetic.hpp"

namespace {

using iket::payload_type;
using iket::record_kind;
using iket::site_kind;

constexpr std::uint64_t cycles_per_us = 2000;

struct sites {
  std::uint32_t producer, consumer, wait_slot, load, wait_data, compute, copy, done, left;

  explicit sites(synthetic::trace& to)
      : producer(to.site(site_kind::role, "producer", "gemm.cu", 10)),
        consumer(to.site(site_kind::role, "consumer", "gemm.cu", 20)),
        wait_slot(to.site(site_kind::wait, "wait for free slot", "gemm.cu", 12)),
        load(to.site(site_kind::work, "load tile", "gemm.cu", 13)),
        wait_data(to.site(site_kind::wait, "wait for data", "gemm.cu", 22)),
        compute(to.site(site_kind::work, "compute", "gemm.cu", 23)),
        copy(to.site(site_kind::work, "copy in flight", "gemm.cu", 14)),
        done(to.site(site_kind::mark, "done", "gemm.cu", 30)),
        left(to.site(site_kind::counter, "tiles left", "gemm.cu", 24)) {}
};

/// A warp that opens at `start_us` and closes 20 us later.
synthetic::warp warp_at(std::uint32_t cta, std::uint32_t number, std::uint32_t role, std::uint64_t start_us) {
  synthetic::warp warp;
  warp.cta = cta;
  warp.number = number;
  warp.sm = cta;
  warp.role = role;
  warp.open = {1'000'000 + start_us * cycles_per_us, 1'700'000'000'000'000'000 + 1000 * start_us};
  warp.close = {warp.open.cycles + 20 * cycles_per_us, warp.open.globaltimer_ns + 20'000};
  return warp;
}

constexpr std::uint32_t tiles = 8;

synthetic::warp producer(const sites& at, std::uint32_t cta, std::uint64_t start_us) {
  synthetic::warp warp = warp_at(cta, 0, at.producer, start_us);
  std::uint64_t now = warp.open.cycles + 100;
  for (std::uint32_t tile = 0; tile < tiles; ++tile, now += 4500) {
    warp.log.event(record_kind::range_begin, at.wait_slot, now);
    warp.log.event(record_kind::range_end, at.wait_slot, now + 400);
    const std::uint32_t token = warp.log.event(record_kind::token_begin, at.copy, now + 450, payload_type::u32, tile);
    warp.log.event(record_kind::range_begin, at.load, now + 500, payload_type::i32, tile);
    warp.log.event(record_kind::range_end, at.load, now + 4200);
    warp.log.end_token(token, now + 4400, at.copy);
  }
  return warp;
}

synthetic::warp consumer(const sites& at, std::uint32_t cta, std::uint64_t start_us, std::uint64_t compute = 1200) {
  synthetic::warp warp = warp_at(cta, 1, at.consumer, start_us);
  std::uint64_t now = warp.open.cycles + 100;
  for (std::uint32_t tile = 0; tile < tiles; ++tile, now += 4500) {
    warp.log.event(record_kind::range_begin, at.wait_data, now, payload_type::i32, tile);
    warp.log.event(record_kind::range_end, at.wait_data, now + 3000);
    warp.log.event(record_kind::push, at.compute, now + 3100, payload_type::i32, tile);
    warp.log.event(record_kind::pop, 0, now + 3100 + compute);
    warp.log.event(record_kind::counter, at.left, now + 4400, payload_type::f32, 0x3F800000u);
  }
  warp.log.event(record_kind::mark, at.done, now);
  return warp;
}

synthetic::trace pipeline(std::uint32_t capacity) {
  synthetic::trace trace;
  const sites at(trace);
  std::vector<synthetic::warp> warps;
  for (std::uint32_t cta = 0; cta < 2; ++cta) {
    warps.push_back(producer(at, cta, cta));
    warps.push_back(consumer(at, cta, cta));
  }
  trace.launch("gemm", 2, 2, capacity, warps);
  return trace;
}

/// Sixteen CTAs, whose consumers compute for so many cycles and up to 30 more.
std::string many(std::uint64_t compute) {
  synthetic::trace trace;
  const sites at(trace);
  std::vector<synthetic::warp> warps;
  for (std::uint32_t cta = 0; cta < 16; ++cta) {
    warps.push_back(producer(at, cta, cta));
    warps.push_back(consumer(at, cta, cta, compute + (cta * 7 + compute) % 31));
  }
  trace.launch("gemm", 16, 2, 128, warps);
  return trace.bytes();
}

std::string keep_first() {
  synthetic::trace trace;
  const sites at(trace);
  trace.calibrate();
  trace.read_timer({0, 1'000'000});
  trace.launch("gemm", 2, 2, 16, {producer(at, 0, 0), consumer(at, 0, 0)}, true);
  trace.content.launches[0].info.cta_stride = 2;
  trace.content.launches[0].info.ctas_traced = 1;
  return trace.bytes();
}

std::string checked() {
  synthetic::trace trace = pipeline(128);
  trace.fault(iket::file::fault_kind::leader_absent, synthetic::site_address(4), 12);
  return trace.bytes();
}

std::string compiled_out() {
  synthetic::trace trace;
  const std::size_t launch = trace.launch("gemm", 2, 2, 64, {});
  trace.content.launches[launch].info.flags = iket::file::launch_compiled_out;
  return trace.bytes();
}

std::string nested(std::uint64_t depth) {
  synthetic::trace trace;
  const sites at(trace);
  synthetic::warp warp = warp_at(0, 0, 0, 0);
  std::uint64_t now = warp.open.cycles;
  for (std::uint64_t i = 0; i < depth; ++i) warp.log.event(record_kind::push, at.compute, now += 10);
  for (std::uint64_t i = 0; i < depth; ++i) warp.log.event(record_kind::pop, 0, now += 10);
  trace.launch("nested", 1, 1, 2048, {warp});
  return trace.bytes();
}

/// A kernel that failed, and whose sites could not be read any more.
std::string crash() {
  iket::test::hang_trace made;
  made.failed(made.warps_of(2), 2);
  made.trace.content.site_tables[0].sites.clear();
  return made.trace.bytes();
}

std::string newer_major(std::string bytes) {
  iket::file::file_header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  ++header.version_major;
  header.header_crc = iket::detail::crc32c(&header, offsetof(iket::file::file_header, header_crc));
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

/// Flips a bit of the last record.
std::string damaged(std::string bytes) {
  constexpr std::size_t end_chunk = sizeof(iket::file::chunk_header) + sizeof(iket::file::end_info);
  bytes[bytes.size() - end_chunk - 4] ^= 1;
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_traces FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
  };
  const std::string whole = pipeline(128).bytes();
  write("whole.bin", whole);
  write("wrapped.bin", pipeline(32).bytes());
  write("many.bin", many(1080));
  write("slower.bin", many(1200));
  write("keep_first.bin", keep_first());
  write("checked.bin", checked());
  write("truncated.bin", whole.substr(0, whole.size() - 20));
  write("damaged.bin", damaged(whole));
  write("newer.bin", newer_major(whole));
  write("compiled_out.bin", compiled_out());
  write("nested.bin", nested(600));
  write("hang.bin", iket::test::sample_hang().trace.bytes());
  write("crash.bin", crash());
  write("foreign.bin", std::string(300, 'x'));
  write("empty.bin", "");
  return 0;
}
