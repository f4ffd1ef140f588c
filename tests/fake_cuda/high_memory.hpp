// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Memory where a GPU's would be: above 4 GiB, which the session insists on.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace fake_cuda {

/// From the heap, so that sanitizers know its bounds; where that is lower, as valgrind's is, mapped.
class high_memory {
 public:
  /// Null where there is none. `give_back` takes the same size.
  static void* take(std::size_t bytes) {
    void* const found = std::aligned_alloc(alignment, rounded(bytes));
    if (found == nullptr || is_high(found)) return found;
    std::free(found);
    // At addresses of its own, as valgrind passes over a mere wish.
    static std::atomic<std::uintptr_t> next{first_mapped};
    void* const at = reinterpret_cast<void*>(next.fetch_add((rounded(bytes) + page - 1) / page * page + page));
    void* const mapped =
        mmap(at, rounded(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return mapped == MAP_FAILED ? nullptr : mapped;
  }

  static void give_back(void* memory, std::size_t bytes) {
    if (reinterpret_cast<std::uintptr_t>(memory) >= first_mapped &&
        reinterpret_cast<std::uintptr_t>(memory) < 2 * first_mapped)
      munmap(memory, rounded(bytes));
    else
      std::free(memory);
  }

 private:
  static constexpr std::size_t alignment = 512, page = 4096;
  static constexpr std::uintptr_t first_mapped = std::uintptr_t{1} << 38;
  static std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
  static bool is_high(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) >> 32 != 0; }
};

}  // namespace fake_cuda
