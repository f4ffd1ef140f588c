// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Stands in for the CUDA header of this name, see cuda_runtime_api.h beside it.
#pragma once

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
};
