// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How much a trace.bin holds, counted by the file format alone.
#pragma once

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iket/record.hpp>
#include <iket/trace_file.hpp>
#include <iket/warp_header.hpp>
#include <iterator>
#include <stdexcept>
#include <string>

namespace bench {

struct trace_counts {
  unsigned long long warps = 0;    ///< that made a recorder
  unsigned long long records = 0;  ///< in the file
  unsigned long long events = 0;   ///< those that are no payload of another
  unsigned long long lost = 0;     ///< records
  unsigned long long refused = 0;  ///< recorders

  [[nodiscard]] bool is_whole() const { return warps != 0 && lost == 0 && refused == 0; }
  [[nodiscard]] double events_per_warp() const { return per_warp(events); }
  [[nodiscard]] double records_per_warp() const { return per_warp(records); }

 private:
  [[nodiscard]] double per_warp(unsigned long long count) const {
    return warps == 0 ? 0 : static_cast<double>(count) / static_cast<double>(warps);
  }
};

/// Reads structs from a file's text. A struct of a newer format may be longer than the reader's.
class byte_reader {
 public:
  explicit byte_reader(const std::string& bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  template <class T>
  [[nodiscard]] T peek() const {
    if (at_ + sizeof(T) > bytes_.size()) throw std::runtime_error("the trace is cut");
    T value{};
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    return value;
  }
  template <class T>
  [[nodiscard]] T take() {
    const T value = peek<T>();
    skip(sizeof(T));
    return value;
  }
  void skip(std::size_t count) { at_ += count; }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  const std::string& bytes_;
  std::size_t at_;
};

inline void count_rings(byte_reader from, trace_counts& counts) {
  const auto group = from.peek<iket::file::ring_group>();
  from.skip(group.fixed_bytes);
  for (iket::file::u32 i = 0; i < group.warp_count; ++i) {
    const auto header = from.take<iket::warp_header>();
    ++counts.warps;
    if (header.closed != 0) counts.lost += header.written - header.kept;
  }
  counts.records += group.record_count;
  for (iket::file::u64 i = 0; i < group.record_count; ++i) {
    if (iket::kind_of(from.take<iket::record>().tag) != iket::record_kind::payload) ++counts.events;
  }
}

/// Over all launches of a file. @throws std::runtime_error if it cannot be read
inline trace_counts count_trace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  trace_counts counts;
  byte_reader from(bytes, sizeof(iket::file::file_header));
  while (from.at() < bytes.size()) {
    const auto chunk = from.take<iket::file::chunk_header>();
    if (chunk.marker != iket::file::chunk_marker) throw std::runtime_error(path + " is damaged");
    if (chunk.type == iket::file::chunk_rings) count_rings(from, counts);
    if (chunk.type == iket::file::chunk_launch) {
      constexpr std::size_t at_refused = offsetof(iket::file::launch_info, recorders_refused);
      counts.refused += byte_reader(bytes, from.at() + at_refused).peek<iket::file::u32>();
    }
    from.skip((chunk.payload_bytes + 7) / 8 * 8);
  }
  return counts;
}

}  // namespace bench
