# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
with section("format"):
    line_width = 120
    tab_size = 2
    max_pargs_hwrap = 8

with section("markup"):
    # It would reflow the SPDX lines.
    enable_markup = False

with section("parse"):
    additional_commands = {
        "iket_add_catch_test": {"pargs": "*", "kwargs": {"LIBS": "*"}},
        "iket_add_nvrtc_tests": {"pargs": 2, "kwargs": {"STANDARDS": "*", "ARCHITECTURES": "*"}},
    }
