// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "standing_warp.hpp"

namespace iket::analysis {
namespace {

template <class Recorded>
bool has_payload(const Recorded& one) {
  return one.payload_type != payload_type::none;
}

/// Reads one warp's ranges and points to their ends.
class warp_reader {
 public:
  explicit warp_reader(const warp_timeline& warp) : warp_(warp) {
    for (const range& one : warp.ranges) take(one);
    for (const point& one : warp.points) take(one);
  }

  [[nodiscard]] standing_warp read() const {
    standing_warp result{&warp_, {}, 0, warp_.last_event};
    site_key& key = result.key;
    key.place = place();
    key.role = warp_.role;
    if (key.place == standing_place::ended) result.since = warp_.close;
    if (key.place == standing_place::in_range) {
      const range& in = innermost();
      key.at = {in.stage, false};
      key.source = in.source;
      result.since = in.begin;
      if (last_.name != none && last_time_ > in.begin) {
        key.after = last_;
        key.after_source = last_source_;
      }
      if (has_payload(in)) {
        key.type = in.payload_type;
        result.payload_bits = in.payload_bits;
        return result;
      }
    } else if (key.place == standing_place::between) {
      key.may_be_inside = warp_.lacks_oldest;
      key.at = last_;
      key.source = last_source_;
    }
    if (key.place == standing_place::in_range || key.place == standing_place::between) {
      key.payload_of = payload_of_;
      key.type = last_payload_.type;
      result.payload_bits = last_payload_.bits;
    }
    return result;
  }

 private:
  [[nodiscard]] standing_place place() const {
    if (warp_.closed) return standing_place::ended;
    if (warp_.lacks_newest) return standing_place::unknown;
    if (warp_.events == 0) return standing_place::no_record;
    return on_stack_ != nullptr || token_ != nullptr ? standing_place::in_range : standing_place::between;
  }

  [[nodiscard]] const range& innermost() const { return on_stack_ != nullptr ? *on_stack_ : *token_; }

  // Ranges come by their begins, outer before inner.
  void take(const range& one) {
    if (one.state == range_state::open) (one.token ? token_ : on_stack_) = &one;
    if (one.state == range_state::whole) note_last(one.end, {one.stage, false}, one.source);
    if (has_payload(one)) note_payload(one.begin, one.payload(), {one.stage, false});
  }

  void take(const point& one) {
    note_last(one.time, {one.name, true, one.counter}, one.source);
    if (has_payload(one)) note_payload(one.time, one.payload(), {one.name, true, one.counter});
  }

  void note_last(picoseconds time, named what, index source) {
    if (last_.name != none && time < last_time_) return;
    last_time_ = time;
    last_ = what;
    last_source_ = source;
  }

  void note_payload(picoseconds time, const payload& value, named of) {
    if (last_payload_.type != payload_type::none && time < payload_time_) return;
    payload_time_ = time;
    last_payload_ = value;
    payload_of_ = of;
  }

  const warp_timeline& warp_;
  const range* on_stack_ = nullptr;
  const range* token_ = nullptr;
  picoseconds last_time_ = 0;
  named last_;
  index last_source_ = none;
  picoseconds payload_time_ = 0;
  payload last_payload_;
  named payload_of_;
};

}  // namespace

standing_warp standing_of(const warp_timeline& warp) { return warp_reader(warp).read(); }

}  // namespace iket::analysis
