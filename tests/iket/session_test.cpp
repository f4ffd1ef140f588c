// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// What a session promises when files, kernels, streams and contexts fail or end early. tests/gpu/session_test.cu tries
// the rest of it on a GPU.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
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
#include "session_helpers.hpp"
#include "session_life.hpp"
#include "traced_kernel.hpp"

TEST_CASE("a life without failures: all is in the files, and nothing of CUDA is left") {
  const clean_device clean;
  const own_stream stream;
  session_life life;
  iket::session_options options = small();
  options.calibrate = options.host_clock = true;
  life.live(options, stream.stream);
  CHECK(life.errors.empty());
  const std::vector<read_back> files = life.files();
  REQUIRE(files.size() == 2);
  std::size_t launches = 0;
  for (const read_back& file : files) {
    CHECK(file.is_whole);
    CHECK(file.calibrations == 1);
    CHECK(file.host_clocks <= 1);  // none where other programs keep the fake kernel from answering in time
    REQUIRE_FALSE(file.sites.empty());
    for (const std::string& site : file.sites) CHECK(site == "mark");
    launches += file.launches.size();
  }
  CHECK(launches == life.launched);
}

TEST_CASE("what could not be written is kept, and is in the next file with all that came since") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  launch(session, "a");
  const std::string missing = error_of([&] { session.write(folder / "none/trace.bin"); });
  CHECK(missing == "iket: cannot write '" + folder / "none/trace.bin" +
                       "': No such file or directory. Make the folder first, or choose another one. Nothing is lost: "
                       "the next write() has it, there or elsewhere");
  launch(session, "b");
  if (std::filesystem::exists("/dev/full"))
    CHECK(has(error_of([&] { session.write("/dev/full"); }), "No space left on device. Make room there"));
  CHECK(has(error_of([&] { session.write(folder.path.string()); }), "it is a directory"));
  CHECK(folder.entries() == 0);
  session.write(folder / "trace.bin");
  CHECK(launches_in(folder / "trace.bin") == "a b ");
  session.write(folder / "nothing.bin");
  CHECK(launches_in(folder / "nothing.bin").empty());
}

namespace {

/// "drained" is drained, "lost" is not, and a kernel of the program has failed.
void fail_behind_a_drain(iket::session& session) {
  launch(session, "drained");
  session.drain();
  launch(session, "lost");
  fake_cuda::launch_failing(nullptr);
}

}  // namespace

TEST_CASE("a kernel of the program that fails is reported as the program's, and what was drained is written") {
  const clean_device clean;
  const scratch_folder folder;
  {
    iket::session session(small());
    fail_behind_a_drain(session);
    const std::string text = error_of([&] { session.write(folder / "trace.bin"); });
    CAPTURE(text);
    CHECK(has(text, "waiting for the traced launches: cudaDeviceSynchronize returned cudaErrorIllegalAddress"));
    CHECK(has(text, "A kernel of the program failed"));
    CHECK(has(text, ". What was drained is in '" + folder / "trace.bin" + "'"));
    CHECK(launches_in(folder / "trace.bin") == "drained ");
    // Nothing works any more, and every call says so.
    CHECK(has(error_of([&] { session.drain(); }), "A kernel of the program failed"));
    const std::string again = error_of([&] { session.write(folder / "again.bin"); });
    CHECK(has(again, "A kernel of the program failed"));
    CHECK_FALSE(has(again, "again.bin"));
    CHECK(folder.entries() == 1);
    CHECK(has(error_of([] { const iket::session other(small()); }), "A kernel of the program failed"));
  }
  CHECK(fake_cuda::live_objects() == 0);
  fake_cuda::reset_device();
}

TEST_CASE("where a kernel failed and the file cannot be written either, both are told and what was drained is kept") {
  const clean_device clean;
  const scratch_folder folder;
  {
    iket::session session(small());
    fail_behind_a_drain(session);
    const std::string text = error_of([&] { session.write(folder / "none/trace.bin"); });
    CAPTURE(text);
    CHECK(has(text, "A kernel of the program failed"));
    CHECK(has(text, ". And iket: cannot write '"));
    (void)error_of([&] { session.write(folder / "trace.bin"); });
    CHECK(launches_in(folder / "trace.bin") == "drained ");
  }
  fake_cuda::reset_device();
}

TEST_CASE("a kernel that fails while the session drains costs what was not copied yet") {
  const clean_device clean;
  // Which copies a drain of two launches makes: a head, the headers, the rings, for each.
  std::vector<std::size_t> copies;
  {
    iket::session session(small());
    for (const char* const name : {"a", "b"}) launch(session, name);
    fake_cuda::fail_no_call();
    session.drain();
    const std::vector<std::string> calls = fake_cuda::calls();
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (calls[i] == "cudaMemcpy2DAsync") copies.push_back(i);
  }
  REQUIRE(copies.size() == 6);
  for (std::size_t copy = 0; copy < copies.size(); ++copy) {
    CAPTURE(copy);
    const scratch_folder folder;
    iket::session session(small());
    for (const char* const name : {"a", "b"}) launch(session, name);
    fake_cuda::fail_call(copies[copy], cudaErrorIllegalAddress, true);
    CHECK(has(error_of([&] { session.write(folder / "trace.bin"); }), "A kernel of the program failed"));
    CHECK(launches_in(folder / "trace.bin") == (copy < 3 ? "not whole: " : "a "));
    fake_cuda::fail_no_call();
    // It was no failure for ever: the rest is there.
    session.write(folder / "rest.bin");
    CHECK(launches_in(folder / "rest.bin") == (copy < 3 ? "a b " : "b "));
  }
}

TEST_CASE("a drain waits for the streams that were named, and for no other work") {
  const clean_device clean;
  const scratch_folder folder;
  const own_stream named, other;
  bool is_other_done = false;
  iket::session session(small());
  fake_cuda::launch(other.stream, [&] { is_other_done = true; });
  launch(session, "named", named.stream);
  iket::launch(session, "timed", config_in(named.stream, 1, 32 * warps), marking_kernel, marks);
  fake_cuda::fail_no_call();
  session.write(folder / "trace.bin");
  CHECK(launches_in(folder / "trace.bin") == "named timed ");
  CHECK_FALSE(is_other_done);
  CHECK_FALSE(was_called("cudaDeviceSynchronize"));
}

TEST_CASE("streams may end before the session, with work in them") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  own_stream named;
  launch(session, "named", named.stream);
  named.destroy();
  session.write(folder / "named.bin");
  CHECK(launches_in(folder / "named.bin") == "named ");

  own_stream timed;
  iket::launch(session, "timed", config_in(timed.stream, 1, 32 * warps), marking_kernel, marks);
  timed.destroy();
  fake_cuda::fail_no_call();
  session.write(folder / "timed.bin");
  CHECK(launches_in(folder / "timed.bin") == "timed ");
  CHECK_FALSE(was_called("cudaDeviceSynchronize"));
}

TEST_CASE("a session may end before its kernels, which it waits for") {
  const clean_device clean;
  const own_stream stream;
  int runs = 0;
  {
    iket::session session(small());
    launch(session, "behind", stream.stream);
    fake_cuda::launch(stream.stream, [&] { ++runs; });
  }
  CHECK(runs == 1);
}

TEST_CASE("a session that outlives its context touches nothing of what came after it") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session_options options = small();
  options.calibrate = options.host_clock = true;
  std::optional<iket::session> used(std::in_place, options), unused(std::in_place, options);
  const own_stream stream;
  launch(*used, "drained");
  used->drain();
  launch(*used, "lost");
  iket::launch(*used, "lost too", config_in(stream.stream, 1, 32 * warps), marking_kernel, marks);
  launch(*unused, "lost");
  fake_cuda::reset_device();

  iket::session fresh(options);  // its memory may lie where that of the others was
  launch(fresh, "fresh");
  const std::size_t objects = fake_cuda::live_objects();
  const std::string text = error_of([&] { used->write(folder / "used.bin"); });
  CAPTURE(text);
  CHECK(has(text, "iket: the CUDA context in which the session was made has ended"));
  CHECK(has(text, "What was drained is in"));
  CHECK(launches_in(folder / "used.bin") == "drained ");
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { used->drain(); }, [&] { used->end_replays(); }, [&] { launch(*used, "more"); },
           [&] { iket::launch(*used, "more", config_in(nullptr, 1, 32 * warps), marking_kernel, marks); }})
    CHECK(has(error_of(call), "has ended"));
  used.reset();
  unused.reset();
  CHECK(fake_cuda::live_objects() == objects);
  fresh.write(folder / "fresh.bin");
  CHECK(launches_in(folder / "fresh.bin") == "fresh ");
  const_cast<own_stream&>(stream).stream = nullptr;  // went with its context
}

TEST_CASE("a list of CTAs is not copied into a context that is not the session's") {
  const clean_device clean;
  iket::session session(small());
  fake_cuda::reset_device();
  iket::trace_options listed;
  listed.ctas = iket::ctas::list({0, 2});
  CHECK(has(error_of([&] { (void)session.trace("listed", 4, 32, listed); }), "has ended"));
}

TEST_CASE("beside a capture in another thread a session works where streams are named, and else says what to do") {
  const clean_device clean;
  const scratch_folder folder;
  const own_stream captured, named;
  fake_cuda::set_captured(captured.stream, true);
  {
    iket::session session(small());
    launch(session, "named", named.stream);
    session.write(folder / "trace.bin");
    CHECK(launches_in(folder / "trace.bin") == "named ");
    launch(session, "somewhere");
    const std::string text = error_of([&] { session.write(folder / "none.bin"); });
    CHECK(has(text, "cudaDeviceSynchronize returned"));
    CHECK(has(text, "A stream is being captured, which forbids this call"));
    fake_cuda::set_captured(captured.stream, false);
    session.write(folder / "later.bin");
    CHECK(launches_in(folder / "later.bin") == "somewhere ");
    fake_cuda::set_captured(captured.stream, true);
  }
  fake_cuda::set_captured(captured.stream, false);
}

TEST_CASE("a launch that failed is in no trace, and its error is told") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  iket::launch(session, "before", config_in(nullptr, 1, 32 * warps), marking_kernel, marks);
  fake_cuda::define_kernel(reinterpret_cast<const void*>(&marking_kernel), [](void**) { return [] {}; });
  for (const char* const failing : {"cudaEventRecord", "cudaLaunchKernelExC"}) {
    fake_cuda::fail_no_call();
    iket::launch(session, "counted", config_in(nullptr, 1, 32 * warps), marking_kernel, marks);
    const std::vector<std::string> calls = fake_cuda::calls();
    const auto at = std::find(calls.begin(), calls.end(), failing) - calls.begin();
    fake_cuda::fail_call(static_cast<std::size_t>(at), cudaErrorMemoryAllocation);
    const std::string text =
        error_of([&] { iket::launch(session, "failed", config_in(nullptr, 1, 32 * warps), marking_kernel, marks); });
    CHECK(has(text, std::string(failing) + " returned cudaErrorMemoryAllocation"));
  }
  fake_cuda::fail_no_call();
  session.write(folder / "trace.bin");
  CHECK(launches_in(folder / "trace.bin") == "before counted? counted? ");
}

TEST_CASE("the memory of launches that failed is free again behind a drain, also where nothing else was launched") {
  const clean_device clean;
  iket::session session(small());
  iket::trace_options whole;
  whole.when_over_limit = iket::over_limit::fail;
  whole.records_per_warp = 32'768;  // half of all memory
  const auto launch_once = [&] {
    fake_cuda::define_kernel(reinterpret_cast<const void*>(&marking_kernel), [](void**) { return [] {}; });
    iket::launch(session, "k", config_in(nullptr, 1, 32 * warps), whole, marking_kernel, marks);
  };
  fake_cuda::fail_no_call();
  launch_once();
  const std::vector<std::string> calls = fake_cuda::calls();
  const auto at = std::find(calls.begin(), calls.end(), "cudaLaunchKernelExC") - calls.begin();
  session.drain();
  for (int i = 0; i < 4; ++i) {
    fake_cuda::fail_call(static_cast<std::size_t>(at), cudaErrorMemoryAllocation);
    CHECK(has(error_of(launch_once), "cudaLaunchKernelExC returned cudaErrorMemoryAllocation"));
    fake_cuda::fail_no_call();
    session.drain();
  }
  CHECK(error_of(launch_once).empty());
}

TEST_CASE("an error of the program stays for the program to read, whatever the session does") {
  const clean_device clean;
  const scratch_folder folder;
  REQUIRE(cudaSetDevice(99) != cudaSuccess);
  {
    iket::session session(small());
    launch(session, "a");
    (void)error_of([&] { session.write(folder / "none/trace.bin"); });
  }
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("without a device a session says what it needs") {
  const clean_device clean;
  fake_cuda::fail_no_call();
  { const iket::session session(small()); }
  const std::vector<std::string> calls = fake_cuda::calls();
  const auto at = std::find(calls.begin(), calls.end(), "cudaGetDevice") - calls.begin();
  fake_cuda::fail_call(static_cast<std::size_t>(at), cudaErrorInitializationError);
  CHECK(has(error_of([] { const iket::session session(small()); }), "CUDA does not work in a process that was forked"));
  fake_cuda::fail_call(static_cast<std::size_t>(at), cudaErrorUnknown);
  CHECK(has(error_of([] { const iket::session session(small()); }), "Tracing needs a CUDA device and its driver"));
  fake_cuda::fail_no_call();
}
