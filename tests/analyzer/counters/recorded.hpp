// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The pages and traces in tests/counters/recorded.
#pragma once

#include <string>
#include <vector>

#include <zlib.h>

#include "counters/ncu_profile.hpp"
#include "counters/read_ncu_page.hpp"
#include "load_traces.hpp"
#include "report.hpp"

namespace recorded {

/// Of "spills/raw.csv.gz".
inline std::string path(const std::string& name) { return IKET_COUNTERS_DIR "/" + name; }

/// The page as text, unpacked.
inline std::string text(const std::string& name) {
  std::string all;
  char block[4096];
  const gzFile file = gzopen(path(name).c_str(), "rb");
  if (file == nullptr) return all;
  for (int got = 0; (got = gzread(file, block, sizeof(block))) > 0;) all.append(block, static_cast<std::size_t>(got));
  gzclose(file);
  return all;
}

/// The pages of a folder, "raw", "details", "source", "sass".
inline iket::analysis::counters::ncu_profile pages(const std::string& folder, const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) files.push_back(path(folder + "/" + name + ".csv.gz"));
  return iket::analysis::counters::read_ncu_files(files);
}

inline iket::analysis::timeline trace(const std::string& folder) {
  return iket::analysis::load_traces({path(folder + "/trace.bin")}, true);
}

/// All folders.
inline const std::vector<std::string> folders = {"spills", "bank_conflicts", "clean",         "streams", "calls",
                                                 "all",    "ws_gemm_depth1", "ws_gemm_depth4"};

}  // namespace recorded
