// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iket/detail/whole_file.hpp>
#include <iket/error.hpp>
#include <iterator>
#include <string>

#include "catch.hpp"

namespace fs = std::filesystem;
using iket::detail::whole_file;

namespace {

/// A folder of its own, gone at the end.
struct scratch_folder {
  scratch_folder() : path(fs::temp_directory_path() / ("iket_whole_file_test." + std::to_string(getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() { fs::remove_all(path); }

  [[nodiscard]] std::string operator/(const std::string& name) const { return (path / name).string(); }
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(path), fs::directory_iterator());
  }

  fs::path path;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string error_of(const std::string& path) {
  try {
    whole_file file(path);
    file.append("x", 1);
    file.commit();
  } catch (const iket::error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a file appears with its commit, whole") {
  const scratch_folder folder;
  std::string expected;
  {
    whole_file file(folder / "trace.bin");
    for (int i = 0; i < 100000; ++i) {
      const std::string piece = std::to_string(i) + " ";
      file.append(piece.data(), piece.size());
      expected += piece;
    }
    const std::string large(1000000, 'x');
    file(large.data(), large.size());
    expected += large;
    file.append("end", 3);
    expected += "end";
    CHECK_FALSE(fs::exists(folder / "trace.bin"));
    file.commit();
    CHECK(content_of(folder / "trace.bin") == expected);
  }
  CHECK(content_of(folder / "trace.bin") == expected);
  CHECK(folder.entries() == 1);
}

TEST_CASE("without a commit nothing is left behind, and the old file stays") {
  const scratch_folder folder;
  std::ofstream(folder / "trace.bin") << "old";
  {
    whole_file file(folder / "trace.bin");
    file.append("new", 3);
  }
  CHECK(content_of(folder / "trace.bin") == "old");
  CHECK(folder.entries() == 1);
  {
    whole_file file(folder / "trace.bin");
    file.append("new", 3);
    file.commit();
  }
  CHECK(content_of(folder / "trace.bin") == "new");
  CHECK(folder.entries() == 1);
}

TEST_CASE("two writers of one path do not mix") {
  const scratch_folder folder;
  whole_file first(folder / "trace.bin");
  whole_file second(folder / "trace.bin");
  first.append("first", 5);
  second.append("second", 6);
  second.commit();
  CHECK(content_of(folder / "trace.bin") == "second");
  first.commit();
  CHECK(content_of(folder / "trace.bin") == "first");
}

TEST_CASE("a link stays a link and what it names is replaced") {
  const scratch_folder folder;
  fs::create_directory(folder / "real");
  std::ofstream(folder / "real/trace.bin") << "old";
  fs::create_symlink("real/trace.bin", folder / "link.bin");
  whole_file file(folder / "link.bin");
  file.append("new", 3);
  file.commit();
  CHECK(fs::is_symlink(folder / "link.bin"));
  CHECK(content_of(folder / "real/trace.bin") == "new");
}

TEST_CASE("a pipe is written as it is") {
  const scratch_folder folder;
  const std::string path = folder / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  {
    whole_file file(path);
    file.append("through", 7);
    file.commit();
  }
  char text[16] = {};
  CHECK(read(reader, text, sizeof(text)) == 7);
  CHECK(std::string(text) == "through");
  close(reader);
  CHECK(folder.entries() == 1);
}

TEST_CASE("errors name the path and the reason") {
  const scratch_folder folder;
  CHECK(error_of(folder.path.string()) == "cannot write '" + folder.path.string() + "': it is a directory");
  const std::string missing = folder / "missing/trace.bin";
  CHECK(error_of(missing) == "cannot write '" + missing + "': No such file or directory");
  // A device that is always full, where there is one.
  if (fs::exists("/dev/full")) CHECK(error_of("/dev/full") == "cannot write '/dev/full': No space left on device");
  CHECK(folder.entries() == 0);
}

TEST_CASE("a link to nothing is followed, and stays a link") {
  const scratch_folder folder;
  fs::create_directories(folder.path / "store");
  fs::create_symlink("store/trace.bin", folder / "link.bin");
  whole_file file(folder / "link.bin");
  file.append("x", 1);
  file.commit();
  CHECK(fs::is_symlink(folder / "link.bin"));
  CHECK(content_of(folder / "store/trace.bin") == "x");
}

TEST_CASE("a finished file has all but its name") {
  const scratch_folder folder;
  whole_file file(folder / "trace.bin");
  file.append("x", 1);
  file.finish();
  CHECK_FALSE(fs::exists(folder / "trace.bin"));
  file.commit();
  CHECK(content_of(folder / "trace.bin") == "x");
}
