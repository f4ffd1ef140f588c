// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "progress.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

namespace iket::analysis {

using namespace std::chrono_literals;

progress::progress(std::string label, std::uint64_t total, bool visible)
    : label_(std::move(label)), total_(total), visible_(visible), next_(clock::now() + 1s) {}

progress::~progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void progress::update(std::uint64_t done) {
  if (!visible_ || total_ == 0) return;
  const clock::time_point now = clock::now();
  if (now < next_) return;
  next_ = now + 100ms;
  drawn_ = true;
  constexpr std::size_t width = 40;
  const double fraction = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const auto filled = static_cast<std::size_t>(fraction * width);
  std::string bar;
  for (std::size_t i = 0; i < width; ++i) bar += i < filled ? "█" : "·";
  std::fprintf(stderr, "\r%s %s %3d %%", label_.c_str(), bar.c_str(), static_cast<int>(100.0 * fraction));
}

}  // namespace iket::analysis
