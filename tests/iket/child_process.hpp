// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A part of a test in a process of its own.
#pragma once

#include <functional>
#include <string>

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"

/// Whether a process may be made beside threads that run. Under the sanitizers it may not: a thread may hold the lock
/// of their allocator at that moment, which the child then waits for without end (seen with GCC 12's).
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FORKS_BESIDE_THREADS 0
#else
#define FORKS_BESIDE_THREADS 1
#endif

/// Runs `body` there. It must not use Catch.
inline pid_t in_child(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(300);  // a test that hangs fails
  try {
    body();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

inline int status_of(pid_t child) {
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

/// What `body` returns there.
inline std::string said_by_child(const std::function<std::string()>& body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = in_child([&] {
    const std::string text = body();
    (void)!write(ends[1], text.data(), text.size());
  });
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t size = 0; (size = read(ends[0], piece, sizeof(piece))) > 0;)
    text.append(piece, static_cast<std::size_t>(size));
  close(ends[0]);
  const int status = status_of(child);
  CAPTURE(text);
  CHECK(status == 0);
  return text;
}
