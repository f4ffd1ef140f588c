// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The critical path, walked as it is defined.
#pragma once

#include <map>

#include "moments.hpp"
#include "picosecond_sum.hpp"

namespace iket::test::oracle {

using path_shares = std::map<std::string, picosecond_sum>;

/// Looks at every tick, and for every jump at every CTA.
class walk {
 public:
  walk(const timeline& source, const moments& in, const std::vector<release>& releases, path_shares& to)
      : source_(source), in_(in), releases_(releases), to_(to) {}

  void run() {
    at_ = &in_.warps().front();
    for (const warp_timeline& warp : in_.warps())
      if (warp.close > at_->close) at_ = &warp;
    time_ = at_->close;
    while (time_ > at_->open || turn_back()) {
      if (time_ > at_->open) step();
    }
  }

 private:
  void charge(const std::string& name, picoseconds time) {
    if (time != 0) to_[name] += time;
  }

  /// What the last tick before `time` is: a name, and the range that gives it.
  [[nodiscard]] std::pair<std::string, std::optional<std::size_t>> label(picoseconds time) const {
    const picoseconds moment = time - tick;
    if (moment < at_->observed || moment >= at_->unobserved) return {"lost records", {}};
    std::optional<std::size_t> in = moments::innermost(*at_, moment);
    if (!in)
      for (std::size_t i = 0; i < at_->ranges.size(); ++i) {
        const place one{at_, i};
        if (one->token && !in_.is_wait(one) && moment >= one->begin && moment < one->end) in = i;
      }
    if (!in) return {"untracked", {}};
    return {source_.stages[at_->ranges[*in].stage].name + (in_.is_wait({at_, *in}) ? " (wait)" : ""), in};
  }

  void step() {
    const auto now = label(time_);
    picoseconds begin = time_ - tick;
    while (begin > at_->open && label(begin) == now) begin -= tick;
    if (now.second && in_.is_wait({at_, *now.second}) && !stood_)
      for (const release& one : releases_)
        if (one.wait == place{at_, *now.second} && one.by && follow(one, begin)) return;
    charge(now.first, time_ - begin);
    time_ = begin;
    stood_ = false;
  }

  bool follow(const release& by, picoseconds begin) {
    if (by.end > time_ && time_ != by.wait->end) return false;
    if (by.end <= begin || by.begin >= time_) return false;
    const picoseconds end = std::min(by.end, time_);
    charge("release latency", time_ - end);
    stood_ = end == time_ && !by.in_flight;
    if (by.in_flight) charge(in_.stage_of(*by.by).name + " (in flight)", end - by.begin);
    time_ = by.in_flight ? by.begin : end;
    at_ = by.by->warp;
    return true;
  }

  struct span {
    picoseconds open = 0;
    picoseconds close = 0;
  };
  [[nodiscard]] span span_of(const warp_timeline& of) const {
    span result{of.open, of.close};
    for (const warp_timeline& warp : in_.warps())
      if (warp.cta_linear == of.cta_linear)
        result = {std::min(result.open, warp.open), std::max(result.close, warp.close)};
    return result;
  }

  bool turn_back() {
    const picoseconds open = span_of(*at_).open;
    const warp_timeline* before = nullptr;
    for (const warp_timeline& warp : in_.warps()) {
      const span other = span_of(warp);
      if (in_.sm_of(warp) != in_.sm_of(*at_) || other.close > open || other.open >= open) continue;
      // The first warp of the CTA to close last.
      if (warp.close != other.close) continue;
      if (before == nullptr || other.close > span_of(*before).close) before = &warp;
    }
    if (before == nullptr || open - before->close > 5'000'000) {
      charge("before the first CTA", time_ - in_.of().begin);
      return false;
    }
    charge("start of the next CTA", time_ - before->close);
    at_ = before;
    time_ = before->close;
    return true;
  }

  const timeline& source_;
  const moments& in_;
  const std::vector<release>& releases_;
  path_shares& to_;
  const warp_timeline* at_ = nullptr;
  picoseconds time_ = 0;
  bool stood_ = false;
};

}  // namespace iket::test::oracle
