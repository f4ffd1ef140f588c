// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/relations.hpp"

#include <algorithm>
#include <cmath>

namespace iket::analysis {

picoseconds uncertainty_between_sms(const launch& of) {
  constexpr double most_ns = 1e6;  // a release that may be a millisecond off is none that is known
  return std::llround(1000 * std::clamp(of.clock.uncertainty_ns, 0.0, most_ns));
}

void visit_relations(const timeline& source, const launch& of, scope by,
                     const std::function<void(const unit_relations&)>& visit,
                     const std::function<bool(cta_group)>& wanted) {
  relation_finder finder(activity_table{&source.stages});
  const scope_units units(of, neighbourhood(by));
  for (std::size_t i = 0; i < units.size(); ++i)
    if (!wanted || wanted(units[i])) visit(finder.find(units[i], uncertainty_between_sms(of), relation_finder::ignore));
}

}  // namespace iket::analysis
