// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What is multiplied, and which CTA computes which tile of the result.
#pragma once

namespace ws_gemm {

/// C[m x n] = A[m x k] * B[k x n]. A and C are row-major; B is stored transposed, n rows of k, so that k is contiguous
/// in both operands.
struct problem {
  int m, n, k;
};

/// A kernel's tile of C, its step along k, and what it needs to run.
struct kernel_shape {
  const char* name;
  int tile_m, tile_n, tile_k;
  int threads;
  int slot_bytes;   ///< shared memory of one slot: a tile of A and one of B
  int extra_bytes;  ///< shared memory besides the slots
  unsigned warps;   ///< bit w: warp w of a CTA has a role
};

#if defined(WS_GEMM_TRACE_PHASES)
/// Whether each tile of k is traced, or (with -DWS_GEMM_TRACE_PHASES) only the phases around them: what to begin with.
constexpr bool trace_tiles = false;
#else
constexpr bool trace_tiles = true;
#endif

/// Tiles of C are counted in tiles, not in elements.
struct tile_position {
  int m, n;
};

/// CTAs that run at the same time should share rows of A and columns of B, or L2 cannot feed them: tiles are walked
/// down bands of 16 rows of tiles, about as high as a wave of CTAs is then wide.
__device__ __forceinline__ tile_position tile_of(int cta, int tiles_m, int tiles_n) {
  constexpr int band_rows = 16;
  const int band = cta / (band_rows * tiles_n);
  const int within = cta % (band_rows * tiles_n);
  const int rows = min(band_rows, tiles_m - band * band_rows);
  return {band * band_rows + within % rows, within / rows};
}

}  // namespace ws_gemm
