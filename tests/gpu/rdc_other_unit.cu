// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "rdc_names.cuh"

__device__ void in_other_unit(iket::recorder& rec, int x) {
  IKET_WAIT(rec, "in the other unit", x);
  in_shared_function(rec, x);
}

__global__ void kernel_of_other_unit(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "other unit");
  in_shared_function(rec, 1);
  in_shared_template(rec, 1);
  in_shared_template(rec, 1.0);
  in_other_unit(rec, 1);
}

void launch_in_other_unit(iket::tracer tracer) { kernel_of_other_unit<<<2, 64>>>(tracer); }
