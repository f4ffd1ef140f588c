// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Names of sites from another trace of the same binary, for those that a file lacks.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mapped_file.hpp"
#include "read_error.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// A trace whose sites are borrowed. What is borrowed points into it.
class site_source {
 public:
  /// The error says why nothing of the file could be read.
  [[nodiscard]] static std::variant<site_source, read_error> open(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const trace_view& view() const noexcept { return view_; }

 private:
  site_source(std::string path, mapped_file file, trace_view view)
      : path_(std::move(path)), file_(std::move(file)), view_(std::move(view)) {}

  std::string path_;
  mapped_file file_;
  trace_view view_;
};

/// Adds to the tables of `to` the sites that its records, roles and faults refer to and that it lacks, as far as `from`
/// has them, whose bytes have to outlive what is made of `to`. Returns what is to be said of that, `name` being the
/// source's, a line each; nothing where no site is lacking.
///
/// Sites are told apart by their addresses, so what a module's records refer to has to be found in `from` at addresses
/// that are all shifted by the same distance, which is 0 where the module was loaded at the same place:
///
/// 1. Where warps of both files state their modules' places, the distances between those are all that there are. Of
///    several the one at which most of the module's sites are there counts, and 0 where others are only as good.
/// 2. Where not both files do, distance 0; then it is said that nothing but their addresses tells.
/// 3. Where that does not fit either, and the module has two sites or more: any distance under which all of them are
///    there and fit. Then it is said that nothing but their layout tells.
///
/// For 1 and 2 at least half of the module's sites have to be there, and all of those fit; what is not there stays
/// without a name.
///
/// A site fits if it is of the kind that the record is for (work or wait for ranges), and, where the file has it too,
/// if it is the same. Where several distances other than 0 are equally good and lead to other names, nothing is taken.
/// n log n in the records of `to` and the sites; trying distances ends behind `site_lender::most_checks` look-ups for
/// the whole file, some seconds, and then nothing more is taken.
[[nodiscard]] std::vector<std::string> borrow_sites(const trace_view& from, const std::string& name, trace_view& to);

}  // namespace iket::analysis
