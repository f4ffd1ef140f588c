// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Changes traces so that the change is read: the contents of chunks, behind right checksums. A file with a random bit
/// flipped ends at its first checksum instead.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include <iket/record.hpp>
#include <iket/warp_header.hpp>

#include "trace_pieces.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace fuzz;
namespace file = iket::file;

constexpr std::uint64_t telling_numbers[] = {0,
                                             1,
                                             2,
                                             3,
                                             7,
                                             8,
                                             31,
                                             32,
                                             33,
                                             63,
                                             64,
                                             127,
                                             128,
                                             255,
                                             256,
                                             1023,
                                             1024,
                                             4096,
                                             65535,
                                             65536,
                                             0x7FFFFFFF,
                                             0x80000000,
                                             0xFFFFFFFE,
                                             0xFFFFFFFF,
                                             0x100000000,
                                             0x7FFFFFFFFFFFFFFF,
                                             0x8000000000000000,
                                             0xFFFFFFFFFFFFFFFE,
                                             0xFFFFFFFFFFFFFFFF,
                                             9'223'372'036'854'775,
                                             9'223'372'036'854'776,
                                             1'700'000'000'000'000'000,
                                             0x7FF0000000000000,
                                             0x7FF8000000000000,
                                             0x7F800000,
                                             0x7FC00000,
                                             0x20000000,
                                             0x1FFFFFFF};

constexpr std::uint32_t known_types[] = {
    file::chunk_device, file::chunk_calibration, file::chunk_host_clock, file::chunk_sites, file::chunk_launch,
    file::chunk_faults, file::chunk_rings,       file::chunk_snapshot,   file::chunk_end,   0x20202020};

constexpr std::string_view telling_texts[] = {
    "=1+2", "@x", "+1", "-",    "\"", "\\", "\x1b[31m",    "\xc2\x9b", "\xe2\x80\xae",     "\xff\xfe",
    "\r\n", "\t", "|",  "`<b>", ",",  "",   "(in flight)", "%s%n",     "\xf0\x9f\x98\x80", "\xef\xbb\xbf"};

class mutator {
 public:
  mutator(pieces& of, std::size_t most, unsigned seed) : of_(of), most_(most), random_(seed) {}

  void run() {
    for (std::size_t changes = 1 + below(3); changes != 0; --changes) change();
  }

  [[nodiscard]] std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

 private:
  void change() {
    if (of_.chunks.empty()) return;
    const std::size_t place = below(of_.chunks.size());
    piece& one = of_.chunks[place];
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return set_field(one.payload);
      case 4:
      case 5:
        return mutate_bytes(one.payload);
      case 6: {
        piece copy = one;
        of_.chunks.insert(of_.chunks.begin() + static_cast<std::ptrdiff_t>(below(of_.chunks.size() + 1)),
                          std::move(copy));
        return;
      }
      case 7:
        if (of_.chunks.size() > 1) of_.chunks.erase(of_.chunks.begin() + static_cast<std::ptrdiff_t>(place));
        return;
      case 8:
        return std::swap(one, of_.chunks[below(of_.chunks.size())]);
      case 9:
        one.type = known_types[below(std::size(known_types))];
        return;
      case 10:
      case 11:
        return change_record(one);
      case 12:
        return change_text(one);
      case 13:
        return copy_word(one.payload, of_.chunks[below(of_.chunks.size())].payload);
      case 14:
        return balance(one);
      default:
        return change_header();
    }
  }

  /// A member of the fixed part mostly, else anything: to a number at which something overflows, or near it.
  void set_field(std::string& to) {
    if (to.size() < 8) return;
    const std::size_t reach = below(3) != 0 ? std::min<std::size_t>(to.size(), 192) : to.size();
    const std::size_t at = below(reach / 4) * 4;
    std::uint64_t value = telling_numbers[below(std::size(telling_numbers))];
    if (below(4) == 0) value = random_();
    std::memcpy(to.data() + at, &value, std::min<std::size_t>(below(2) == 0 ? 4 : 8, to.size() - at));
  }

  void mutate_bytes(std::string& to) {
    const std::size_t size = to.size();
    const std::size_t room = size + std::min<std::size_t>(64, most_);
    to.resize(room);
    to.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(to.data()), size, room));
  }

  /// A record of a ring group becomes another event, or its clock another time.
  void change_record(piece& of) {
    if (of.type != file::chunk_rings || of.payload.size() < 24 + sizeof(iket::warp_header) + 8)
      return set_field(of.payload);
    const std::size_t first = 24 + sizeof(iket::warp_header);
    const std::size_t at = (of.payload.size() - 8 - below((of.payload.size() - first) / 8) * 8) & ~std::size_t{7};
    std::array<std::uint32_t, 2> record;
    std::memcpy(record.data(), of.payload.data() + at, 8);
    if (below(2) == 0) record[0] = static_cast<std::uint32_t>(below(2) == 0 ? random_() : telling_numbers[below(24)]);
    if (below(2) == 0) record[1] = (record[1] & ~15u) | static_cast<std::uint32_t>(below(16));
    if (below(8) == 0) record[1] = static_cast<std::uint32_t>(below(3) << 8 | below(16) << 4 | 15);
    std::memcpy(of.payload.data() + at, record.data(), 8);
  }

  void change_text(piece& of) {
    const std::string_view text = telling_texts[below(std::size(telling_texts))];
    if (of.payload.size() < text.size() + 48) return;
    const std::size_t at = of.payload.size() - text.size() - below(std::min<std::size_t>(of.payload.size() - 40, 40));
    of.payload.replace(std::min(at, of.payload.size() - text.size()), text.size(), text);
  }

  void copy_word(std::string& to, const std::string& from) {
    if (to.size() < 8 || from.size() < 8) return;
    const std::size_t source = below(from.size() / 4) * 4;
    const std::size_t target = below(to.size() / 4) * 4;
    const std::string word = from.substr(source, 4);
    to.replace(target, word.size(), word);
  }

  /// Makes the counts of a ring group fit what is there, so that its warps are looked at.
  void balance(piece& of) {
    if (of.type != file::chunk_rings || of.payload.size() < 24) return set_field(of.payload);
    std::uint32_t warps = 0;
    std::memcpy(&warps, of.payload.data() + 8, 4);
    const std::size_t most = (of.payload.size() - 24) / sizeof(iket::warp_header);
    warps = static_cast<std::uint32_t>(std::min<std::size_t>(warps, most));
    const std::uint64_t records = (of.payload.size() - 24 - warps * sizeof(iket::warp_header)) / 8;
    of.payload.resize(24 + warps * sizeof(iket::warp_header) + static_cast<std::size_t>(records) * 8);
    const std::uint32_t fixed = 24;
    std::memcpy(of.payload.data(), &fixed, 4);
    std::memcpy(of.payload.data() + 8, &warps, 4);
    std::memcpy(of.payload.data() + 16, &records, 8);
    std::uint64_t left = records;
    for (std::uint32_t i = 0; i < warps; ++i) {
      const auto kept = static_cast<std::uint32_t>(i + 1 == warps ? left : std::min<std::uint64_t>(left, below(64)));
      left -= kept;
      std::memcpy(of.payload.data() + 24 + i * sizeof(iket::warp_header) + offsetof(iket::warp_header, kept), &kept, 4);
    }
  }

  void change_header() {
    if (of_.header.size() < sizeof(file::file_header)) return;
    if (below(8) != 0) return set_field(of_.chunks[below(of_.chunks.size())].payload);
    const std::size_t at = 8 + 2 * below(10);
    const auto value = static_cast<std::uint16_t>(telling_numbers[below(20)]);
    std::memcpy(of_.header.data() + at, &value, 2);
  }

  pieces& of_;
  std::size_t most_;
  std::minstd_rand random_;
};

std::size_t put(const std::string& bytes, std::uint8_t* data, std::size_t most) {
  const std::size_t size = std::min(bytes.size(), most);
  std::memcpy(data, bytes.data(), size);
  return size;
}

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  pieces of = pieces_of(text_of(data, size));
  // Some files with wrong checksums and lengths as well.
  if (of.chunks.empty() || seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  mutator change(of, most, seed);
  change.run();
  std::string bytes = bytes_of(of, change.below(16) != 0);
  if (bytes.size() > most && of.chunks.size() > 1) {
    of.chunks.erase(of.chunks.begin() + static_cast<std::ptrdiff_t>(change.below(of.chunks.size())));
    bytes = bytes_of(of);
  }
  return put(bytes, data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                                 std::size_t b_size, std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  const pieces one = pieces_of(text_of(a, a_size));
  const pieces other = pieces_of(text_of(b, b_size));
  pieces both{one.header, {}, {}};
  std::minstd_rand random(seed);
  std::size_t size = both.header.size();
  for (std::size_t i = 0; i < std::max(one.chunks.size(), other.chunks.size()); ++i)
    for (const pieces* from : {&one, &other}) {
      if (i >= from->chunks.size() || random() % 3 == 0 || size + from->chunks[i].payload.size() + 32 > most) continue;
      both.chunks.push_back(from->chunks[i]);
      size += from->chunks[i].payload.size() + 32;
    }
  return put(bytes_of(both), out, most);
}
