// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <tuple>
#include <unordered_map>

#include "flow_book.hpp"
#include "passes.hpp"
#include "slice_stack.hpp"

namespace iket::perfetto {
namespace {

struct timed {
  std::int64_t ts_ns;
  std::int64_t key;
  const event* source;

  // At one time the importer takes E first, then the longest X, then the rest; within that, file order.
  static timed of(const event& what) {
    constexpr auto last = std::numeric_limits<std::int64_t>::max();
    const std::int64_t key = what.phase == 'E'   ? std::numeric_limits<std::int64_t>::min()
                             : what.phase == 'X' ? last - what.dur_ns
                                                 : last;
    return {what.ts_ns, key, &what};
  }
  bool operator<(const timed& other) const {
    return std::tie(ts_ns, key, source->index) < std::tie(other.ts_ns, other.key, other.source->index);
  }
};

using track_key = std::array<std::uint64_t, 4>;

struct track_hash {
  std::size_t operator()(const track_key& key) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t part : key) hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL ^ (hash >> 29);
    return hash;
  }
};

// The importer knows an async track by category and id, in the file or, for id2.local, in the process.
track_key async_key(const event& what) {
  const auto kind = static_cast<std::uint64_t>(what.id.is) << 1 | (what.id.local ? 1 : 0);
  return {kind, what.id.value, what.cat, what.id.local ? what.pid : 0};
}

struct async_track {
  slice_stack slices;
  std::set<string_table::handle> names;
};

class player {
 public:
  player(const document& trace, violations& found, statistics& counts)
      : strings_(trace.strings), found_(found), counts_(counts), flows_(trace.strings, found) {}

  void play(const event& what) {
    switch (what.phase) {
      case 'X':
        counts_.slices += thread(what).add_complete(what, what.dur_ns);
        break;
      case 'B':
        thread(what).begin(what);
        break;
      case 'E':
        counts_.slices += thread(what).end(what);
        break;
      case 'i':
      case 'I':
      case 'R':
        if (what.scope == 't') counts_.instants += thread(what).add_complete(what, 0);
        break;
      case 's':
      case 't':
      case 'f':
        flows_.add(what, thread(what).binds_at(what.ts_ns));
        break;
      case 'b':
      case 'e':
      case 'n':
        if (what.id.is != event_id::kind::none && what.id.is != event_id::kind::bad) async(what);
        break;
      default:
        break;
    }
  }

  void finish() {
    for (auto& [key, slices] : threads_) {
      counts_.max_depth = std::max(counts_.max_depth, slices.deepest());
      slices.finish();
    }
    for (auto& [key, track] : asyncs_) track.slices.finish();
    counts_.flows = flows_.finish();
  }

 private:
  slice_stack& thread(const event& what) {
    return threads_.try_emplace({what.pid, what.thread()}, strings_, found_).first->second;
  }

  void async(const event& what) {
    async_track& track = asyncs_.try_emplace(async_key(what), async_track{{strings_, found_}, {}}).first->second;
    if (what.phase == 'n') {
      track.slices.add_complete(what, 0);
    } else if (what.phase == 'e') {
      counts_.async_pairs += track.slices.end(what);
    } else {
      track.slices.begin(what);
      if (!track.names.insert(what.name).second)
        found_.push_back({rule::reused_id, what.index,
                          "The async slice " + strings_[what.name] + " has the category and id of an earlier one."});
    }
  }

  const string_table& strings_;
  violations& found_;
  statistics& counts_;
  std::unordered_map<track_key, slice_stack, track_hash> threads_;
  std::unordered_map<track_key, async_track, track_hash> asyncs_;
  flow_book flows_;
};

}  // namespace

void check_timeline(const document& trace, violations& found, statistics& counts) {
  std::vector<timed> order;
  order.reserve(trace.events.size());
  for (const event& one : trace.events) {
    const bool complete = one.phase != 'X' || (one.dur == field_state::good && one.dur_ns >= 0);
    if (one.has_time() && complete) order.push_back(timed::of(one));
  }
  std::sort(order.begin(), order.end());

  player run(trace, found, counts);
  for (const timed& next : order) run.play(*next.source);
  run.finish();
}

}  // namespace iket::perfetto
