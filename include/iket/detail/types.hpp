// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Integer types of fixed size without a standard header: NVRTC has none.
#pragma once

namespace iket {
inline namespace abi_1 {
namespace detail {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;

static_assert(sizeof(u16) == 2 && sizeof(u32) == 4 && sizeof(u64) == 8, "IKET needs the LP64 sizes of Linux");

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
