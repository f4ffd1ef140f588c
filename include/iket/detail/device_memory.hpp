// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The memory that a session's kernels write into, and the stream over which the host reaches it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include <cuda_runtime_api.h>

#include <iket/detail/cuda_check.hpp>
#include <iket/detail/launch_plan.hpp>
#include <iket/detail/mapped_memory.hpp>
#include <iket/detail/types.hpp>
#include <iket/session_options.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// One block of memory that is zero where nobody wrote, handed out piece by piece under its addresses on the device;
/// copies to the host go through a pinned buffer over a stream of its own, so that the user's streams are never
/// touched. All that is needed later is made by the constructor.
///
/// In the host's memory (`storage::host`) only `try_read` uses the stream and the pinned buffer. All else is plain
/// loads and stores, which work when no CUDA call does any more or each waits behind a kernel; a `try_read` of another
/// thread may be under way meanwhile.
class device_memory {
 public:
  /// Allocates `capacity` bytes for the current device and waits until they are zero.
  explicit device_memory(std::size_t capacity, iket::storage where = iket::storage::device)
      : capacity_(capacity), lasting_(capacity) {
    if (capacity == 0) throw error("iket: session_options::memory_limit is 0, so that no launch could be traced");
    try {
      cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags",
                 "making the session's stream");
      cuda_check(cudaHostAlloc(&staging_, staging_bytes, cudaHostAllocDefault), "cudaHostAlloc",
                 "allocating " + std::to_string(staging_bytes) + " bytes of pinned host memory");
      rows_ = static_cast<char*>(staging_);
      if (where == iket::storage::host) {
        memory_ = mapped_.allocate(capacity_);
        own_rows_ = std::make_unique<char[]>(staging_bytes);
        rows_ = own_rows_.get();
      } else {
        cuda_check(cudaMalloc(&memory_, capacity_), "cudaMalloc",
                   "allocating " + std::to_string(capacity_) + " bytes of device memory",
                   "Lower iket::session_options::memory_limit, or free memory first");
      }
      if (reinterpret_cast<u64>(memory_) >> 32 == 0)  // see `device_store::gate`
        throw error("iket: the driver gave device memory below 4 GiB, where no CUDA driver is known to give any");
      if (mapped_.is_there())
        clear(0, capacity_);
      else
        clear_first();
    } catch (...) {
      release();
      throw;
    }
  }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() { release(); }

  /// The context has ended and has taken all along: there is nothing to give back any more.
  void abandon() noexcept {
    memory_ = staging_ = nullptr;
    stream_ = nullptr;
    mapped_.abandon();
  }

  /// Whether what was written can be read behind a failed kernel.
  [[nodiscard]] bool is_on_host() const { return mapped_.is_there(); }

  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t available() const { return lasting_ - used_; }
  /// Whether `take` handed out any that `recycle` did not take back.
  [[nodiscard]] bool is_used() const { return used_ != 0; }

  /// Over which all copies go.
  [[nodiscard]] cudaStream_t stream() const { return stream_; }

  /// The device address of `bytes` zeroed bytes, aligned to `alignment`, a power of two of at least 128. The caller
  /// knows that they are available.
  [[nodiscard]] u64 take(std::size_t bytes, std::size_t alignment = 128) {
    const u64 base = reinterpret_cast<u64>(memory_);
    const u64 address = (base + used_ + alignment - 1) & ~(u64{alignment} - 1);
    used_ = static_cast<std::size_t>(address - base) + round_up_piece(bytes);
    return address;
  }

  /// As `take`, for memory that `recycle` leaves alone.
  [[nodiscard]] u64 take_lasting(std::size_t bytes, std::size_t alignment = 128) {
    const u64 base = reinterpret_cast<u64>(memory_);
    const u64 address = (base + lasting_ - bytes) & ~(u64{alignment} - 1);
    lasting_ = static_cast<std::size_t>(address - base);
    return address;
  }

  /// Copies `bytes` bytes to what `take` gave, and waits until they are there.
  void write(u64 target, const void* data, std::size_t bytes) {
    if (mapped_.is_there()) {
      std::memcpy(mapped_.at(offset_of(target)), data, bytes);
      return;
    }
    for (std::size_t at = 0; at < bytes; at += staging_bytes) {
      const std::size_t piece = std::min(staging_bytes, bytes - at);
      std::copy_n(static_cast<const char*>(data) + at, piece, static_cast<char*>(staging_));
      const char* const what = "copying the list of traced CTAs to the device";
      cuda_check(
          cudaMemcpyAsync(reinterpret_cast<void*>(target + at), staging_, piece, cudaMemcpyHostToDevice, stream_),
          "cudaMemcpyAsync", what);
      cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize", what);
    }
  }

  /// Zeroes all that `take` handed out and takes it back.
  void recycle() {
    clear(0, used_);
    used_ = 0;
  }

  /// Zeroes all that `take_lasting` handed out and takes it back.
  void recycle_lasting() {
    clear(lasting_, capacity_ - lasting_);
    lasting_ = capacity_;
  }

  /// Zeroes `bytes` bytes of what was handed out.
  void zero(u64 address, std::size_t bytes) { clear(offset_of(address), bytes); }

  /// Copies `rows` rows of `row_bytes` bytes, `pitch` bytes apart from `source` on, and passes them one by one and in
  /// order to `take_row(row, data)`; `data` is good until it returns. Waits for the copies, if there are any.
  template <class TakeRow>
  void read_rows(u64 source, std::size_t pitch, std::size_t row_bytes, std::size_t rows, TakeRow take_row) {
    if (row_bytes == 0) return;
    if (row_bytes > staging_bytes) {
      std::string row_data(row_bytes, '\0');
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t at = 0; at < row_bytes; at += staging_bytes) {
          const std::size_t piece = std::min(staging_bytes, row_bytes - at);
          copy_rows(source + row * pitch + at, piece, piece, 1);
          std::copy_n(rows_, piece, row_data.data() + at);
        }
        take_row(row, static_cast<const void*>(row_data.data()));
      }
      return;
    }
    const std::size_t batch = staging_bytes / row_bytes;
    for (std::size_t first = 0; first < rows; first += batch) {
      const std::size_t count = std::min(batch, rows - first);
      copy_rows(source + first * pitch, pitch, row_bytes, count);
      for (std::size_t i = 0; i < count; ++i) take_row(first + i, static_cast<const void*>(rows_ + i * row_bytes));
    }
  }

  /// Copies `bytes` bytes from any device address to `target`. False where the driver does not let it: the address is
  /// nobody's, or the range leaves one variable; or where no call works any more. No error stays behind.
  [[nodiscard]] bool try_read(u64 source, void* target, std::size_t bytes) {
    if (bytes > staging_bytes) return false;
    const own_errors errors;
    if (cudaMemcpyAsync(staging_, reinterpret_cast<const void*>(source), bytes, cudaMemcpyDeviceToHost, stream_) !=
            cudaSuccess ||
        cudaStreamSynchronize(stream_) != cudaSuccess)
      return false;
    std::copy_n(static_cast<const char*>(staging_), bytes, static_cast<char*>(target));
    return true;
  }

 private:
  static constexpr std::size_t staging_bytes = std::size_t{8} << 20;
  static constexpr const char* zeroing = "zeroing trace memory";

  [[nodiscard]] std::size_t offset_of(u64 address) const {
    return static_cast<std::size_t>(address - reinterpret_cast<u64>(memory_));
  }

  // By copies, not by cudaMemsetAsync, which is a kernel: it waits for room on a GPU that another one fills, perhaps
  // for ever.
  void clear(std::size_t offset, std::size_t bytes) {
    if (bytes == 0) return;
    if (mapped_.is_there()) {
      std::memset(mapped_.at(offset), 0, bytes);
      return;
    }
    std::memset(staging_, 0, std::min(bytes, staging_bytes));
    for (std::size_t at = 0; at < bytes; at += staging_bytes)
      cuda_check(cudaMemcpyAsync(static_cast<char*>(memory_) + offset + at, staging_,
                                 std::min(staging_bytes, bytes - at), cudaMemcpyHostToDevice, stream_),
                 "cudaMemcpyAsync", zeroing);
    cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize", zeroing);
  }

  void clear_first() {
    cuda_check(cudaMemsetAsync(memory_, 0, capacity_, stream_), "cudaMemsetAsync", zeroing);
    cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize", zeroing);
  }

  // From the host's memory too: a kernel may write there while what was copied is looked at.
  void copy_rows(u64 source, std::size_t pitch, std::size_t row_bytes, std::size_t rows) {
    if (mapped_.is_there()) {
      for (std::size_t row = 0; row < rows; ++row)
        std::memcpy(rows_ + row * row_bytes, mapped_.at(offset_of(source) + row * pitch), row_bytes);
      return;
    }
    const char* const what = "copying records to the host";
    cuda_check(cudaMemcpy2DAsync(rows_, row_bytes, reinterpret_cast<const void*>(source), pitch, row_bytes, rows,
                                 cudaMemcpyDeviceToHost, stream_),
               "cudaMemcpy2DAsync", what);
    cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize", what);
  }

  void release() noexcept {
    const own_errors errors;
    if (memory_ != nullptr && !mapped_.is_there()) (void)cudaFree(memory_);
    mapped_.release();
    if (staging_ != nullptr) (void)cudaFreeHost(staging_);
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }

  std::size_t capacity_;
  std::size_t used_ = 0;     // from the front on
  std::size_t lasting_;      // from here to the end: what lasts behind a drain
  void* memory_ = nullptr;   // its address on the device
  mapped_memory mapped_;     // where it is the host's
  void* staging_ = nullptr;  // what copies go through
  std::unique_ptr<char[]> own_rows_;
  char* rows_ = nullptr;  // to where rows are copied: `staging_`, or, with `mapped_`, `own_rows_`
  cudaStream_t stream_ = nullptr;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
