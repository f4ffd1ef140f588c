// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The matrix multiplication of examples/ws_gemm with ranges around its phases alone: what tracing costs at the least.
#define WS_GEMM_TRACE_PHASES
#include "ws_gemm.cu"
