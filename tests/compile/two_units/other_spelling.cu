// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The header by another path: its sites have another file name than those of the first unit.
#include "../two_units/shared.cuh"

#include "other.cu"
