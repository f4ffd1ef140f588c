// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <map>
#include <tuple>

#include "passes.hpp"

namespace iket::perfetto {
namespace {

using thread_key = std::pair<std::uint32_t, std::uint32_t>;

class track_check {
 public:
  track_check(const document& trace, violations& found) : strings_(trace.strings), found_(found) {}

  void see(const event& what) {
    if (what.phase == 'M') return metadata(what);
    if (!what.has_time()) return;
    const std::string_view phases = "XBiIRbnC";  // the first five on a thread
    const std::size_t phase = phases.find(what.phase);
    if (phase < 5) threads_.try_emplace({what.pid, what.thread()}, what.index);
    if (phase < phases.size()) processes_.try_emplace(what.pid, what.index);
    if (what.phase == 'C') counter(what);
  }

  void finish(statistics& counts) {
    counts.threads = threads_.size();
    counts.processes = processes_.size();
    for (const auto& [key, first] : threads_)
      if (!thread_names_.contains(key))
        add(rule::unnamed_thread, first,
            "Thread " + std::to_string(key.second) + " of process " + std::to_string(key.first) +
                " has no thread_name.");
    for (const auto& [pid, first] : processes_)
      if (!process_names_.contains(pid))
        add(rule::unnamed_process, first, "Process " + std::to_string(pid) + " has no process_name.");
  }

 private:
  void add(rule broken, std::size_t index, std::string text) { found_.push_back({broken, index, std::move(text)}); }

  // Metadata with a negative time is dropped like any event.
  void metadata(const event& what) {
    if (what.track_name == 0 || what.ts_ns < 0) return;
    if (strings_[what.name] == "process_name") {
      named(what, process_names_.try_emplace(what.pid, what.track_name).first->second);
    } else if (strings_[what.name] == "thread_name") {
      named(what, thread_names_.try_emplace({what.pid, what.thread()}, what.track_name).first->second);
    }
  }

  void named(const event& what, string_table::handle& name) {
    if (name == what.track_name) return;
    add(rule::renamed, what.index, "The name " + strings_[name] + " is replaced by " + strings_[what.track_name] + '.');
    name = what.track_name;
  }

  // The track of a counter is "name argument", with a string id in between. Its tid and an integer id do not count, so
  // two series that differ only in these are drawn as one.
  void counter(const event& what) {
    const bool string_id = what.id.is == event_id::kind::string;
    const std::uint64_t drawn_id = string_id ? what.id.value : 0;
    const series own{what.thread(), string_id ? 0 : what.id.value};
    for (const string_table::handle argument : what.arguments) {
      const auto key = std::tuple(what.pid, what.name, drawn_id, argument);
      const auto [known, added] = counters_.try_emplace(key, own);
      if (known->second == own) continue;
      add(rule::shared_counter, what.index,
          "The counter " + strings_[what.name] + ' ' + strings_[argument] + " of process " + std::to_string(what.pid) +
              " is also that of another thread or id.");
    }
  }

  struct series {
    std::uint32_t tid;
    std::uint64_t id;
    bool operator==(const series&) const = default;
  };

  const string_table& strings_;
  violations& found_;
  std::map<thread_key, std::size_t> threads_;  // with the first event on each
  std::map<std::uint32_t, std::size_t> processes_;
  std::map<thread_key, string_table::handle> thread_names_;
  std::map<std::uint32_t, string_table::handle> process_names_;
  std::map<std::tuple<std::uint32_t, string_table::handle, std::uint64_t, string_table::handle>, series> counters_;
};

}  // namespace

void check_tracks(const document& trace, violations& found, statistics& counts) {
  track_check tracks(trace, found);
  for (const event& one : trace.events) {
    tracks.see(one);
    counts.counters += one.phase == 'C' && one.has_time() ? one.arguments.size() - one.counter_faults : 0;
  }
  tracks.finish(counts);
}

}  // namespace iket::perfetto
