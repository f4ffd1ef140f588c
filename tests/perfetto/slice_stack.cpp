// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "slice_stack.hpp"

#include <algorithm>

namespace iket::perfetto {

void slice_stack::add(rule broken, const event& where, std::string text) {
  found_->push_back({broken, where.index, std::move(text)});
}

std::string slice_stack::describe(const slice& which) const {
  std::string text = (*strings_)[which.source->name] + " [" + std::to_string(which.begin_ns) + ", ";
  return text + (which.pending ? "open" : std::to_string(which.end_ns)) + ") ns of event " +
         std::to_string(which.source->index);
}

// A complete slice ends while slices begun in it are still open: they are ended with it.
void slice_stack::cut_above(std::size_t parent, std::int64_t ts_ns) {
  for (std::size_t at = parent + 1; at < open_.size(); ++at)
    add(rule::cut, *open_[at].source,
        "The slice " + describe(open_[at]) + " is cut at the end of " + describe(open_[parent]) + " by an event at " +
            std::to_string(ts_ns) + " ns.");
  open_.resize(parent);
}

// Pops what has ended at `ts_ns`, and says whether `coming` (none for an end) fits into the rest.
bool slice_stack::close_until(std::int64_t ts_ns, const slice* coming) {
  const bool complete = coming != nullptr && !coming->pending;
  const bool coming_instant = complete && coming->end_ns == coming->begin_ns;
  bool open_above = false;
  for (std::size_t at = open_.size(); at-- > 0;) {
    const slice& below = open_[at];
    if (below.pending) {
      open_above = true;
      continue;
    }
    if (open_above) {
      if (ts_ns <= below.end_ns) continue;
      cut_above(at, ts_ns);
      open_above = false;
      continue;
    }
    // Ranges are closed at the left and open at the right, but two instants at one time nest.
    const bool both_instant = coming_instant && below.begin_ns == below.end_ns;
    if (below.end_ns < ts_ns || (below.end_ns == ts_ns && !both_instant)) {
      open_.pop_back();
      continue;
    }
    if (complete && ts_ns < below.end_ns && coming->end_ns > below.end_ns) {
      add(rule::moved, *coming->source,
          "The slice " + describe(*coming) + " overlaps " + describe(below) + " in part, by " +
              std::to_string(below.end_ns - ts_ns) + " ns.");
      return false;
    }
  }
  return true;
}

bool slice_stack::push(const slice& coming) {
  if (!close_until(coming.begin_ns, &coming)) return false;
  if (open_.size() >= max_depth) {
    add(rule::too_deep, *coming.source, "The slice " + describe(coming) + " is nested deeper than 512.");
    return false;
  }
  open_.push_back(coming);
  deepest_ = std::max(deepest_, open_.size());
  return true;
}

bool slice_stack::add_complete(const event& what, std::int64_t dur_ns) {
  return push({what.ts_ns, what.ts_ns + dur_ns, false, &what});
}

bool slice_stack::begin(const event& what) { return push({what.ts_ns, 0, true, &what}); }

bool slice_stack::end(const event& what) {
  close_until(what.ts_ns, nullptr);
  const auto matches = [&](const slice& one) {
    return one.pending && (what.cat == 0 || what.cat == one.source->cat) &&
           (what.name == 0 || one.source->name == 0 || what.name == one.source->name);
  };
  const auto found = std::find_if(open_.rbegin(), open_.rend(), matches);
  if (found == open_.rend()) {
    add(rule::lone_end, what,
        "The end of " + (*strings_)[what.name] + " at " + std::to_string(what.ts_ns) + " ns ends nothing.");
    return false;
  }
  found->pending = false;
  found->end_ns = what.ts_ns;
  if (found == open_.rbegin()) open_.pop_back();
  return true;
}

void slice_stack::finish() {
  for (const slice& left : open_)
    if (left.pending) add(rule::unclosed_begin, *left.source, "The slice " + describe(left) + " never ends.");
  open_.clear();
}

bool slice_stack::binds_at(std::int64_t ts_ns) const {
  if (open_.empty()) return false;
  const slice& last = open_.back();
  return last.begin_ns <= ts_ns && (last.pending || ts_ns <= last.end_ns);
}

}  // namespace iket::perfetto
