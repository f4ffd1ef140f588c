// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What processes and threads of a Chrome trace are called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "timeline.hpp"

namespace iket::analysis {

/// `name`, or what stands for an empty one, of which viewers show nothing.
[[nodiscard]] std::string_view shown(std::string_view name);

/// "(1,2,0)", the CTA of a warp.
[[nodiscard]] std::string place_text(const warp_timeline& of);

/// "gemm #3 CTA (1,2,0)", with all that tells it from others in the timeline; `launch` by place.
[[nodiscard]] std::string cta_name(const timeline& source, std::size_t launch, const warp_timeline& warp);

/// "GPU 1 SM 12"; the GPU where there are several.
[[nodiscard]] std::string sm_name(const timeline& source, index device, std::uint32_t sm);

/// "warp 2 producer"; the role where there is one.
[[nodiscard]] std::string warp_name(const timeline& source, const warp_timeline& of);

}  // namespace iket::analysis
