// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// A session with tracing compiled out.
#define IKET_DISABLE

#include <iket/session.hpp>

#include "catch.hpp"
#include "fake_cuda.hpp"
#include "read_back.hpp"
#include "scratch_folder.hpp"

TEST_CASE("compiled out, a session makes no CUDA call, and its file says so") {
  const scratch_folder folder;
  fake_cuda::fail_call(0, cudaErrorUnknown, true);
  {
    iket::session session;
    CHECK(session.trace("a", 3, 64).first_ring == 0);
    session.drain();
    (void)session.trace("b", 3, 64);
    session.snapshot(folder / "snapshot.bin");
    session.write(folder / "trace.bin");
    session.end_replays();
  }
  CHECK(fake_cuda::calls().empty());
  const read_back snapshot(content_of(folder / "snapshot.bin"));
  CHECK(snapshot.is_whole);
  REQUIRE(snapshot.launches.size() == 1);
  CHECK(snapshot.launches.at(1).info.flags == iket::file::launch_compiled_out);
  const read_back file(content_of(folder / "trace.bin"));
  CHECK(file.is_whole);
  REQUIRE(file.launches.size() == 2);
  for (const auto& [id, launch] : file.launches) CHECK(launch.info.flags == iket::file::launch_compiled_out);
}
