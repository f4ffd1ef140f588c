// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Each CUDA call of a session's life fails in turn, and each allocation: an error names the call, nothing leaks, and
// the session goes on with all that it had. Each try is a process of its own, because kernels are loaded once a
// process.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "catch.hpp"
#include "child_process.hpp"
#include "session_life.hpp"

namespace {

/// How many allocations succeed yet, of those that count.
std::size_t allocations_left = SIZE_MAX;
std::size_t allocations = 0;
bool are_allocations_counted = false;

void count_allocation() {
  if (!are_allocations_counted || !is_in_step || fake_cuda::is_inside()) return;
  ++allocations;
  if (allocations_left != SIZE_MAX && allocations_left-- == 0) {
    allocations_left = SIZE_MAX;
    throw std::bad_alloc();
  }
}

}  // namespace

// Linked in the place of the system's: over a thousand lives need not wait for the disk.
extern "C" int __wrap_fsync(int) { return 0; }

// Not inline: the compiler warns of what it sees then.
[[gnu::noinline]] void* operator new(std::size_t size) {
  count_allocation();
  if (void* const memory = std::malloc(size == 0 ? 1 : size); memory != nullptr) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

/// With what a session measures by itself, or without; and without, with the records in the host's memory.
enum class measures { no, yes, no_on_host };

iket::session_options small(measures wanted) {
  iket::session_options options;
  options.memory_limit = std::size_t{1} << 20;
  options.records_per_warp = 16;
  options.calibrate = options.host_clock = wanted == measures::yes;
  if (wanted == measures::no_on_host) options.storage = iket::storage::host;
  return options;
}

/// A life with the session's device not the current one, and what is wrong in the end.
class tried_life {
 public:
  explicit tried_life(measures wanted) {
    (void)cudaSetDevice(1);
    (void)cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    options_ = small(wanted);
  }

  /// `fail` says what is to fail from there on.
  template <class Fail>
  void live(Fail fail) {
    fail();
    life_.live(options_, stream_);
    calls_ = fake_cuda::calls();
    are_allocations_counted = false;
    fake_cuda::fail_no_call();
    (void)cudaStreamDestroy(stream_);
  }

  /// Whatever fails: no object is left, and neither the thread nor the program's errors are as they were not.
  void check_behind() {
    if (fake_cuda::live_objects() != 0) problem(std::to_string(fake_cuda::live_objects()) + " objects leaked");
    for (const std::string& violation : fake_cuda::violations()) problem(violation);
    if (cudaGetLastError() != cudaSuccess) problem("an error is left for the program");
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    if (mode != cudaStreamCaptureModeGlobal && failed() != "cudaThreadExchangeStreamCaptureMode")
      problem("the capture mode is another one");
    int device = 0;
    (void)cudaGetDevice(&device);
    if (device != 1) problem("the current device is another one");
#if defined(__SANITIZE_ADDRESS__)
    if (__lsan_do_recoverable_leak_check() != 0) problem("host memory leaked");
#endif
  }

  /// Every launch that happened is in some file, with all of its records.
  void check_complete() {
    if (life_.is_given_up) problem("the session was of no use any more");
    std::size_t launches = 0;
    for (const read_back& file : life_.files()) {
      if (!file.is_whole) problem("a file is not whole");
      has_names_ = has_names_ && file.tables_without_sites == 0;
      for (const auto& [id, launch] : file.launches) {
        if (launch.warps == 0) continue;
        ++launches;
        if (launch.records != session_life::ctas * session_life::warps * session_life::marks)
          problem(launch.name + " lacks records");
      }
    }
    if (launches != life_.launched)
      problem(std::to_string(launches) + " launches of " + std::to_string(life_.launched) + " in the files");
  }

  /// What failed was told, or was something that is done without.
  void check_told(std::size_t call) {
    if (call >= calls_.size()) return;  // how often the host asks whether a kernel has ended differs
    failed_ = calls_[call];
    for (const std::string& text : life_.errors)
      if (text.rfind("iket: ", 0) != 0 ||
          text.find(failed_ + " returned cudaErrorMemoryAllocation") == std::string::npos)
        problem("the error does not name the call: " + text);
    if (life_.errors.size() > 1) problem("told twice");
    static const std::set<std::string> done_without = {"cudaGetDriverEntryPoint",
                                                       "cuCtxGetCurrent",
                                                       "cuCtxGetId",
                                                       "cuStreamQuery",
                                                       "cuEventQuery",
                                                       "cudaDeviceGetAttribute",
                                                       "cudaStreamIsCapturing",
                                                       "cudaThreadExchangeStreamCaptureMode",
                                                       "cudaFuncGetAttributes",
                                                       "cudaPointerGetAttributes",
                                                       "cudaEventElapsedTime",
                                                       "cudaFree",
                                                       "cudaFreeHost",
                                                       "cudaStreamDestroy",
                                                       "cudaEventDestroy"};
    // What is missing in the trace without a word are measurements and sites, and a site that was read before is not
    // even missing. A destructor tells nothing.
    if (life_.errors.empty() && !options_.calibrate && has_names_ && !reads_site(call) && !is_in_background(call) &&
        call < life_.calls_before_end && done_without.count(failed_) == 0)
      problem("a failed " + failed_ + " was not told");
  }

  void problem(const std::string& text) { problems_ += text + "; "; }
  [[nodiscard]] const std::string& failed() const { return failed_; }
  [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }
  [[nodiscard]] const session_life& life() const { return life_; }
  [[nodiscard]] std::string problems() const { return problems_; }

 private:
  /// Sites are read one by one, behind the records. Nothing else is copied in this way to the host's memory.
  [[nodiscard]] bool reads_site(std::size_t call) const {
    const auto at = calls_.begin() + static_cast<std::ptrdiff_t>(call);
    const auto copy = at != calls_.begin() && *at == "cudaStreamSynchronize" ? at - 1 : at;
    return *copy == "cudaMemcpyAsync" &&
           (options_.storage == iket::storage::host || std::find(calls_.begin(), copy, "cudaMemcpy2DAsync") != copy);
  }

  /// A thread that reads in the background tells nothing. It makes the context current, which the life's own has.
  [[nodiscard]] bool is_in_background(std::size_t call) const {
    const auto at = calls_.begin() + static_cast<std::ptrdiff_t>(call);
    return *at == "cuCtxPushCurrent" ||
           std::count(calls_.begin(), at, "cuCtxPushCurrent") > std::count(calls_.begin(), at, "cuCtxPopCurrent");
  }

  session_life life_;
  iket::session_options options_;
  cudaStream_t stream_ = nullptr;
  std::vector<std::string> calls_;
  std::string failed_;
  std::string problems_;
  bool has_names_ = true;
};

/// The calls of a life in which nothing fails, and nothing is wrong.
std::vector<std::string> calls_of_a_life(measures wanted) {
  std::istringstream said(said_by_child([wanted] {
    tried_life tried(wanted);
    tried.live([] { fake_cuda::fail_no_call(); });
    tried.check_complete();
    tried.check_behind();
    std::string names = tried.problems() + (tried.life().errors.empty() ? "" : tried.life().errors[0]);
    for (const std::string& name : tried.calls()) names += name + " ";
    return names;
  }));
  std::vector<std::string> names{std::istream_iterator<std::string>(said), {}};
  REQUIRE_FALSE(names.empty());
  REQUIRE(names.front() == "cudaThreadExchangeStreamCaptureMode");
  return names;
}

/// What is wrong when that call fails.
std::string problems_where(measures wanted, std::size_t call) {
  return said_by_child([&] {
    tried_life tried(wanted);
    tried.live([&] { fake_cuda::fail_call(call, cudaErrorMemoryAllocation); });
    tried.check_complete();
    tried.check_told(call);
    tried.check_behind();
    return tried.problems().empty() ? "" : tried.failed() + ": " + tried.problems();
  });
}

}  // namespace

TEST_CASE("whatever call fails, an error names it, nothing leaks, and the session goes on with all that it had") {
  const measures wanted = GENERATE(measures::no, measures::no_on_host);
  const std::vector<std::string> calls = calls_of_a_life(wanted);
  CHECK(calls.size() > 90);
  for (std::size_t call = 0; call < calls.size(); ++call) {
    const std::string problems = problems_where(wanted, call);
    CAPTURE(call, problems);
    CHECK(problems.empty());
  }
}

TEST_CASE("whatever call of a measurement fails, nothing leaks, and the session goes on with all that it had") {
  const std::vector<std::string> calls = calls_of_a_life(measures::yes);
  const auto made = std::find(calls.begin(), calls.end(), "cudaStreamIsCapturing");  // of the first launch
  REQUIRE(made != calls.end());
  for (auto call = calls.begin(); call != calls.end(); ++call) {
    const bool is_drivers = call->rfind("cuda", 0) != 0;
    if (call >= made && !is_drivers) continue;  // as without measurements
    const std::string problems = problems_where(measures::yes, static_cast<std::size_t>(call - calls.begin()));
    CAPTURE(call - calls.begin(), problems);
    CHECK(problems.empty());
  }
}

TEST_CASE(
    "wherever the program's kernel fails, the error says whose it is, and nothing leaks or is thrown on the way out") {
  const measures wanted = GENERATE(measures::no, measures::no_on_host);
  const std::size_t count = calls_of_a_life(wanted).size();
  for (std::size_t call = 0; call < count; call += 3) {
    const std::string problems = said_by_child([&] {
      tried_life tried(wanted);
      tried.live([&] { fake_cuda::fail_call(call, cudaErrorIllegalAddress, true); });
      for (const std::string& text : tried.life().errors)
        if (text.find("cudaErrorIllegalAddress") == std::string::npos ||
            text.find("A kernel of the program failed") == std::string::npos)
          tried.problem("the error does not say whose it is: " + text);
      for (const read_back& file : tried.life().files())
        if (!file.is_whole) tried.problem("a file is not whole");
      if (fake_cuda::live_objects() != 0) tried.problem("leaked");
      for (const std::string& violation : fake_cuda::violations()) tried.problem(violation);
      return tried.problems();
    });
    CAPTURE(call, problems);
    CHECK(problems.empty());
  }
}

TEST_CASE("wherever the host's memory runs out, nothing leaks, and the session goes on with all that it had") {
  const std::string count = said_by_child([] {
    tried_life tried(measures::no);
    tried.live([] { are_allocations_counted = true; });
    return std::to_string(allocations);
  });
  const std::size_t all = std::stoul(count);
  CHECK(all > 100);
  for (std::size_t allocation = 0; allocation < all; ++allocation) {
    const std::string problems = said_by_child([&] {
      tried_life tried(measures::no);
      tried.live([&] {
        allocations_left = allocation;
        are_allocations_counted = true;
      });
      tried.check_complete();
      tried.check_behind();
      return tried.problems();
    });
    CAPTURE(allocation, problems);
    CHECK(problems.empty());
  }
}
