// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "kernel_names.hpp"

#include <cstddef>
#include <utility>

namespace iket::analysis::counters {
namespace {

/// Where the parameters begin: at the first '(' that is in no template argument, and is not of "(anonymous namespace)".
std::size_t parameters_begin(std::string_view kernel) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  int depth = 0;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (kernel.substr(i).starts_with(anonymous)) {
      i += anonymous.size() - 1;
      continue;
    }
    if (kernel[i] == '<') ++depth;
    if (kernel[i] == '>') --depth;
    if (kernel[i] == '(' && depth <= 0) return i;
  }
  return kernel.size();
}

}  // namespace

std::string base_name(std::string_view kernel) {
  std::string name;  // without template arguments, and "<unnamed>" as well
  int depth = 0;
  for (const char character : kernel.substr(0, parameters_begin(kernel))) {
    if (character == '>') --depth;
    if (character == '<') ++depth;
    if (character != '>' && depth <= 0) name += character;
  }
  while (name.ends_with(' ')) name.pop_back();
  const std::size_t last = name.find_last_of(": ");
  return last == std::string::npos ? name : name.substr(last + 1);
}

std::string full_name(std::string_view kernel) {
  std::string_view name = kernel.substr(0, parameters_begin(kernel));
  while (name.ends_with(' ')) name.remove_suffix(1);
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>') ++depth;
    if (name[i] == '<') --depth;
    if (name[i] == ' ' && depth == 0 && !name.substr(0, i).ends_with("(anonymous"))
      return std::string(name.substr(i + 1));
  }
  return std::string(name);
}

bool may_be_one_kernel(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  return a.ends_with(b) && (a.size() == b.size() || a.substr(0, a.size() - b.size()).ends_with("::"));
}

bool is_own_kernel(std::string_view kernel) {
  const std::string name = base_name(kernel);
  return name == "iket_calibration" || name == "iket_host_clock";
}

}  // namespace iket::analysis::counters
