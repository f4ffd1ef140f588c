// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Notices kernels that hang.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <iket/config.hpp>
#include <iket/detail/hang_watch.hpp>
#include <iket/detail/maker_only.hpp>
#include <iket/error.hpp>
#include <iket/session.hpp>

namespace iket {
inline namespace abi_1 {

/// What a watchdog does when it has told of a launch that hangs.
enum class after_hang {
  go_on,         ///< watches on
  exit_process,  ///< ends the process with `hang_exit_code`, by std::_Exit: no destructors, no flushing of streams
};

/// With which `after_hang::exit_process` ends the process: EX_SOFTWARE of sysexits.h.
constexpr int hang_exit_code = 70;

}  // namespace abi_1

inline namespace IKET_DETAIL_ABI {

/// Watches a session's launches from threads of its own. When one has not ended within `limit` after it began, the
/// watchdog says so on stderr, takes a `session::snapshot`, and says where that is and how to read it:
///
///     iket::session session;
///     iket::watchdog watchdog(session, 5s, "hang.bin");  // using namespace std::chrono_literals
///     kernel<<<grid, block>>>(arguments..., session.trace("kernel", grid, block));
///     session.write("trace.bin");  // hangs with the kernel; the watchdog does not
///
/// *When*: it looks every eighth of the limit, at least every 500 ms and at most every 5 ms, so it is late by up to two
/// such times. A launch of `iket::launch` begins and ends by its CUDA events. Others have begun when a warp of theirs
/// has made its recorder, and have ended when the stream that was named for them has nothing to do any more, or all
/// recorders that were made are closed: a kernel that hangs without an open recorder is seen by events alone. Once for
/// each launch; a later hang overwrites the file, with all that still runs.
///
/// *What is in its way*: without `storage::host`, a thread inside cudaMemcpy, cudaMalloc, cudaFree or a launch behind
/// the kernel keeps a snapshot from copying, and the launches without events from being looked at (docs/host.md). When
/// a snapshot is not there after the limit, but not before 2 s, and a second more for each GiB of `memory_limit`, the
/// watchdog says so, with what may help, and goes on waiting. So it does when the snapshot waits for another call of
/// the session that long. When a look takes longer than the limit, and than 2 s, it says that it cannot tell. It says
/// so, too, when a file is not written after the limit, but not before 60 s.
///
/// *Cost*: two threads that sleep; for each launch in flight a query of an event or a stream. For launches without
/// events whose stream is busy, or was not named, a copy of 128 bytes for each traced warp, over the session's own
/// stream; during it a `trace` of another thread waits. Nothing on the kernel's side. `iket::launch` is the cheap way.
///
/// *Errors*: throws nothing out of its threads. A snapshot that fails is told once, and tried again while the launch
/// still runs, after one look, then two, four, and so on, 16 times in all. The threads block all signals, which go to
/// the program's other threads.
///
/// *Ending the process*: `after_hang::exit_process` does so behind the snapshot, behind three that failed, or when it
/// is late as above; not where it cannot tell whether a launch hangs. The driver then ends the kernel. What the session
/// had drained and not written is lost, and the streams of stdio are not flushed.
///
/// *Lifetime*: declare it behind its session, so that it ends first. Its destructor waits for a look or a snapshot that
/// is under way, as that uses the session: where the driver keeps it waiting, until the kernel has ended; in a process
/// that was forked meanwhile, which its threads are not in, it does nothing. It does not end the kernel: the session's
/// destructor, and the program's end by `return` or `std::exit`, wait for a kernel that hangs for ever.
///
/// With glibc before 2.34, link with -pthread.
///
/// Under IKET_DISABLE there are no threads, and nothing is told.
class watchdog {
 public:
  /// @throws iket::error if `limit` is not positive; std::system_error if there can be no further threads
  watchdog([[maybe_unused]] session& watched, std::chrono::nanoseconds limit, [[maybe_unused]] std::string path,
           [[maybe_unused]] after_hang then = after_hang::go_on) {
    if (limit.count() <= 0) throw error("iket: the limit of a watchdog must be more than 0");
    if constexpr (IKET_ENABLED != 0)
      watch_.emplace(std::in_place, watched, limit, std::move(path),
                     then == after_hang::exit_process ? std::optional<int>(hang_exit_code) : std::nullopt);
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() = default;

 private:
  std::optional<detail::maker_only<detail::hang_watch<session>>> watch_;
};

}  // namespace IKET_DETAIL_ABI
}  // namespace iket
