// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The watchdog beside kernels that do not end by themselves. All threads' findings are checked by the one that runs the
// test.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include "hang_flags.hpp"
#include "hang_kernel.cuh"
#include "iket/captured_stderr.hpp"
#include "iket/read_back.hpp"
#include "iket/scratch_folder.hpp"
#include "support.hpp"

using namespace gpu_test;
using namespace std::chrono_literals;

namespace {

/// Waits until there is a whole file.
bool appears(const std::string& path) {
  for (int i = 0; i < 1000 && !std::filesystem::exists(path); ++i) std::this_thread::sleep_for(10ms);
  return std::filesystem::exists(path);
}

}  // namespace

TEST_CASE("the watchdog tells of a launch that hangs, and not of one that ends") {
  const bool timed = GENERATE(true, false);
  CAPTURE(timed);
  const scratch_folder folder;
  iket::session session(options_of(iket::storage::device));
  const int ctas = ctas_that_fill_the_gpu();
  const auto launch = [&](const gpu_test::hang_flags& flags) {
    if (timed)
      launch_timed(session, flags, ctas);
    else
      hang<<<ctas, threads>>>(flags.on_device(), session.trace("hang", ctas, threads));
  };
  {
    const iket::watchdog watchdog(session, 400ms, folder / "none.bin");
    gpu_test::hang_flags flags;
    launch(flags);
    std::this_thread::sleep_for(100ms);
    flags.end();
    std::this_thread::sleep_for(800ms);
    CHECK(folder.entries() == 0);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  }
  session.drain();
  {
    const iket::watchdog watchdog(session, 400ms, folder / "hang.bin");
    gpu_test::hang_flags flags;
    const auto begin = std::chrono::steady_clock::now();
    launch(flags);
    bool has_appeared = false;
    std::thread ending([&] {
      has_appeared = appears(folder / "hang.bin");
      flags.end();
    });
    session.drain();
    const auto took = std::chrono::steady_clock::now() - begin;
    ending.join();
    CHECK(has_appeared);
    CHECK(took >= 400ms);
    CHECK(took < 3s);
    const read_back file(content_of(folder / "hang.bin"));
    CHECK(file.is_whole);
    REQUIRE(file.launches.size() == 1);
    CHECK(file.launches.begin()->second.records == static_cast<std::uint64_t>(ctas) * warps_per_cta * records_at_first);
  }
}

TEST_CASE("the watchdog says what is in its way where the program copies behind a kernel that hangs") {
  const scratch_folder folder;
  const device_word word;
  iket::session session(options_of(iket::storage::device));
  read_sites(session);
  const captured_stderr captured(folder);
  const iket::watchdog watchdog(session, 400ms, folder / "hang.bin");
  gpu_test::hang_flags flags;
  launch_timed(session, flags, 1);
  bool is_told = false;
  std::thread ending([&] {
    is_told = captured.waits_for("iket: no snapshot could be taken: nothing was copied for 2.0 s");
    flags.end();
  });
  const cudaError_t copied = word.copy();
  ending.join();
  CHECK(copied == cudaSuccess);
  CHECK_FALSE(flags.is_impatient());
  CHECK(is_told);
  CHECK(captured.text().rfind("iket: 'hang' has not ended 0.", 0) == 0);
  CHECK(captured.waits_for("iket: where its warps stand is in '"));
}
