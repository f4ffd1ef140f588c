// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Kernels of modules that are compiled at run time (NVRTC), loaded with the driver's API, several at once, and unloaded
// again. Needs libnvrtc when it runs, and tests nothing without.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda.h>
#include <dlfcn.h>
#include <cstdlib>

#include "support.hpp"

using namespace iket::analysis;

namespace {

constexpr const char* source = R"(#include <iket/iket.cuh>

extern "C" __global__ void module_kernel(int count, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, OWN_NAME " role");
  for (int i = 0; i < count; ++i) {
    IKET_RANGE(rec, "of every module", i);
  }
  IKET_MARK(rec, OWN_NAME " mark", 2.5);
}
)";
constexpr unsigned range_line = 7;
constexpr unsigned mark_line = 9;
constexpr const char* source_name = "folder/module_kernel.cu";

/// Where the library's headers are; a program that was built elsewhere is told.
std::string include_folder() {
  const char* const told = std::getenv("IKET_INCLUDE_FOLDER");
  return told != nullptr ? told : IKET_INCLUDE_FOLDER;
}

/// The functions of nvrtc.h, found at run time, so that the tests can be built and run without the library.
class runtime_compiler {
 public:
  runtime_compiler() {
    for (const char* const name : {IKET_NVRTC_LIBRARY, "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
      if (*name != '\0' && library_ == nullptr) library_ = dlopen(name, RTLD_NOW);
  }

  [[nodiscard]] bool is_there() const { return library_ != nullptr; }

  /// A cubin for the GPU at hand, in which OWN_NAME is `own_name`.
  [[nodiscard]] std::string compile(const std::string& own_name) const {
    using program = void*;
    const auto create =
        find<int(program*, const char*, const char*, int, const char**, const char**)>("nvrtcCreateProgram");
    const auto compile = find<int(program, int, const char* const*)>("nvrtcCompileProgram");
    const auto log_size = find<int(program, std::size_t*)>("nvrtcGetProgramLogSize");
    const auto get_log = find<int(program, char*)>("nvrtcGetProgramLog");
    const auto cubin_size = find<int(program, std::size_t*)>("nvrtcGetCUBINSize");
    const auto get_cubin = find<int(program, char*)>("nvrtcGetCUBIN");
    const auto destroy = find<int(program*)>("nvrtcDestroyProgram");

    cudaDeviceProp properties{};
    REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    const std::string options[] = {"-arch=sm_" + std::to_string(properties.major) + std::to_string(properties.minor),
                                   "-std=c++17", "-I" + include_folder(), "-DOWN_NAME=\"" + own_name + "\""};
    std::vector<const char*> arguments;
    for (const std::string& option : options) arguments.push_back(option.c_str());

    program unit = nullptr;
    REQUIRE(create(&unit, source, source_name, 0, nullptr, nullptr) == 0);
    const int compiled = compile(unit, static_cast<int>(arguments.size()), arguments.data());
    std::size_t size = 0;
    REQUIRE(log_size(unit, &size) == 0);
    std::string log(size, '\0');
    REQUIRE(get_log(unit, log.data()) == 0);
    INFO(log.c_str());
    REQUIRE(compiled == 0);
    REQUIRE(cubin_size(unit, &size) == 0);
    std::string cubin(size, '\0');
    REQUIRE(get_cubin(unit, cubin.data()) == 0);
    CHECK(destroy(&unit) == 0);
    return cubin;
  }

 private:
  template <class Function>
  [[nodiscard]] Function* find(const char* name) const {
    void* const symbol = dlsym(library_, name);
    REQUIRE(symbol != nullptr);
    return reinterpret_cast<Function*>(symbol);
  }

  void* library_ = nullptr;
};

/// The driver's functions, looked up through the runtime, so that no test has to link with libcuda.
struct driver {
  CUresult (*load)(CUmodule*, const void*) = find<decltype(load)>("cuModuleLoadData");
  CUresult (*unload)(CUmodule) = find<decltype(unload)>("cuModuleUnload");
  CUresult (*function)(CUfunction*, CUmodule, const char*) = find<decltype(function)>("cuModuleGetFunction");
  CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**,
                     void**) = find<decltype(launch)>("cuLaunchKernel");

  template <class Function>
  static Function find(const char* name) {
    const auto found = iket::detail::driver_function<Function>(name);
    REQUIRE(found != nullptr);
    return found;
  }
};

/// A module while it is loaded. The runtime's context is current.
class loaded_module {
 public:
  explicit loaded_module(const std::string& cubin) {
    REQUIRE(driver_.load(&module_, cubin.data()) == CUDA_SUCCESS);
    REQUIRE(driver_.function(&kernel_, module_, "module_kernel") == CUDA_SUCCESS);
  }
  loaded_module(const loaded_module&) = delete;
  loaded_module& operator=(const loaded_module&) = delete;
  ~loaded_module() { CHECK(driver_.unload(module_) == CUDA_SUCCESS); }

  void launch(unsigned grid, unsigned block, int count, iket::tracer tracer) const {
    void* arguments[] = {&count, &tracer};
    REQUIRE(driver_.launch(kernel_, grid, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  }

 private:
  driver driver_;
  CUmodule module_ = nullptr;
  CUfunction kernel_ = nullptr;
};

// Two CTAs of two warps did `count` turns in a module with this name.
void check_launch(const timeline& trace, const launch& launch, const std::string& own_name, std::size_t count) {
  CHECK(gpu_test::ranges_of(trace, launch, "of every module").size() == 4 * count);
  REQUIRE(launch.warps.size() == 4);
  for (const warp_timeline& warp : launch.warps) {
    CHECK(warp.written == 3 * count + 3);
    CHECK(trace.roles.at(warp.role) == own_name + " role");
    REQUIRE(warp.points.size() == 1);
    const point_name& mark = trace.points.at(warp.points[0].name);
    CHECK(mark.name == own_name + " mark");
    CHECK((mark.sources == std::vector<source_location>{{source_name, mark_line}}));
  }
}

void check_stage(const timeline& trace) {
  REQUIRE(trace.stages.size() == 1);
  CHECK(trace.stages[0].name == "of every module");
  CHECK((trace.stages[0].sources == std::vector<source_location>{{source_name, range_line}}));
}

}  // namespace

TEST_CASE("modules that were compiled at run time keep their names, several at once") {
  const runtime_compiler compiler;
  if (!compiler.is_there()) {
    WARN("not tested: no libnvrtc");
    return;
  }
  iket::session session(gpu_test::small_session());
  const std::string one = compiler.compile("one"), two = compiler.compile("two");
  // Sites of the two lie at the same places of two constant banks; the third is the first once more.
  const loaded_module first(one), second(two), third(one);
  first.launch(2, 64, 3, session.trace("first", 2, 64));
  second.launch(2, 64, 5, session.trace("second", 2, 64));
  third.launch(2, 64, 7, session.trace("third", 2, 64));
  first.launch(2, 64, 0, session.trace("first again", 2, 64));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 4);
  check_launch(trace, trace.launches[0], "one", 3);
  check_launch(trace, trace.launches[1], "two", 5);
  check_launch(trace, trace.launches[2], "one", 7);
  check_launch(trace, trace.launches[3], "one", 0);
  check_stage(trace);
}

TEST_CASE("names stay when their module is unloaded behind the drain") {
  const runtime_compiler compiler;
  if (!compiler.is_there()) {
    WARN("not tested: no libnvrtc");
    return;
  }
  iket::session session(gpu_test::small_session());
  for (const char* const name : {"early", "late", "early"}) {
    const loaded_module loaded(compiler.compile(name));
    loaded.launch(2, 64, 4, session.trace(name, 2, 64));
    session.drain();
  }
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 3);
  // Each module may have been loaded to where the one before it was.
  check_launch(trace, trace.launches[0], "early", 4);
  check_launch(trace, trace.launches[1], "late", 4);
  check_launch(trace, trace.launches[2], "early", 4);
  check_stage(trace);
  CHECK(gpu_test::finish() == cudaSuccess);
}
