// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A traced program over the fake CUDA runtime, for iket-capture to run:
///
///     captured_program [fails|none|differs|hangs|waits]
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <iket/launch.hpp>
#include <iket/session.hpp>

#include "session_life.hpp"
#include "traced_kernel.hpp"

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const char* const run = std::getenv("IKET_CAPTURE_RUN");
  if (how == "none") return 0;
  if (how == "fails") return std::fprintf(stderr, "no such file: weights.bin\n"), 5;
  if (how == "hangs" && run != nullptr && std::string(run) == "profiled") pause();
  if (how == "waits") pause();
  traced::define_site();
  define_marking_kernel();
  iket::session_options options;
  options.memory_limit = std::size_t{1} << 20;
  options.records_per_warp = 16;
  options.calibrate = options.host_clock = false;
  iket::session session(options);
  const int launches = how == "differs" && run != nullptr && std::string(run) == "plain" ? 2 : 3;
  for (int i = 0; i < launches; ++i)
    iket::launch(session, "marks", config_in(nullptr, 1, 64), marking_kernel, iket::detail::u32{3});
  session.write("trace.bin");
  return 0;
}
