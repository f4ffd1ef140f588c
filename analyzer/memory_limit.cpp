// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "memory_limit.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include <sys/resource.h>

#include "limits.hpp"
#include "parallel.hpp"

namespace iket::analysis {
namespace {

// A thread's stack counts in full, 8 MiB mostly.
constexpr std::uint64_t thread_bytes = malloc_piece_bytes + (std::uint64_t{32} << 20);

// GCC defines a macro, clang has a feature.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool is_possible = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool is_possible = false;
#else
constexpr bool is_possible = true;
#endif
#else
constexpr bool is_possible = true;
#endif

}  // namespace

std::uint64_t memory_limit_for(const std::vector<std::string>& paths) {
  std::uint64_t file_bytes = 0;
  for (const std::string& path : paths) {
    std::error_code failure;
    const std::uintmax_t size = std::filesystem::file_size(path, failure);
    constexpr std::uint64_t largest = std::uint64_t{1} << 50;
    if (!failure) file_bytes = std::min(file_bytes + std::min<std::uint64_t>(size, largest), largest);
  }
  return limits::memory_bytes + thread_bytes * threads_for(SIZE_MAX) + limits::memory_for_file_byte * file_bytes;
}

void limit_memory(std::uint64_t bytes) {
  rlimit limit{};
  if (!is_possible || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, bytes);
  // What cannot be set is no reason not to read a trace.
  (void)setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace iket::analysis
