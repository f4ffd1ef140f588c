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

/// Collects bytes under a temporary name beside `path` (`path`.<process>.<count>.tmp); `commit` gives it its name.
/// Without a commit the destructor removes it, so that nothing half-written stays behind. A link is followed.
///
/// Something at `path` that is no regular file (a pipe, /dev/stdout) has no place to rename to: it is written as is.
/// Every member but the destructor throws `iket::error` with the path and the system's reason.
class whole_file {
 public:
  explicit whole_file(const std::string& path) : path_(path), target_(followed(path)) {
    struct stat status {};
    const bool exists = stat(path_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) fail("it is a directory");
    direct_ = exists && !S_ISREG(status.st_mode);
    if (direct_) {
      descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
      static std::atomic<unsigned> count{0};
      do {
        temporary_ = target_ + "." + std::to_string(getpid()) + "." + std::to_string(count++) + ".tmp";
        descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      } while (descriptor_ < 0 && errno == EEXIST);
    }
    if (descriptor_ < 0) fail(std::strerror(errno));
    buffer_.reserve(buffer_bytes);
  }
  whole_file(const whole_file&) = delete;
  whole_file& operator=(const whole_file&) = delete;
  ~whole_file() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!direct_ && !committed_) unlink(temporary_.c_str());
  }

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

  /// Writes out and closes the file, still under its temporary name: what is left to fail then is giving the name.
  void finish() {
    flush();
    // Some file systems report a full disk only here.
    const int closed = close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(std::strerror(errno));
  }

  /// Finishes the file if nobody did, and gives it its name, replacing what had it before.
  void commit() {
    if (descriptor_ >= 0) finish();
    if (!direct_ && std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
    committed_ = true;
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

  [[noreturn]] void fail(const std::string& reason) const { throw error("cannot write '" + path_ + "': " + reason); }

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

  void flush() {
    write_out(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

  void write_out(const char* data, std::size_t size) {
    while (size != 0) {
      const ssize_t written = ::write(descriptor_, data, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(std::strerror(errno));
      data += written;
      size -= static_cast<std::size_t>(written);
    }
  }

  std::string path_;    // as the caller named it
  std::string target_;  // with links followed
  std::string temporary_;
  std::string buffer_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
  bool direct_ = false;
  bool committed_ = false;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
