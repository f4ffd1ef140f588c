// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chrome_names.hpp"

namespace iket::analysis {

std::string_view shown(std::string_view name) { return name.empty() ? "(unnamed)" : name; }

std::string place_text(const warp_timeline& of) {
  return "(" + std::to_string(of.cta[0]) + "," + std::to_string(of.cta[1]) + "," + std::to_string(of.cta[2]) + ")";
}

std::string cta_name(const timeline& source, std::size_t launch, const warp_timeline& warp) {
  const analysis::launch& of = source.launches[launch];
  std::string name(shown(of.kernel));
  if (has_several_files(source)) name += " in " + of.file;
  if (source.launches.size() > 1) name += " #" + std::to_string(launch + 1);
  return name + " CTA " + place_text(warp);
}

std::string sm_name(const timeline& source, index device, std::uint32_t sm) {
  const bool says_device = source.devices.size() > 1 && device != none;
  return (says_device ? "GPU " + std::to_string(device) + " " : "") + "SM " + std::to_string(sm);
}

std::string warp_name(const timeline& source, const warp_timeline& of) {
  const std::string name = "warp " + std::to_string(of.warp);
  return of.role == none ? name : name + " " + source.roles.at(of.role);
}

}  // namespace iket::analysis
