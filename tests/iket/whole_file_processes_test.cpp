// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Files written by processes that are killed, that lack rights, that write one path together, that signals interrupt.
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <iket/detail/whole_file.hpp>
#include <iket/error.hpp>

#include "catch.hpp"
#include "child_process.hpp"
#include "scratch_folder.hpp"

namespace fs = std::filesystem;
using iket::detail::whole_file;

namespace {

std::string error_of(const std::string& path, std::size_t size) {
  try {
    whole_file file(path);
    file.append(std::string(size, 'x').data(), size);
    file.commit();
  } catch (const iket::error& error) {
    return error.what();
  }
  return "";
}

constexpr const char* no_other_user = "cannot become another user";

/// Of user nobody, who may do less than root, in a folder that he may not find by its whole path.
std::string error_of_nobody(const scratch_folder& folder, const std::string& path) {
  return said_by_child([&] {
    constexpr uid_t nobody = 65534;
    fs::current_path(folder.path);
    if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) return std::string(no_other_user);
    return error_of(path, 1);
  });
}

/// 1.5 MB of one letter, in pieces.
void write_letters(const std::string& path, char letter) {
  whole_file file(path);
  const std::string piece(1500, letter);
  for (int i = 0; i < 1000; ++i) file.append(piece.data(), piece.size());
  file.commit();
}

/// Of a whole file, else '?'.
char letter_of(const std::string& path) {
  const std::string text = content_of(path);
  return text.size() == 1500000 && text.find_first_not_of(text[0]) == std::string::npos ? text[0] : '?';
}

}  // namespace

TEST_CASE("a process that is killed while it writes leaves the whole old file or the whole new one") {
  const scratch_folder folder;
  const std::string path = folder / "trace.bin";
  write_letters(path, 'a');
  std::string letters = "a";
  int killed = 0;
  for (useconds_t round = 0; round < 60; ++round) {
    const char next = static_cast<char>('a' + round % 26);
    const pid_t child = in_child([&] { write_letters(path, next); });
    usleep(round * 100);
    REQUIRE(kill(child, round % 2 == 0 ? SIGKILL : SIGHUP) == 0);
    killed += WIFSIGNALED(status_of(child)) ? 1 : 0;
    const char letter = letter_of(path);
    REQUIRE((letter == letters.back() || letter == next));
    letters += letter;
  }
  CHECK(killed > 0);
  // What is left of the others bears names of its own.
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path))
    CHECK((entry.path() == path || entry.path().extension() == ".tmp"));
}

TEST_CASE("of several processes that write one path each write is whole") {
  const scratch_folder folder;
  const std::string path = folder / "trace.bin";
  write_letters(path, 'a');
  std::vector<pid_t> children;
  for (const char letter : {'a', 'b', 'c', 'd'})
    children.push_back(in_child([&] {
      for (int i = 0; i < 40; ++i) write_letters(path, letter);
    }));
  std::string seen;
  for (int i = 0; i < 100; ++i) seen += letter_of(path);
  CHECK(seen.find('?') == std::string::npos);
  for (const pid_t child : children) CHECK(status_of(child) == 0);
  CHECK(letter_of(path) != '?');
  CHECK(folder.entries() == 1);
}

TEST_CASE("threads that write one path do not mix") {
  const scratch_folder folder;
  const std::string path = folder / "trace.bin";
  std::vector<std::thread> threads;
  for (const char letter : {'a', 'b', 'c'})
    threads.emplace_back([&path, letter] {
      for (int i = 0; i < 20; ++i) write_letters(path, letter);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(letter_of(path) != '?');
  CHECK(folder.entries() == 1);
}

TEST_CASE("a folder or a file in which the user may not write is told") {
  const scratch_folder folder;
  fs::permissions(folder.path, fs::perms(0755));
  fs::create_directory(folder / "closed");
  fs::create_directory(folder / "open");
  fs::permissions(folder / "closed", fs::perms(0555));
  fs::permissions(folder / "open", fs::perms(0777));
  std::ofstream(folder / "open/good.bin") << "old";
  fs::permissions(folder / "open/good.bin", fs::perms(0444));
  const std::string allowed = error_of_nobody(folder, "open/other.bin");
  if (allowed == no_other_user) return;  // in some containers
  CHECK(allowed.empty());
  CHECK(error_of_nobody(folder, "closed/trace.bin") ==
        "cannot write 'closed/trace.bin': Permission denied. Choose a folder in which this user may write");
  CHECK(error_of_nobody(folder, "open/good.bin") ==
        "cannot write 'open/good.bin': there is a write-protected file. Choose another name, or remove it");
  CHECK(content_of(folder / "open/good.bin") == "old");
  fs::permissions(folder / "closed", fs::perms(0755));
}

TEST_CASE("a file larger than the process may write is told, where the program is not ended by the signal") {
  const scratch_folder folder;
  const auto limit = [] {
    const rlimit bytes{1 << 20, 1 << 20};
    (void)setrlimit(RLIMIT_FSIZE, &bytes);
  };
  const std::string text = said_by_child([&] {
    limit();
    (void)std::signal(SIGXFSZ, SIG_IGN);
    return error_of(folder / "trace.bin", 3 << 20);
  });
  CHECK(text.find("File too large. Raise the limit") != std::string::npos);
  CHECK(folder.entries() == 0);
  const pid_t ended = in_child([&] {
    limit();
    (void)error_of(folder / "trace.bin", 3 << 20);
  });
  CHECK(WIFSIGNALED(status_of(ended)));
  CHECK_FALSE(fs::exists(folder / "trace.bin"));
}

TEST_CASE("signals that a program handles do not disturb the writing") {
  const scratch_folder folder;
  const std::string path = folder / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  static volatile std::sig_atomic_t signals = 0;
  struct sigaction handled {};
  struct sigaction before {};
  handled.sa_handler = [](int) { signals = signals + 1; };  // calls are not restarted
  REQUIRE(sigaction(SIGALRM, &handled, &before) == 0);
  std::size_t bytes = 0;
  std::thread reader([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    const int from = open(path.c_str(), O_RDONLY);
    char piece[8192];
    for (ssize_t size = 0; (size = read(from, piece, sizeof(piece))) > 0; usleep(100))
      bytes += static_cast<std::size_t>(size);
    close(from);
  });
  const itimerval often{{0, 500}, {0, 500}};
  const itimerval never{};
  setitimer(ITIMER_REAL, &often, nullptr);
  write_letters(path, 'a');
  setitimer(ITIMER_REAL, &never, nullptr);
  reader.join();
  sigaction(SIGALRM, &before, nullptr);
  CHECK(bytes == 1500000);
  CHECK(signals > 0);
}
