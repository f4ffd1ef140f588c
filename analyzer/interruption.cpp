// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "interruption.hpp"

#include <csignal>

namespace iket::analysis {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

void note(int signal) { noted_signal = signal; }

constexpr int handled_signals[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

interruptible::interruptible() {
  // A signal that the parent had ignored (nohup) stays ignored.
  for (const int signal : handled_signals)
    if (std::signal(signal, note) == SIG_IGN) std::signal(signal, SIG_IGN);
}

interruptible::~interruptible() {
  for (const int signal : handled_signals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

void interruptible::check() {
  if (noted_signal != 0) throw interrupted{static_cast<int>(noted_signal)};
}

}  // namespace iket::analysis
