// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "read_ncu_page.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <utility>

#include "csv_rows.hpp"
#include "metric_table.hpp"
#include "page_file.hpp"
#include "profile_builder.hpp"
#include "source_page.hpp"

namespace iket::analysis::counters {
namespace {

constexpr std::string_view print_pages =
    "print pages with: ncu --import REPORT.ncu-rep --csv --page raw (or details, or source)";

/// Why there is no page in the text, as its lines say.
std::string reason_of(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return "is encoded as UTF-16, as a spreadsheet saves it: save it as UTF-8, or print the page again";
  if (text.starts_with("IKETRACE")) return "is a trace: name it before --ncu";
  if (text.starts_with("NVR")) return "is a report of ncu, not a page of it; " + std::string(print_pages);
  if (has("ERR_NVGPUCTRPERM"))
    return "says that this user may not read the GPU's counters: https://developer.nvidia.com/ERR_NVGPUCTRPERM tells "
           "an administrator how to allow it";
  if (has("No kernels were profiled"))
    return "says that no kernel was profiled: ncu's --kernel-name or --launch-skip left out all that ran";
  if (has("No lineinfo available") || has("Unable to open source file"))
    return "has no source lines: build with -lineinfo and profile with --import-source yes, or print the page with "
           "--print-source sass";
  if (has("==ERROR==")) {
    const std::size_t begin = text.find("==ERROR==") + 9;
    return "has an error of ncu:" +
           std::string(text.substr(begin, std::min(text.find('\n', begin) - begin, std::size_t{200})));
  }
  if (text.empty()) return "is empty; " + std::string(print_pages);
  if (has("\tKernel Name\t") || has("Address\tSource\t"))
    return "is separated by tabs: save it with commas, or print the page again";
  return "is no page that ncu --csv prints; " + std::string(print_pages);
}

}  // namespace

void read_ncu_page(std::string_view text, const std::string& file, ncu_profile& to) {
  csv_reader rows(text);
  profile_builder builder(to);
  const bool is_packed = text.starts_with("NVR");  // a report, which may have a page's words in it
  bool found = false;
  csv_row row;
  while (!is_packed && rows.next(row)) {
    std::optional<csv_row> header = std::move(row);
    while (header && (begins_source_page(*header) || begins_metric_table(*header))) {
      found = true;
      header = begins_source_page(*header) ? read_source_page(rows, std::move(*header), file, builder)
                                           : read_metric_table(rows, *header, file, builder);
    }
  }
  if (!found) to.warnings.push_back("'" + file + "' " + reason_of(text));
}

ncu_profile read_ncu_files(const std::vector<std::string>& files) {
  ncu_profile profile;
  for (const std::string& file : files) {
    const std::size_t kernels = profile.kernels.size(), listings = profile.listings.size();
    try {
      if (const std::optional<std::string> text = contents_of_page(file, profile.warnings))
        read_ncu_page(*text, file, profile);
    } catch (const std::bad_alloc&) {
      profile.kernels.resize(kernels);
      profile.listings.resize(listings);
      profile.warnings.push_back("'" + file + "' was not read: it takes more memory than --max-memory allows");
    }
  }
  return profile;
}

}  // namespace iket::analysis::counters
