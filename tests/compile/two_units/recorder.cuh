// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A recorder that crosses from unit to unit: what the two are built with must be the same.
#pragma once

#include <iket/iket.cuh>

__device__ int callee(iket::recorder& rec);
