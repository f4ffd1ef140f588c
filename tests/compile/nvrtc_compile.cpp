// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Compiles a source file with the libnvrtc of any CUDA version, and no GPU: nvrtc_compile LIBNVRTC SOURCE [OPTION]...
// Prints the compiler's log to stderr. Succeeds if the source compiled without a warning.
#include <dlfcn.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// The functions of nvrtc.h, found at run time so that one program serves several versions of the library.
using program = void*;
using result = int;

template <typename function>
function* find(void* library, const char* name) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<function*>(symbol);
}

std::string read(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void require(result code, const char* what) {
  if (code != 0) throw std::runtime_error(std::string(what) + " failed with nvrtcResult " + std::to_string(code));
}

int compile(const char* library_path, const char* source_path, const std::vector<const char*>& options) {
  void* const library = dlopen(library_path, RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto create = find<result(program*, const char*, const char*, int, const char* const*, const char* const*)>(
      library, "nvrtcCreateProgram");
  const auto compile = find<result(program, int, const char* const*)>(library, "nvrtcCompileProgram");
  const auto log_size = find<result(program, std::size_t*)>(library, "nvrtcGetProgramLogSize");
  const auto get_log = find<result(program, char*)>(library, "nvrtcGetProgramLog");
  const auto binary_size = find<result(program, std::size_t*)>(library, "nvrtcGetCUBINSize");

  program unit = nullptr;
  require(create(&unit, read(source_path).c_str(), source_path, 0, nullptr, nullptr), "nvrtcCreateProgram");
  const result compiled = compile(unit, static_cast<int>(options.size()), options.data());

  std::size_t size = 0;
  require(log_size(unit, &size), "nvrtcGetProgramLogSize");
  std::string log(size, '\0');
  require(get_log(unit, log.data()), "nvrtcGetProgramLog");
  log.resize(log.find('\0'));
  std::fputs(log.c_str(), stderr);

  require(compiled, "nvrtcCompileProgram");
  require(binary_size(unit, &size), "nvrtcGetCUBINSize");
  std::printf("cubin of %zu bytes\n", size);
  return log.empty() && size > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::runtime_error("usage: nvrtc_compile LIBNVRTC SOURCE [OPTION]...");
  return compile(argv[1], argv[2], {argv + 3, argv + argc});
} catch (const std::exception& failure) {
  std::fprintf(stderr, "nvrtc_compile: %s\n", failure.what());
  return 2;
}
