// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "passes.hpp"

namespace iket::perfetto {
namespace {

bool is_one_of(char phase, std::string_view phases) { return phases.find(phase) != phases.npos; }

class event_check {
 public:
  event_check(const event& what, const string_table& strings, violations& found)
      : event_(what), name_(strings[what.name]), found_(found) {}

  void run() {
    if (event_.phase == 0) return add(rule::missing_phase, "The event has no phase.");
    // Old async phases (S, T, p, F), objects (N, O, D) and samples (P) are among those that draw nothing.
    if (!is_one_of(event_.phase, "XBEbneiIRCstfM"))
      return add(rule::unknown_phase, "The phase " + std::string(1, event_.phase) + " is not drawn.");
    time();
    track();
    if (is_one_of(event_.phase, "XBbniIRC") && event_.name == 0) add(rule::missing_name, "The event has no name.");
    if (is_one_of(event_.phase, "bnestf") &&
        (event_.id.is == event_id::kind::none || event_.id.is == event_id::kind::bad))
      add(rule::bad_id, "The id is missing, or neither integer nor string.");
    if (is_one_of(event_.phase, "iIR") && event_.scope != 't') add(rule::instant_scope, "The scope is not \"t\".");
    if (event_.phase == 'f' && !event_.binds_enclosing) add(rule::flow_binding, "The flow end has no \"bp\":\"e\".");
    if (event_.phase == 'C') counter();
    if (event_.phase == 'M') metadata();
  }

 private:
  void add(rule broken, std::string text) { found_.push_back({broken, event_.index, std::move(text)}); }

  void time() {
    if (event_.ts == field_state::missing && event_.phase != 'M') add(rule::missing_time, "The event has no \"ts\".");
    if (event_.ts == field_state::good && event_.ts_ns < 0)
      add(rule::negative_time, "The time is " + std::to_string(event_.ts_ns) + " ns.");
    if (event_.phase != 'X') return;
    if (event_.dur == field_state::missing) add(rule::missing_duration, "The slice " + name_ + " has no \"dur\".");
    if (event_.dur == field_state::good && event_.dur_ns < 0)
      add(rule::negative_duration, "The slice " + name_ + " lasts " + std::to_string(event_.dur_ns) + " ns.");
  }

  // Async slices and counters belong to the process: their tid does not matter.
  void track() {
    if (event_.pid_state != field_state::good) add(rule::bad_pid, "The pid is no unsigned 32-bit number.");
    const bool names_thread = event_.phase == 'M' && (name_ == "thread_name" || name_ == "thread_sort_index");
    if (!names_thread && !is_one_of(event_.phase, "XBEiIRstf")) return;
    if (event_.tid_state != field_state::good) return add(rule::bad_tid, "The tid is no unsigned 32-bit number.");
    if (event_.tid == 0 || event_.tid == event_.pid)
      add(rule::main_thread, "The tid is " + std::to_string(event_.tid) + ", which in process " +
                                 std::to_string(event_.pid) + " is its main thread.");
  }

  void counter() {
    if (event_.arguments.empty()) add(rule::counter_value, "The counter has no value.");
    if (event_.counter_faults != 0)
      add(rule::counter_value, "The counter " + name_ + " has a value that is no number.");
  }

  void metadata() {
    const bool names = name_ == "process_name" || name_ == "thread_name";
    if (names && event_.track_name_state != field_state::good) add(rule::empty_name, name_ + " gives no name.");
    const bool sorts = name_ == "process_sort_index" || name_ == "thread_sort_index";
    if (sorts && event_.sort_index != field_state::good) add(rule::bad_sort_index, name_ + " gives no number.");
  }

  const event& event_;
  const std::string& name_;
  violations& found_;
};

}  // namespace

void check_events(const document& trace, violations& found) {
  for (const event& one : trace.events) event_check(one, trace.strings, found).run();
}

}  // namespace iket::perfetto
