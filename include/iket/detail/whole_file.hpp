// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A file that appears under its name whole or not at all.
#pragma once

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iket/error.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// What a program's user can do about a file that the system refused, as sentences behind the reason; often nothing
/// is known. `reason` is an errno.
[[nodiscard]] inline const char* file_advice(int reason) {
  switch (reason) {
    case ENOENT:
    case ENOTDIR:
      return ". Make the folder first, or choose another one";
    case EACCES:
    case EPERM:
    case EROFS:
      return ". Choose a folder in which this user may write";
    case ENOSPC:
    case EDQUOT:
      return ". Make room there, or choose a folder on another disk";
    case EFBIG:
      return ". Raise the limit (ulimit -f), or choose a folder on a file system that takes larger files";
    case EIO:
      return ". The disk or the network failed: choose a folder on another one";
    case ELOOP:
      return ". Its links lead in a circle: choose another path";
    case ENAMETOOLONG:
      return ". Choose a shorter path";
    default:
      return "";
  }
}

/// Collects bytes under a temporary name beside `path` (`path`.<process>.<count>.tmp, a long name cut); `commit` gives
/// it its name. Without a commit the destructor removes it, so that nothing half-written stays behind. Of a process
/// that is killed it stays, with what was written until then; nobody takes it for the file, and it is in nobody's way.
///
/// Of several writers of one path, in threads or processes, each has a temporary file of its own, and the last commit
/// counts. A link is followed. A file that is replaced leaves its permissions (and, where that is allowed, its owner)
/// to the new one; one that may not be written is not replaced.
///
/// Something at `path` that is no regular file (a pipe, /dev/stdout) has no place to rename to: it is written as is.
/// Every member but the destructor throws `iket::error` with the path, the system's reason and, where something can be
/// done, what. What was appended is gone then: the caller has it still.
class whole_file {
 public:
  explicit whole_file(const std::string& path) : path_(path), target_(followed(path)) {
    // The system would take it for a shorter one, or, for want of a name, find out at the end.
    if (path_.empty()) fail("the path is empty");
    if (path_.find('\0') != std::string::npos) fail("the path has a zero byte");
    struct stat status {};
    const bool exists = stat(path_.c_str(), &status) == 0;
    if (!exists && errno != ENOENT) fail(errno);
    if (exists && S_ISDIR(status.st_mode)) fail("it is a directory. Name a file in it");
    direct_ = exists && !S_ISREG(status.st_mode);
    buffer_.reserve(buffer_bytes);  // nothing allocates behind the opening: who would close the file?
    if (direct_) {
      descriptor_ = opened(path_.c_str(), O_WRONLY | O_CLOEXEC, 0);
      if (descriptor_ < 0) fail(errno);
      return;
    }
    if (exists && faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0) {
      if (errno == EACCES) fail("there is a write-protected file. Choose another name, or remove it");
      fail(errno);
    }
    open_temporary(exists ? status.st_mode & 0777 : 0666);
    if (exists) inherit(status);
  }
  whole_file(const whole_file&) = delete;
  whole_file& operator=(const whole_file&) = delete;
  ~whole_file() { drop(); }

  /// Appends `size` bytes. Small pieces are gathered, so that a call per number is cheap.
  void append(const void* data, std::size_t size) {
    size_ += size;
    if (buffer_.size() + size > buffer_bytes) flush();
    if (size >= buffer_bytes)
      write_out(static_cast<const char*>(data), size);
    else
      buffer_.append(static_cast<const char*>(data), size);
  }
  /// Bytes appended so far.
  std::uint64_t size() const noexcept { return size_; }
  void operator()(const void* data, std::size_t size) { append(data, size); }

  /// Writes out what was gathered, and waits until the disk has it all: for data that is nowhere else afterwards. Takes
  /// as long as the disk needs. `commit` then waits for the name, too.
  void sync() {
    flush();
    synced_ = waited(descriptor_);
    // A pipe and some file systems have nothing to wait for.
    if (!synced_ && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS) fail(errno);
  }

  /// Writes out and closes the file, still under its temporary name: what is left to fail then is giving the name.
  void finish() {
    flush();
    // Some file systems report a full disk only here. The descriptor is gone in any case; EINTR says that the system
    // did not wait for the disk, which `sync` has done.
    const int closed = close(descriptor_);
    descriptor_ = -1;
    if (closed != 0 && !(errno == EINTR && synced_)) fail(errno);
  }

  /// Finishes the file if nobody did, and gives it its name, replacing what had it before.
  void commit() {
    if (descriptor_ >= 0) finish();
    if (!direct_ && std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    committed_ = true;
    if (synced_ && !direct_) sync_folder();
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

  [[noreturn]] void fail(const std::string& reason) const {
    throw error(std::string("cannot write '") + path_.c_str() + "': " + reason);
  }
  [[noreturn]] void fail(int reason) const { fail(std::string(std::strerror(reason)) + file_advice(reason)); }

  // Renaming onto a link would replace the link itself. Also where the link leads to nothing yet, which realpath
  // refuses.
  static std::string followed(std::string path) {
    for (int links = 0; links < 40; ++links) {
      std::string target(PATH_MAX, '\0');
      const ssize_t length = readlink(path.c_str(), target.data(), target.size());
      if (length < 0) break;
      target.resize(static_cast<std::size_t>(length));
      const std::size_t folder = path.rfind('/');
      path = target[0] == '/' || folder == std::string::npos ? target : path.substr(0, folder + 1) + target;
    }
    return path;
  }

  // A signal's handler may interrupt both where the file system is slow.
  static int opened(const char* path, int flags, mode_t mode) noexcept {
    int descriptor = open(path, flags, mode);
    while (descriptor < 0 && errno == EINTR) descriptor = open(path, flags, mode);
    return descriptor;
  }

  static bool waited(int descriptor) noexcept {
    int failed = fsync(descriptor);
    while (failed != 0 && errno == EINTR) failed = fsync(descriptor);
    return failed == 0;
  }

  // Whether a character of UTF-8 began before.
  static bool is_inside(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

  // Of the target, with the slash; 0 where it names none.
  [[nodiscard]] std::size_t folder_bytes() const noexcept { return target_.rfind('/') + 1; }  // npos + 1 is 0

  void open_temporary(mode_t mode) {
    static std::atomic<unsigned> count{0};
    // A name may have 255 bytes, and this one gets up to 23 more. A character of UTF-8 stays whole.
    std::string stem = target_;
    const auto is_too_long = [&] { return stem.size() - folder_bytes() > 200; };
    const auto ends_inside = [&] { return stem.size() < target_.size() && is_inside(target_[stem.size()]); };
    while (stem.size() > folder_bytes() && (is_too_long() || ends_inside())) stem.pop_back();
    do {
      temporary_ = stem + "." + std::to_string(getpid()) + "." + std::to_string(count++) + ".tmp";
      descriptor_ = opened(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    } while (descriptor_ < 0 && errno == EEXIST);  // left by a process that was killed and had the same number
    if (descriptor_ >= 0) return;
    const int reason = errno;
    temporary_.clear();
    fail(reason);
  }

  // Nobody may do more with the new file than with the old one. Some file systems know no owners.
  void inherit(const struct stat& old) const {
    const bool has_group = fchown(descriptor_, old.st_uid, old.st_gid) == 0 ||
                           fchown(descriptor_, static_cast<uid_t>(-1), old.st_gid) == 0;
    (void)fchmod(descriptor_, old.st_mode & (has_group ? 0777u : 0707u));
  }

  // So that the name outlives a crash of the machine. The file is there: if this fails, there is nothing to tell.
  void sync_folder() noexcept {
    target_.resize(folder_bytes());
    const int folder = opened(target_.empty() ? "." : target_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (folder < 0) return;
    (void)waited(folder);
    (void)close(folder);
  }

  void drop() noexcept {
    if (descriptor_ >= 0) (void)close(descriptor_);
    if (!temporary_.empty() && !committed_) (void)unlink(temporary_.c_str());
  }

  void flush() {
    write_out(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

  void write_out(const char* data, std::size_t size) {
    while (size != 0) {
      const ssize_t written = ::write(descriptor_, data, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(errno);
      if (written == 0) fail("the system takes no more bytes");
      data += written;
      size -= static_cast<std::size_t>(written);
    }
  }

  std::string path_;       // as the caller named it
  std::string target_;     // with links followed
  std::string temporary_;  // none where it is written as is
  std::string buffer_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
  bool direct_ = false;
  bool committed_ = false;
  bool synced_ = false;  // `sync` was called
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
