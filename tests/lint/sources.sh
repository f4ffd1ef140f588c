# SPDX-FileCopyrightText: The IKET authors
# SPDX-License-Identifier: MIT
# For the scripts beside this one: which files the project has. Needs no git.
# shellcheck shell=bash

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd -- "$root"

# sources [EXPRESSION...]: the project's files, those for which find's EXPRESSION holds, each ended by a zero byte.
sources() { find . \( -path ./build -o -path ./.git -o -path ./.cache \) -prune -o -type f "$@" -print0; }

cpp_sources() { sources \( -name '*.hpp' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.cu' \); }
cmake_sources() { sources \( -name CMakeLists.txt -o -name '*.cmake' \); }
text_sources() { sources ! -name '*.bin' ! -name '*.gz' ! -name '*.png' ! -path './tests/fuzz/regressions/*'; }

# Skips the test unless all tools are there.
require_tools() {
  local tool
  for tool; do
    if ! command -v "$tool" >/dev/null; then
      echo "skipped: there is no $tool" >&2
      exit 77
    fi
  done
}
