// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Sites as the compiler lays them out, and the way back to them from a record.
#include <iket/site.hpp>

#include <cstdint>
#include <string>

#include <iket/warp_header.hpp>

#include "catch.hpp"

using namespace iket;
using detail::path_tail;

TEST_CASE("a path keeps as many of its last components as were asked for") {
  const std::string path = "/src/kernels/gemm.cu";
  CHECK(path_tail(path.c_str(), 0) == path);
  CHECK(path_tail(path.c_str(), 1) == std::string("gemm.cu"));
  CHECK(path_tail(path.c_str(), 2) == std::string("kernels/gemm.cu"));
  CHECK(path_tail(path.c_str(), 3) == std::string("src/kernels/gemm.cu"));
  CHECK(path_tail(path.c_str(), 4) == path);
  CHECK(path_tail(path.c_str(), 99) == path);
}

TEST_CASE("paths without a folder, or with nothing behind the last slash, have a tail too") {
  for (const std::uint32_t components : {0u, 1u, 2u}) {
    CHECK(path_tail("gemm.cu", components) == std::string("gemm.cu"));
    CHECK(path_tail("", components) == std::string());
  }
  CHECK(path_tail("kernels/", 0) == std::string("kernels/"));
  CHECK(path_tail("kernels/", 1) == std::string());
  CHECK(path_tail("kernels/", 2) == std::string("kernels/"));
  CHECK(path_tail("/", 1) == std::string());
  CHECK(path_tail("a//b", 2) == std::string("/b"));
}

TEST_CASE("a site is a constant with both texts behind its fixed part") {
  constexpr const char* file = "kernels/gemm.cu";
  constexpr detail::site<sizeof("load"), detail::text_bytes(file)> site{site_kind::wait, "load", file, 12};
  CHECK(site.prefix.magic == site_magic);
  CHECK(site.prefix.kind == site_kind::wait);
  CHECK(site.prefix.version == site_version);
  CHECK(site.prefix.line == 12);
  CHECK(site.prefix.name_bytes == 4);
  CHECK(site.prefix.file_bytes == 15);
  CHECK(std::string(site.text) == "load");
  CHECK(std::string(site.text + 5) == file);
  CHECK(alignof(decltype(site)) == 16);
  CHECK(detail::text_bytes("") == 1);
}

TEST_CASE("a tag's bits lead to the site's address, from the bank's base or from another site's address") {
  CHECK(detail::site_address(0x7f0000001000, warp_anchor_is_base, 0x40) == 0x7f0000001040);
  CHECK(detail::site_address(0x7f00fffffff0, 0, 0x10) == 0x7f0100000010);
  CHECK(detail::site_address(0x7f0100000010, 0, 0xfffffff0) == 0x7f00fffffff0);
}
