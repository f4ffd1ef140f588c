// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <iket/detail/capture_run.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <iket/launch.hpp>
#include <iket/session.hpp>

#include "catch.hpp"
#include "child_process.hpp"
#include "session_helpers.hpp"

namespace {

/// The environment that iket-capture gives to a run; as before at the end.
class captured {
 public:
  explicit captured(const char* kind) {
    setenv("IKET_CAPTURE_RUN", kind, 1);
    setenv("IKET_CAPTURE_FOLDER", folder.path.c_str(), 1);
  }
  captured(const captured&) = delete;
  captured& operator=(const captured&) = delete;
  ~captured() {
    unsetenv("IKET_CAPTURE_RUN");
    unsetenv("IKET_CAPTURE_FOLDER");
  }

  scratch_folder folder;
};

/// The fake's calls of the profiler and of launches, in order: "<" begins, ">" ends, "L" launches, "E" is another
/// kernel.
std::string profiled_calls() {
  std::string text;
  for (const std::string& name : fake_cuda::calls()) {
    if (name == "cudaProfilerStart") text += '<';
    if (name == "cudaProfilerStop") text += '>';
    if (name == "cudaLaunchKernelExC") text += 'L';
  }
  return text;
}

iket::file::launch_info first_launch(const std::string& path) {
  return read_back(content_of(path)).launches.begin()->second.info;
}

void launch_failing(iket::session& session) {
  const iket::tracer tracer = session.trace("fails", 1, 32 * warps);
  fake_cuda::launch_failing(nullptr, [tracer] { traced::run(tracer, marks, traced::stand::open); });
}

void launch_timed(iket::session& session, const std::string& name) {
  iket::launch(session, name, config_in(nullptr, 1, 32 * warps), marking_kernel, marks);
}

}  // namespace

TEST_CASE("a plain run notes launches with their times, and traces none") {
  const clean_device clean;
  const captured by("plain");
  const scratch_folder elsewhere;
  {
    iket::session session(small());
    const iket::tracer tracer = session.trace("by hand", 2, 64);
    CHECK(tracer.first_ring == 0);
    launch_timed(session, "timed");
    session.write(elsewhere / "trace.bin");
  }
  CHECK(elsewhere.entries() == 0);
  const read_back file(content_of(by.folder / "plain.bin"));
  CHECK(file.is_whole);
  REQUIRE(file.launches.size() == 2);
  for (const auto& [id, launch] : file.launches) {
    CHECK(launch.info.flags == iket::file::launch_untraced);
    CHECK(launch.info.ctas_traced == 0);
    CHECK(launch.records == 0);
    CHECK(launch.info.event_time_ns == (launch.name == "timed" ? 125'000u : 0u));
  }
  CHECK(file.launches.begin()->second.info.grid[0] == 2);
  CHECK(profiled_calls().find_first_of("<>") == std::string::npos);
}

TEST_CASE("a traced run traces, into the folder") {
  const clean_device clean;
  const captured by("traced");
  const scratch_folder elsewhere;
  {
    iket::session session(small());
    launch(session, "one");
    session.write(elsewhere / "trace.bin");
    launch(session, "two");
    session.write(elsewhere / "trace.bin");
  }
  CHECK(elsewhere.entries() == 0);
  CHECK(launches_in(by.folder / "traced.bin") == "one ");
  CHECK(launches_in(by.folder / "traced.2.bin") == "two ");
  CHECK(first_launch(by.folder / "traced.bin").flags == 0);
  CHECK(by.folder.entries() == 2);
}

TEST_CASE("several sessions take a file each, and so does one that ends without writing") {
  const clean_device clean;
  const captured by("traced");
  {
    iket::session first(small()), second(small());
    launch(first, "one");
    launch(second, "two");
    second.write("ignored.bin");
  }
  CHECK(launches_in(by.folder / "traced.bin") == "two ");
  CHECK(launches_in(by.folder / "traced.2.bin") == "one ");
  { iket::session nothing(small()); }
  CHECK(by.folder.entries() == 2);
}

TEST_CASE("a process that was forked writes nothing at a session's end") {
  const clean_device clean;
  const captured by("traced");
  auto session = std::make_unique<iket::session>(small());
  launch(*session, "one");
  session->drain();
  CHECK(status_of(in_child([&] { session.reset(); })) == 0);
  CHECK(by.folder.entries() == 0);
  session.reset();
  CHECK(launches_in(by.folder / "traced.bin") == "one ");
}

TEST_CASE("behind a kernel that failed, what there is goes to the folder, which the error names") {
  const clean_device clean;
  const captured by("traced");
  {
    iket::session session(on_host());
    launch_failing(session);
    CHECK(has(error_of([&] { session.write("ignored.bin"); }), "is in '" + by.folder / "traced.bin" + "'"));
  }
  CHECK(by.folder.entries() == 1);
  fake_cuda::reset_device();
  {
    iket::session session(on_host());
    launch_failing(session);
  }
  CHECK(first_launch(by.folder / "traced.2.bin").flags == iket::file::launch_failed);
  fake_cuda::reset_device();
}

TEST_CASE("a profiled run lets the profiler see traced launches alone") {
  const clean_device clean;
  const captured by("profiled");
  fake_cuda::fail_no_call();
  {
    iket::session session(small());
    CHECK(profiled_calls().empty());  // not the session's own kernels
    launch_timed(session, "one");
    CHECK(profiled_calls() == "<L>");
    launch_timed(session, "two");
    CHECK(profiled_calls() == "<L><L>");
    (void)session.trace("by hand", 1, 64);
    (void)session.trace("by hand", 1, 64);
    CHECK(profiled_calls() == "<L><L><><");
    session.write("ignored.bin");
    CHECK(profiled_calls() == "<L><L><><>");
  }
  CHECK(profiled_calls() == "<L><L><><>");
  CHECK(first_launch(by.folder / "profiled.bin").flags == iket::file::launch_untraced);
}

TEST_CASE("a launch that fails ends the profiler's look") {
  const clean_device clean;
  const captured by("profiled");
  iket::session session(small());
  cudaLaunchConfig_t config = config_in(nullptr, 1, 32 * warps);
  launch_timed(session, "counted");
  const auto is_launch = [](const std::string& name) { return name == "cudaLaunchKernelExC"; };
  fake_cuda::fail_no_call();
  launch_timed(session, "counted");
  const std::vector<std::string> calls = fake_cuda::calls();
  const auto place = std::find_if(calls.begin(), calls.end(), is_launch) - calls.begin();
  fake_cuda::fail_call(static_cast<std::size_t>(place), cudaErrorInvalidValue);
  CHECK(!error_of([&] { iket::launch(session, "fails", config, marking_kernel, marks); }).empty());
  fake_cuda::fail_no_call();
  session.drain();
  CHECK(profiled_calls().empty());
}

TEST_CASE("without iket-capture nothing is different") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  launch(session, "one");
  session.write(folder / "trace.bin");
  CHECK(launches_in(folder / "trace.bin") == "one ");
}

TEST_CASE("an environment that is nonsense is told") {
  const clean_device clean;
  {
    const captured by("fast");
    CHECK(has(error_of([] { iket::session session(small()); }), "IKET_CAPTURE_RUN must be plain, traced or profiled"));
    setenv("IKET_CAPTURE_RUN", "plain", 1);
    unsetenv("IKET_CAPTURE_FOLDER");
    CHECK(has(error_of([] { iket::session session(small()); }), "IKET_CAPTURE_FOLDER a folder"));
  }
  const captured by("plain");
  setenv("IKET_CAPTURE_FOLDER", (by.folder / "gone").c_str(), 1);
  iket::session session(small());
  launch(session, "one");
  CHECK(has(error_of([&] { session.write("trace.bin"); }), "gone/plain.bin': No such file or directory"));
}
