// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// A file system that fails: the program is linked so that the library's system calls come here first.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <iket/detail/whole_file.hpp>
#include <iket/error.hpp>

#include "catch.hpp"
#include "scratch_folder.hpp"

using iket::detail::whole_file;

namespace {

/// What goes wrong; nothing by itself.
struct faults {
  bool interrupts = false;                                        ///< every second call is cut short by a signal
  std::size_t most_bytes = SIZE_MAX;                              ///< a call takes so many
  std::size_t room = SIZE_MAX;                                    ///< bytes until the disk is full
  int open = 0, write = ENOSPC, sync = 0, close = 0, rename = 0;  ///< how they fail; `write` once there is no room
  int syncs = 0;                                                  ///< how often there was a wait for the disk
  bool odd = false;
};
faults now;

bool is_interrupted() {
  if (!now.interrupts) return false;
  now.odd = !now.odd;
  if (now.odd) errno = EINTR;
  return now.odd;
}

int failed(int reason) {
  if (reason != 0) errno = reason;
  return reason == 0 ? 0 : -1;
}

/// For the time of a test.
struct with_faults {
  explicit with_faults(faults wanted) { now = wanted; }
  with_faults(const with_faults&) = delete;
  with_faults& operator=(const with_faults&) = delete;
  ~with_faults() { now = {}; }
};

}  // namespace

extern "C" {
int __real_open(const char* path, int flags, mode_t mode);
ssize_t __real_write(int descriptor, const void* data, std::size_t size);
int __real_fsync(int descriptor);
int __real_close(int descriptor);
int __real_rename(const char* from, const char* to);

int __wrap_open(const char* path, int flags, mode_t mode) {
  if (is_interrupted() || failed(now.open) != 0) return -1;
  return __real_open(path, flags, mode);
}
ssize_t __wrap_write(int descriptor, const void* data, std::size_t size) {
  if (is_interrupted()) return -1;
  if (now.room == 0) return failed(now.write);
  const std::size_t taken = std::min({size, now.most_bytes, now.room});
  if (now.room != SIZE_MAX) now.room -= taken;
  return __real_write(descriptor, data, taken);
}
int __wrap_fsync(int descriptor) {
  if (is_interrupted() || failed(now.sync) != 0) return -1;
  ++now.syncs;
  return __real_fsync(descriptor);
}
int __wrap_close(int descriptor) {
  const int closed = __real_close(descriptor);
  return failed(now.close) != 0 ? -1 : closed;
}
int __wrap_rename(const char* from, const char* to) {
  if (failed(now.rename) != 0) return -1;
  return __real_rename(from, to);
}
}

namespace {

/// More than the writer gathers, in small pieces and a large one.
std::string content() {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i) + " ";
  return text + std::string(1000000, 'x') + "end";
}

void write_content(whole_file& file) {
  const std::string text = content();
  const std::size_t large = text.find('x');
  for (std::size_t at = 0; at < large; at += 7) file.append(text.data() + at, std::min<std::size_t>(7, large - at));
  file.append(text.data() + large, text.size() - large);
}

/// What the error of writing says; nothing where it worked.
std::string error_of(const std::string& path, bool is_synced) {
  try {
    whole_file file(path);
    write_content(file);
    if (is_synced) file.sync();
    file.commit();
  } catch (const iket::error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("interrupted calls and short writes are gone on with") {
  for (const std::size_t most_bytes : {std::size_t{4093}, SIZE_MAX}) {
    const scratch_folder folder;
    faults interrupted;
    interrupted.interrupts = true;
    interrupted.most_bytes = most_bytes;
    {
      const with_faults here(interrupted);
      CHECK(error_of(folder / "trace.bin", true).empty());
      CHECK(now.syncs == 2);  // the file and its folder
    }
    CHECK(content_of(folder / "trace.bin") == content());
    CHECK(folder.entries() == 1);
  }
}

TEST_CASE("a file is waited for where that was asked") {
  const scratch_folder folder;
  const with_faults here({});
  CHECK(error_of(folder / "trace.bin", false).empty());
  CHECK(now.syncs == 0);
  CHECK(error_of(folder / "trace.bin", true).empty());
  CHECK(now.syncs == 2);
}

TEST_CASE("wherever the disk becomes full, the old file stays, and nothing else does") {
  const std::size_t size = content().size();
  for (const std::size_t room : {std::size_t{0}, std::size_t{1}, size / 3, size / 2, size - 1}) {
    CAPTURE(room);
    const scratch_folder folder;
    std::ofstream(folder / "trace.bin") << "old";
    faults full;
    full.room = room;
    {
      const with_faults here(full);
      CHECK(error_of(folder / "trace.bin", true) ==
            "cannot write '" + folder / "trace.bin" +
                "': No space left on device. Make room there, or choose a folder on another disk");
    }
    CHECK(content_of(folder / "trace.bin") == "old");
    CHECK(folder.entries() == 1);
  }
}

TEST_CASE("a failed wait, close or rename is told, and leaves nothing behind") {
  const auto check = [](faults wanted, bool is_synced, const std::string& expected) {
    const scratch_folder folder;
    std::ofstream(folder / "trace.bin") << "old";
    {
      const with_faults here(wanted);
      const std::string text = error_of(folder / "trace.bin", is_synced);
      CAPTURE(text, expected);
      CHECK(text.empty() == expected.empty());
      CHECK(text.find(expected) != std::string::npos);
    }
    CHECK(content_of(folder / "trace.bin") == (expected.empty() ? content() : "old"));
    CHECK(folder.entries() == 1);
  };
  const auto with = [](int faults::*call, int reason) {
    faults wanted;
    wanted.*call = reason;
    return wanted;
  };
  check(with(&faults::sync, EIO), true, "Input/output error. The disk or the network failed");
  check(with(&faults::sync, EDQUOT), true, "Disk quota exceeded. Make room there");
  check(with(&faults::close, ENOSPC), true, "No space left on device");
  check(with(&faults::close, EDQUOT), false, "Disk quota exceeded");
  check(with(&faults::rename, EACCES), true, "Permission denied. Choose a folder");
  check(with(&faults::rename, EISDIR), false, "Is a directory");
  check(with(&faults::open, EROFS), false, "Read-only file system. Choose a folder in which this user may write");
  faults too_large = with(&faults::write, EFBIG);
  too_large.room = 100000;
  check(too_large, false, "File too large. Raise the limit");
  faults takes_nothing = with(&faults::write, 0);
  takes_nothing.room = 100000;
  check(takes_nothing, false, "the system takes no more bytes");

  SECTION("but not every answer is a failure") {
    check(with(&faults::sync, EINVAL), true, "");  // some file systems cannot wait
    check(with(&faults::sync, ENOSYS), true, "");
    check(with(&faults::close, EINTR), true, "");  // the disk has it already
    check(with(&faults::close, EINTR), false, "Interrupted system call");
  }
}
