// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "sites_names.hpp"

__global__ void other_unit(int* out, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "other unit");
  templated<3>(rec);
  templated<4>(rec);
  *out = on_both_sides(rec, 1);
  IKET_MARK(rec, "here alone");
}

void launch_other_unit(int* out, iket::tracer tracer) { other_unit<<<1, 32>>>(out, tracer); }
