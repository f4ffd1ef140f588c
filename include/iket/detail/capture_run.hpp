// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A run of the program under iket-capture, which says by two variables of the environment what the run is for.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include <iket/error.hpp>

// As cuda_profiler_api.h has them, which not every toolkit installs beside the runtime's own header.
extern "C" {
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
}

namespace iket {
inline namespace abi_1 {
namespace detail {

/// What iket-capture runs a program for.
enum class run_kind {
  own,       ///< not under iket-capture: nothing is different
  plain,     ///< to time its launches untraced
  traced,    ///< to trace them
  profiled,  ///< to have a profiler look at them, untraced, and at no other kernels
};

/// One for each session. IKET_CAPTURE_RUN is "plain", "traced" or "profiled", IKET_CAPTURE_FOLDER where traces go.
class capture_run {
 public:
  /// @throws iket::error where one of the two is set to nonsense, or alone
  static capture_run of_environment() {
    const char* const kind = std::getenv("IKET_CAPTURE_RUN");
    const char* const folder = std::getenv("IKET_CAPTURE_FOLDER");
    if (kind == nullptr && folder == nullptr) return {};
    for (const auto& known : {std::make_pair("plain", run_kind::plain), std::make_pair("traced", run_kind::traced),
                              std::make_pair("profiled", run_kind::profiled)})
      if (kind != nullptr && folder != nullptr && *folder != '\0' && std::strcmp(kind, known.first) == 0)
        return {known.second, std::string(folder) + "/" + kind};
    throw error(
        "iket: IKET_CAPTURE_RUN must be plain, traced or profiled, and IKET_CAPTURE_FOLDER a folder, as iket-capture "
        "sets them. Unset both to run without it");
  }

  capture_run() = default;

  [[nodiscard]] bool is_captured() const noexcept { return kind_ != run_kind::own; }
  /// Whether what was not written is to be written when the session ends: a process that was forked meanwhile has a
  /// copy of it, the locks as they were at the fork, and no CUDA.
  [[nodiscard]] bool writes_rest() const noexcept { return is_captured() && getpid() == maker_; }
  /// Whether launches are noted, and not traced.
  [[nodiscard]] bool is_untraced() const noexcept { return kind_ == run_kind::plain || kind_ == run_kind::profiled; }

  /// Takes a name for the next trace of this run, which no other session or process has taken: "FOLDER/plain.bin",
  /// "FOLDER/plain.2.bin". An empty file is there from then on.
  /// @throws iket::error where the folder cannot be written to
  [[nodiscard]] std::string take_file() const {
    constexpr int most = 100'000;
    for (int number = 1; number <= most; ++number) {
      std::string name = begin_ + (number == 1 ? "" : "." + std::to_string(number)) + ".bin";
      const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file >= 0) {
        (void)::close(file);
        return name;
      }
      if (errno != EEXIST) throw error("iket: cannot write '" + name + "': " + std::strerror(errno));
    }
    throw error("iket: '" + begin_ + "' has too many files");
  }

  /// Lets the profiler look at kernels that are launched from here on; ends what was begun before.
  void begin_profile() noexcept {
    end_profile();
    if (kind_ == run_kind::profiled) is_profiling_ = cudaProfilerStart() == cudaSuccess;
  }
  /// Lets it look at no further kernel.
  void end_profile() noexcept {
    if (std::exchange(is_profiling_, false)) (void)cudaProfilerStop();
  }

 private:
  capture_run(run_kind kind, std::string begin) : kind_(kind), begin_(std::move(begin)) {}

  run_kind kind_ = run_kind::own;
  std::string begin_;  ///< of the names of its files
  pid_t maker_ = getpid();
  bool is_profiling_ = false;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
