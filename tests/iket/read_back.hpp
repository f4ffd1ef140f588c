// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a trace.bin of the session holds, in numbers. It is trusted: reading foreign files is the analyzer's.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <iket/detail/crc32c.hpp>
#include <iket/detail/types.hpp>
#include <iket/trace_file.hpp>

struct read_back {
  struct launch {
    std::string name;
    iket::detail::u64 warps = 0;
    iket::detail::u64 records = 0;
    iket::file::launch_info info{};
  };
  std::map<iket::detail::u32, launch> launches;  ///< by id
  std::vector<std::string> sites;                ///< names
  std::size_t tables_without_sites = 0;
  std::size_t calibrations = 0;
  std::size_t host_clocks = 0;
  std::vector<iket::file::snapshot_info> snapshots;
  bool is_whole = false;  ///< every chunk's checksum is right, up to an end

  explicit read_back(const std::string& file) {
    namespace format = iket::file;
    if (file.size() < sizeof(format::file_header)) return;
    for (std::size_t at = sizeof(format::file_header); at + sizeof(format::chunk_header) <= file.size();) {
      format::chunk_header header{};
      std::memcpy(&header, file.data() + at, sizeof(header));
      at += sizeof(header);
      if (header.marker != format::chunk_marker || header.payload_bytes > file.size() - at) return;
      const char* const payload = file.data() + at;
      if (iket::detail::crc32c(payload, header.payload_bytes) != header.payload_crc) return;
      take(header, payload);
      at += (header.payload_bytes + 7) / 8 * 8;
      is_whole = header.type == format::chunk_end && at == file.size();
    }
  }

 private:
  template <class Info>
  static Info fixed_part(const char* payload) {
    Info info{};
    std::memcpy(&info, payload, sizeof(info));
    return info;
  }

  void take(const iket::file::chunk_header& header, const char* payload) {
    namespace format = iket::file;
    if (header.type == format::chunk_launch) {
      const auto info = fixed_part<format::launch_info>(payload);
      launches[info.id].name.assign(payload + info.fixed_bytes, info.name_bytes);
      launches[info.id].info = info;
    } else if (header.type == format::chunk_rings) {
      const auto group = fixed_part<format::ring_group>(payload);
      launches[group.launch].warps += group.warp_count;
      launches[group.launch].records += group.record_count;
    } else if (header.type == format::chunk_sites) {
      const auto table = fixed_part<format::site_table>(payload);
      const char* at = payload + table.fixed_bytes;
      tables_without_sites += table.site_count == 0 ? 1 : 0;
      for (iket::detail::u32 i = 0; i < table.site_count; ++i) {
        const auto site = fixed_part<format::site_info>(at);
        sites.emplace_back(at + site.fixed_bytes, site.name_bytes);
        at += (site.fixed_bytes + site.name_bytes + site.file_bytes + 7) / 8 * 8;
      }
    } else if (header.type == format::chunk_calibration) {
      ++calibrations;
    } else if (header.type == format::chunk_host_clock) {
      ++host_clocks;
    } else if (header.type == format::chunk_snapshot) {
      snapshots.push_back(fixed_part<format::snapshot_info>(payload));
    }
  }
};
