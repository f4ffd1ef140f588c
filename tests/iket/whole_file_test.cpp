// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <iket/detail/whole_file.hpp>
#include <iket/error.hpp>

#include "catch.hpp"
#include "scratch_folder.hpp"

namespace fs = std::filesystem;
using iket::detail::whole_file;

namespace {

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

TEST_CASE("errors name the path, the reason and what to do") {
  const scratch_folder folder;
  const auto text = [](const std::string& path, const std::string& reason) {
    return "cannot write '" + path + "': " + reason;
  };
  CHECK(error_of(folder.path.string()) == text(folder.path.string(), "it is a directory. Name a file in it"));
  const std::string missing = folder / "missing/trace.bin";
  CHECK(error_of(missing) == text(missing, "No such file or directory. Make the folder first, or choose another one"));
  CHECK(error_of("") == text("", "the path is empty"));
  const std::string split = folder / std::string("a\0b", 3);
  CHECK(error_of(split) == text(folder / "a", "the path has a zero byte"));
  std::ofstream(folder / "file") << "x";
  CHECK(error_of(folder / "file/trace.bin").find("Not a directory. Make the folder first") != std::string::npos);
  fs::create_symlink("circle", folder / "circle");
  CHECK(error_of(folder / "circle").find("Its links lead in a circle") != std::string::npos);
  CHECK(error_of(folder / std::string(256, 'n')).find("Choose a shorter path") != std::string::npos);
  // A device that is always full, where there is one.
  if (fs::exists("/dev/full"))
    CHECK(error_of("/dev/full") == text("/dev/full",
                                        "No space left on device. Make room there, or choose a folder on another "
                                        "disk"));
  CHECK(folder.entries() == 2);
}

TEST_CASE("a name may have blanks, any letters, and all the bytes that the file system allows") {
  const scratch_folder folder;
  std::string umlauts;
  for (int i = 0; i < 125; ++i) umlauts += "\u00fc";  // cut for the temporary name, between two of them
  for (const std::string& name :
       {std::string("a trace of mine.bin"), std::string("\u30c8\u30ec\u30fc\u30b9.bin"), std::string("line\nbreak"),
        std::string(255, 'n'), umlauts + ".bin", "x" + umlauts, std::string(230, '\x80')}) {
    CAPTURE(name);
    CHECK(error_of(folder / name).empty());
    CHECK(content_of(folder / name) == "x");
  }
  CHECK(folder.entries() == 7);
}

TEST_CASE("a path without a folder is one in the current folder") {
  const scratch_folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path);
  whole_file file("trace.bin");
  file.append("x", 1);
  file.sync();
  file.commit();
  fs::current_path(before);
  CHECK(content_of(folder / "trace.bin") == "x");
  CHECK(folder.entries() == 1);
}

TEST_CASE("what a killed process left behind is in nobody's way, and stays to be read") {
  const scratch_folder folder;
  const auto left = [&](unsigned count) {
    return folder / ("trace.bin." + std::to_string(getpid()) + "." + std::to_string(count) + ".tmp");
  };
  for (unsigned count = 0; count < 1000; ++count) std::ofstream(left(count)) << "half";
  CHECK(error_of(folder / "trace.bin").empty());
  CHECK(content_of(folder / "trace.bin") == "x");
  CHECK(folder.entries() == 1001);
  for (unsigned count = 0; count < 1000; ++count) CHECK(content_of(left(count)) == "half");
}

TEST_CASE("a file has the permissions that the process gives, and one that is replaced leaves its own") {
  const scratch_folder folder;
  const auto mode_of = [](const std::string& path) { return static_cast<unsigned>(fs::status(path).permissions()); };
  const mode_t before = umask(027);
  CHECK(error_of(folder / "new").empty());
  for (const unsigned mode : {0600u, 0644u, 0666u, 0640u}) {
    const std::string path = folder / "old";
    std::ofstream(path) << "old";
    fs::permissions(path, static_cast<fs::perms>(mode));
    CHECK(error_of(path).empty());
    CHECK(content_of(path) == "x");
    CHECK(mode_of(path) == mode);
  }
  umask(before);
  CHECK(mode_of(folder / "new") == 0640);
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
