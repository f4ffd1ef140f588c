// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Prints the text of the kernel that reads the device's timer for the host.
#include <cstdio>

#include <iket/detail/host_clock_ptx.hpp>

int main() { std::fputs(iket::detail::host_clock_ptx, stdout); }
