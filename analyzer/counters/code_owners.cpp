// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "code_owners.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <optional>
#include <utility>

#include "open_stages.hpp"

namespace iket::analysis::counters {
namespace {

constexpr std::size_t most_ways = 32;             // to be at a place, that are followed
constexpr std::size_t most_ways_at_all = 65'536;  // some hundred bytes each
constexpr std::size_t nowhere = ~std::size_t{0};
constexpr std::size_t barriers = 16;  // that gather threads, "B0" to "B15"

/// What control brings to an instruction.
struct way {
  open_stages open;
  std::array<std::size_t, barriers> gathers{};  // where barriers gather threads, plus one; 0: nowhere yet
  auto operator<=>(const way&) const = default;
};

/// The ways in which stages are open at each instruction, as `innermost` tells them.
struct code_ways {
  struct at_place {
    std::vector<std::uint32_t> innermost;  ///< site bits, each once
    bool none_open = false;                ///< a way with no stage open leads there
    bool too_many = false;                 ///< not all ways were followed to it
  };
  std::vector<at_place> places;
  std::size_t indirect = 0;
  bool dropped = false;
};

class way_follower {
 public:
  way_follower(std::span<const flow_step> flow, const sass_events& events)
      : flow_(flow), events_(events), event_at_(flow.size(), nowhere), known_(flow.size()) {
    found_.places.resize(flow.size());
    for (std::size_t i = 0; i < events.events.size(); ++i) event_at_[events.events[i].clock] = i;
  }

  code_ways follow() {
    if (!flow_.empty()) go(0, number_of({}));
    while (!waiting_.empty()) {
      const auto [place, number] = waiting_.back();
      waiting_.pop_back();
      leave(place, number);
    }
    for (const flow_step& step : flow_) found_.indirect += step.kind == flow_kind::elsewhere ? 1 : 0;
    for (std::size_t i = 0; i < flow_.size(); ++i) tell(i);
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::size_t number_of(way one) {
    const auto [at, is_new] = numbers_.try_emplace(std::move(one), ways_.size());
    if (is_new) ways_.push_back(&at->first);
    return at->second;
  }

  /// To `place`, with what `one` has become.
  void go(std::size_t place, way one) {
    if (place >= flow_.size()) return;
    if (ways_.size() < most_ways_at_all || numbers_.contains(one))
      go(place, number_of(std::move(one)));
    else
      drop_way_to(place);
  }

  void go(std::size_t place, std::size_t number) {
    if (place >= flow_.size() || found_.places[place].too_many) return;
    std::vector<std::size_t>& known = known_[place];
    if (std::find(known.begin(), known.end(), number) != known.end()) return;
    if (known.size() == most_ways) return drop_way_to(place);
    known.push_back(number);
    waiting_.emplace_back(place, number);
  }

  void leave(std::size_t place, std::size_t number) {
    const flow_step& step = flow_[place];
    if (event_at_[place] != nowhere) {
      way next = *ways_[number];
      if (!next.open.apply(events_.events[event_at_[place]].tag))
        drop_way_to(place);
      else
        go(place + 1, std::move(next));  // an event is no branch
      return;
    }
    switch (step.kind) {
      case flow_kind::on:
        break;
      case flow_kind::branch:
        if (step.target) go(*step.target, number);
        if (!step.conditional) return;
        break;
      case flow_kind::call:
        if (step.target) go(*step.target, number);
        break;
      case flow_kind::gather:
        if (step.target && step.barrier < barriers) return gather(place, *ways_[number], step);
        break;
      case flow_kind::gathered:
        return leave_barrier(place, number, step);
      case flow_kind::end:
      case flow_kind::elsewhere:
        if (!step.conditional) return;
        break;
    }
    go(place + 1, number);
  }

  void gather(std::size_t place, way next, const flow_step& step) {
    next.gathers[step.barrier] = *step.target + 1;
    go(place + 1, std::move(next));
  }

  void leave_barrier(std::size_t place, std::size_t number, const flow_step& step) {
    const std::size_t target = step.barrier < barriers ? ways_[number]->gathers[step.barrier] : 0;
    if (target == 0 || step.conditional) go(place + 1, number);
    if (target == 0) return;
    way next = *ways_[number];
    next.gathers[step.barrier] = 0;
    go(target - 1, std::move(next));
  }

  void drop_way_to(std::size_t place) {
    found_.places[place].too_many = true;
    found_.dropped = true;
  }

  void tell(std::size_t place) {
    code_ways::at_place& to = found_.places[place];
    for (const std::size_t number : known_[place]) {
      const std::optional<std::uint32_t> innermost = ways_[number]->open.innermost();
      if (!innermost)
        to.none_open = true;
      else if (std::find(to.innermost.begin(), to.innermost.end(), *innermost) == to.innermost.end())
        to.innermost.push_back(*innermost);
    }
  }

  std::span<const flow_step> flow_;
  const sass_events& events_;
  std::vector<std::size_t> event_at_;  // by instruction, in `events_`
  std::map<way, std::size_t> numbers_;
  std::vector<const way*> ways_;                 // by number
  std::vector<std::vector<std::size_t>> known_;  // by instruction, numbers of ways
  std::vector<std::pair<std::size_t, std::size_t>> waiting_;
  code_ways found_;
};

}  // namespace

code_owners find_owners(std::span<const flow_step> flow, const sass_events& events,
                        const std::function<std::uint32_t(std::uint32_t)>& stage_of) {
  const code_ways ways = way_follower(flow, events).follow();
  code_owners result{std::vector<code_owner>(flow.size()), ways.indirect, ways.dropped};
  for (std::size_t i = 0; i < flow.size(); ++i) {
    const code_ways::at_place& place = ways.places[i];
    code_owner& owner = result.owners[i];
    owner.recording = events.own[i];
    if (!place.too_many && (place.none_open || !place.innermost.empty())) {
      owner.kind = place.none_open ? owner_kind::outside : owner_kind::stage;
      if (!place.innermost.empty()) owner.site_bits = stage_of(place.innermost.front());
      for (const std::uint32_t bits : place.innermost)
        if (place.none_open || stage_of(bits) != owner.site_bits) owner.kind = owner_kind::shared;
    }
  }
  return result;
}

}  // namespace iket::analysis::counters
