// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "mapped_file.hpp"

#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace iket::analysis {
namespace {

struct file_descriptor {
  explicit file_descriptor(int number) : value(number) {}
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor() {
    if (value >= 0) close(value);
  }
  int value;
};

read_error unreadable(std::string reason) { return {read_error_kind::unreadable, 0, std::move(reason)}; }

read_error system_reason() { return unreadable(std::generic_category().message(errno)); }

volatile std::sig_atomic_t code_of_loss = 0;

void exit_for_loss(int) {
  constexpr std::string_view text = "iket-analyze: a file became shorter, or unreadable, while it was read\n";
  (void)!write(STDERR_FILENO, text.data(), text.size());
  _exit(code_of_loss);
}

}  // namespace

void exit_if_file_shrinks(int exit_code) {
  code_of_loss = exit_code;
  std::signal(SIGBUS, exit_for_loss);
}

std::variant<mapped_file, read_error> mapped_file::open(const std::string& path) {
  // Without O_NONBLOCK opening a pipe would wait for its writer.
  const file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.value < 0) return system_reason();
  struct stat status {};
  if (fstat(file.value, &status) != 0) return system_reason();
  if (S_ISDIR(status.st_mode)) return unreadable("it is a directory, without the traced.bin of a capture");
  if (!S_ISREG(status.st_mode)) return unreadable("it is no regular file");
  if (status.st_size == 0) return unreadable("it is empty");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value, 0);
  if (start == MAP_FAILED) return system_reason();
  return mapped_file({static_cast<const std::byte*>(start), size});
}

mapped_file::mapped_file(mapped_file&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

mapped_file::~mapped_file() {
  if (bytes_.data() != nullptr) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace iket::analysis
