// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Several threads and one session. Built with a thread sanitizer as well.
#include <atomic>
#include <cstddef>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <iket/error.hpp>
#include <iket/launch.hpp>
#include <iket/session.hpp>

#include "catch.hpp"
#include "fake_cuda.hpp"
#include "read_back.hpp"
#include "scratch_folder.hpp"
#include "session_life.hpp"
#include "traced_kernel.hpp"

namespace {

iket::session_options small(bool measures) {
  iket::session_options options;
  options.memory_limit = std::size_t{4} << 20;
  options.records_per_warp = 16;
  options.calibrate = options.host_clock = measures;
  return options;
}

/// How many launches of each name the files have, all of them with their records.
std::map<std::string, int> launches_in(const scratch_folder& folder) {
  std::map<std::string, int> launches;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    const read_back file(content_of(entry.path().string()));
    CHECK(file.is_whole);
    for (const auto& [id, launch] : file.launches)
      launches[launch.name + (launch.records == 6 ? "" : " without its records")] += 1;
  }
  return launches;
}

}  // namespace

TEST_CASE("threads that launch while others drain and write: each launch is in one file, once and whole") {
  traced::define_site();
  define_marking_kernel();
  const scratch_folder folder;
  constexpr int launching = 3, each = 60;
  {
    iket::session session(small(true));
    std::atomic<int> running{launching};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < launching; ++thread)
      threads.emplace_back([&, thread] {
        cudaStream_t stream = nullptr;
        (void)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        for (int i = 0; i < each; ++i)
          iket::launch(session, "thread " + std::to_string(thread), config_in(stream, 2, 32), marking_kernel, 3u);
        (void)cudaStreamDestroy(stream);  // before all of it is drained
        --running;
      });
    threads.emplace_back([&] {
      while (running != 0) session.drain();
    });
    for (const char* const name : {"a", "b"})
      threads.emplace_back([&, name] {
        for (int i = 0; running != 0; ++i) session.write(folder / (name + std::to_string(i) + ".bin"));
      });
    for (std::thread& thread : threads) thread.join();
    session.write(folder / "last.bin");
  }
  const std::map<std::string, int> launches = launches_in(folder);
  CHECK(launches.size() == launching);
  for (const auto& [name, count] : launches) {
    CAPTURE(name);
    CHECK(count == each);
  }
  CHECK(fake_cuda::live_objects() == 0);
  CHECK(fake_cuda::violations().empty());
}

TEST_CASE("threads that take tracers of one session get memory of their own") {
  traced::define_site();
  define_marking_kernel();
  const scratch_folder folder;
  constexpr int count = 4, each = 50;
  {
    iket::session session(small(false));
    for (int round = 0; round < 3; ++round) {
      std::vector<std::thread> threads;
      for (int thread = 0; thread < count; ++thread)
        threads.emplace_back([&, thread] {
          iket::trace_options listed;
          if (thread % 2 == 0) listed.ctas = iket::ctas::list({0, 1});
          for (int i = 0; i < each; ++i) {
            const iket::tracer tracer = session.trace(std::to_string(thread), 2, 32, listed);
            fake_cuda::launch(nullptr, [tracer] { traced::run(tracer, 3); });
          }
        });
      for (std::thread& thread : threads) thread.join();
      session.write(folder / std::to_string(round));
    }
  }
  const std::map<std::string, int> launches = launches_in(folder);
  CHECK(launches.size() == count);
  for (const auto& [name, found] : launches) {
    CAPTURE(name);
    CHECK(found == 3 * each);
  }
}

TEST_CASE("sessions of several threads have nothing in common") {
  traced::define_site();
  define_marking_kernel();
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      const scratch_folder folder;
      for (int i = 0; i < 5; ++i) {
        iket::session session(small(true));
        const iket::tracer tracer = session.trace(std::to_string(thread), 2, 32);
        fake_cuda::launch(nullptr, [tracer] { traced::run(tracer, 3); });
        session.write(folder / "trace.bin");
        const read_back file(content_of(folder / "trace.bin"));
        right += file.is_whole && file.launches.size() == 1 && file.launches.begin()->second.records == 6 ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 20);
  CHECK(fake_cuda::live_objects() == 0);
  CHECK(fake_cuda::violations().empty());
}
