// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT

// Each rule: an input that breaks it and nothing else, and a neighbour that breaks nothing.

#include "rules.hpp"

#include <set>

#include "catch.hpp"
#include "trace_text.hpp"

using iket::perfetto::check;
using iket::perfetto::no_event;
using iket::perfetto::rule;
using iket::perfetto::violations;
using trace_text::file;
using trace_text::on_thread;
using trace_text::slice;

namespace {

constexpr std::size_t first = trace_text::name_events;

// Whole files.
struct text_example {
  rule broken;
  std::string bad, good;
  std::size_t event = no_event;
};

const std::vector<text_example> text_examples = {
    {rule::byte_order_mark, "\xef\xbb\xbf" + file(""), file("")},
    {rule::leading_blank, "\n" + file(""), file("")},
    {rule::trailing_data, file("") + "\n\n", file("") + "\n"},
    {rule::trailing_data, file("") + "{}", file("")},
    {rule::malformed, file("{]"), file(""), first},
    {rule::malformed, file(R"({"ph":"M","pid":1,"name":"\q"})"), file(R"({"ph":"M","pid":1,"name":"\\q"})"), first},
    {rule::truncated, R"({"traceEvents":[)", R"({"traceEvents":[]})"},
    {rule::truncated, R"({"traceEvents":[{"ph":"M","pid":1,"name":"x)", R"({"traceEvents":[]})", 0},
    {rule::control_character, file("{\"ph\":\"M\",\"pid\":1,\"name\":\"a\tb\"}"),
     file(R"({"ph":"M","pid":1,"name":"a\tb"})"), first},
    {rule::control_character, file("{\"ph\":\"M\",\"pid\":1,\"name\":\"nan\n\"}"),
     file(R"({"ph":"M","pid":1,"name":"nan"})"), first},
    {rule::control_character, file("{\"ph\":\"M\",\"pid\":1,\"name\":\"a\x7f\"}"),
     file(R"({"ph":"M","pid":1,"name":"a\u007f"})"), first},
    {rule::surrogate_escape, file(R"({"ph":"M","pid":1,"name":"\ud83d\ude00"})"),
     file("{\"ph\":\"M\",\"pid\":1,\"name\":\"\xf0\x9f\x98\x80\"}"), first},
    {rule::surrogate_escape, file(R"({"ph":"M","pid":1,"name":"\\\uD83D\uDE00"})"),
     file(R"({"ph":"M","pid":1,"name":"\\ud83d\u00e9"})"), first},
    {rule::not_an_object, "[]", R"({"traceEvents":[]})"},
    {rule::not_an_object, "[{\"ph\":\"M\",\"pid\":1}]", R"({"traceEvents":[{"ph":"M","pid":1}]})"},
    {rule::no_trace_events, "{}", R"({"traceEvents":[]})"},
    {rule::no_trace_events, R"({"traceEvents":{}})", R"({"traceEvents":[]})"},
    {rule::no_trace_events, R"({"traceEvents":"[]"})", R"({"traceEvents":[]})"},
    {rule::display_time_unit, R"({"displayTimeUnit":1,"traceEvents":[]})",
     R"({"displayTimeUnit":"ns","traceEvents":[]})"},
    {rule::display_time_unit, R"({"traceEvents":[],"displayTimeUnit":{}})",
     R"({"traceEvents":[],"displayTimeUnit":"ms","otherData":{"displayTimeUnit":1}})"},
    {rule::big_integer, R"({"clock":9007199254740993,"traceEvents":[]})",
     R"({"clock":"9007199254740993","traceEvents":[]})"},
};

// Events beside the names of their tracks; `event` counts from the first of them.
struct event_example {
  rule broken;
  std::string bad, good;
  std::size_t event = 0;
};

std::string args(const std::string& text) { return on_thread('X', R"("ts":1,"dur":1,"args":{)" + text + '}'); }
std::string counter(const std::string& rest) { return on_thread('C', R"("ts":1)" + rest); }
std::string counter_of(int tid, const std::string& id) {
  return R"({"ph":"C","pid":1,"tid":)" + std::to_string(tid) + R"(,"name":"a","ts":1,"id":")" + id +
         R"(","args":{"v":1}})";
}
std::string named(const std::string& what, const std::string& args) {
  return R"({"ph":"M","pid":1,"tid":10,"name":")" + what + R"(","args":{)" + args + "}}";
}
std::string async(char phase, int ts, const std::string& id, const std::string& name = "a", int pid = 1) {
  return std::string(R"({"ph":")") + phase + R"(","cat":"c","pid":)" + std::to_string(pid) + R"(,"name":")" + name +
         R"(","ts":)" + std::to_string(ts) + R"(,"id)" + id + '}';
}
std::string flow(char phase, int ts, const std::string& id, const std::string& rest = "") {
  return on_thread(phase, R"("ts":)" + std::to_string(ts) + R"(,"id":)" + id + rest);
}
const std::string enclosing = R"(,"bp":"e")";
const std::string around = slice(0, 1000) + ',' + slice(2000, 3000) + ',' + slice(4000, 5000) + ',';
std::string arrow(int from, int to, const std::string& id) {
  return around + flow('s', from, id) + ',' + flow('f', to, id, enclosing);
}
std::string end_of(char phase) { return on_thread(phase, R"("ts":2)"); }

const std::vector<event_example> event_examples = {
    // Numbers.
    {rule::non_finite, args(R"("v":NaN)"), args(R"("v":"NaN")")},
    {rule::non_finite, args(R"("v":-Infinity)"), args(R"("v":-1e308)")},
    {rule::non_finite, args(R"("v":1e999)"), args(R"("v":1e-999)")},
    {rule::big_integer, args(R"("v":9007199254740993)"), args(R"("v":9007199254740992)")},
    {rule::big_integer, args(R"("v":-99999999999999999999)"), args(R"("v":-9007199254740992)")},
    {rule::long_fraction, args(R"("v":0.1234567890123456789)"), args(R"("v":0.123456789012345678)")},
    {rule::exponent_in_time, on_thread('X', R"("ts":1e3,"dur":1)"), on_thread('X', R"("ts":1000,"dur":1)")},
    {rule::too_many_decimals, on_thread('X', R"("ts":1.0001,"dur":1)"), on_thread('X', R"("ts":1.001,"dur":1)")},
    {rule::too_many_decimals, on_thread('X', R"("ts":1,"dur":1.0000)"), on_thread('X', R"("ts":1,"dur":1.000)")},
    {rule::inexact_time, on_thread('X', R"("ts":8999999999999.999,"dur":1)"),
     on_thread('X', R"("ts":899999999999.999,"dur":1)")},
    {rule::inexact_time, on_thread('X', R"("ts":9007199254740991,"dur":1)"),
     on_thread('X', R"("ts":8999999999999999,"dur":1)")},
    // Any event.
    {rule::missing_phase, R"({"pid":1})", R"({"pid":1,"ph":"M"})"},
    {rule::missing_phase, "1", ""},
    {rule::missing_phase, R"([{"ph":"M"}])", R"({"ph":"M","pid":1})"},
    {rule::unknown_phase, on_thread('S', R"("ts":1,"id":1)"), on_thread('i', R"("ts":1,"s":"t")")},
    {rule::unknown_phase, R"({"ph":"Mx","pid":1})", R"({"ph":"M","pid":1})"},
    {rule::missing_time, on_thread('X', R"("dur":1)"), on_thread('X', R"("ts":0,"dur":1)")},
    {rule::bad_time, on_thread('X', R"("ts":"1","dur":1)"), on_thread('X', R"("ts":1,"dur":1)")},
    {rule::bad_time, on_thread('i', R"("ts":1,"s":"t","dur":null)"), on_thread('i', R"("ts":1,"s":"t","dur":0)")},
    {rule::bad_time, on_thread('i', R"("ts":1,"s":"t","tts":[])"), on_thread('i', R"("ts":1,"s":"t","tts":1)")},
    {rule::negative_time, on_thread('X', R"("ts":-0.001,"dur":1)"), on_thread('X', R"("ts":-0.000,"dur":1)")},
    {rule::negative_time, R"({"ph":"M","pid":1,"ts":-1})", R"({"ph":"M","pid":1,"ts":0})"},
    {rule::missing_duration, on_thread('X', R"("ts":1)"), on_thread('X', R"("ts":1,"dur":0)")},
    {rule::negative_duration, on_thread('X', R"("ts":1,"dur":-0.001)"), on_thread('X', R"("ts":1,"dur":0)")},
    {rule::bad_pid, R"({"ph":"M"})", R"({"ph":"M","pid":0})"},
    {rule::bad_pid, R"({"ph":"M","pid":4294967296})", R"({"ph":"M","pid":4294967295})"},
    {rule::bad_pid, R"({"ph":"M","pid":"1"})", R"({"ph":"M","pid":1})"},
    {rule::bad_tid, R"({"ph":"M","pid":1,"name":"thread_sort_index","args":{"sort_index":1}})",
     named("thread_sort_index", R"("sort_index":1)")},
    {rule::bad_tid, R"({"ph":"M","pid":1,"tid":-1,"name":"thread_sort_index","args":{"sort_index":1}})",
     R"({"ph":"M","pid":1,"tid":-1,"name":"other","args":{"sort_index":1}})"},
    {rule::bad_tid, R"({"ph":"M","pid":1,"tid":1.5,"name":"thread_sort_index","args":{"sort_index":1}})",
     R"({"ph":"M","pid":1,"tid":1.5,"name":"process_sort_index","args":{"sort_index":1}})"},
    {rule::main_thread, R"({"ph":"M","pid":1,"tid":0,"name":"thread_name","args":{"name":"w"}})",
     R"({"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"w"}})"},
    {rule::main_thread, R"({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"w"}})",
     R"({"ph":"M","pid":1,"tid":0,"name":"process_sort_index","args":{"sort_index":0}})"},
    {rule::missing_name, R"({"ph":"X","pid":1,"tid":10,"ts":1,"dur":1})", slice(1, 2)},
    {rule::missing_name, slice(1, 2, ""), slice(1, 2, " ")},
    {rule::lost_argument, args(R"("v":null)"), args(R"("v":false)")},
    {rule::lost_argument, args(R"("v":[])"), args("")},
    {rule::lost_argument, args(R"("v":[1,{"w":null}])"), args(R"("v":[1,{"w":0}])")},
    {rule::lost_argument, on_thread('X', R"("ts":1,"dur":1,"args":[1])"), args(R"("v":[1])")},
    // Slices.
    {rule::moved, slice(0, 1001) + ',' + slice(1000, 2000), slice(0, 1000) + ',' + slice(1000, 2000), 1},
    {rule::moved, slice(5, 12) + ',' + slice(0, 10), slice(5, 10) + ',' + slice(0, 10)},
    {rule::cut, on_thread('X', R"("ts":0,"dur":10)") + ',' + on_thread('B', R"("ts":1)") + ',' + slice(20000, 20001),
     on_thread('X', R"("ts":0,"dur":10)") + ',' + on_thread('B', R"("ts":1)") + ',' + end_of('E'), 1},
    {rule::cut, on_thread('X', R"("ts":0,"dur":1.999)") + ',' + on_thread('B', R"("ts":1)") + ',' + slice(2000, 2001),
     on_thread('X', R"("ts":0,"dur":2)") + ',' + on_thread('B', R"("ts":1)") + ',' + end_of('E'), 1},
    {rule::lone_end, end_of('E'), on_thread('B', R"("ts":1)") + ',' + end_of('E')},
    {rule::unclosed_begin, on_thread('B', R"("ts":1)"), end_of('E') + ',' + on_thread('B', R"("ts":1)")},
    // Async slices.
    {rule::bad_id, R"({"ph":"b","pid":1,"name":"a","ts":1})", async('b', 1, R"(":0)") + ',' + async('e', 2, R"(":0)")},
    {rule::bad_id, async('b', 1, R"(":1.5)"), async('b', 1, R"(":"1.5")") + ',' + async('e', 2, R"(":"1.5")")},
    {rule::bad_id, flow('s', 1, R"("no hex")"), arrow(1, 2, R"("0xAB")")},
    {rule::lone_end, async('e', 2, R"(":1)"), async('e', 2, R"(":1)") + ',' + async('b', 1, R"(":1)")},
    {rule::unclosed_begin, async('b', 1, R"(":1)"), async('b', 1, R"(":1)") + ',' + async('e', 1, R"(":1)")},
    {rule::reused_id,
     async('b', 1, R"(":1)") + ',' + async('e', 2, R"(":1)") + ',' + async('b', 3, R"(":1)", "a", 2) + ',' +
         async('e', 4, R"(":1)", "a", 2),
     async('b', 1, R"(2":{"local":1})") + ',' + async('e', 2, R"(2":{"local":1})") + ',' +
         async('b', 3, R"(2":{"local":1})", "a", 2) + ',' + async('e', 4, R"(2":{"local":1})", "a", 2),
     2},
    // Instants and counters.
    {rule::instant_scope, on_thread('i', R"("ts":1)"), on_thread('i', R"("ts":1,"s":"t")")},
    {rule::instant_scope, on_thread('i', R"("ts":1,"s":"tp")"), on_thread('i', R"("ts":1,"s":"t")")},
    {rule::counter_value, counter(""), counter(R"(,"args":{"v":0})")},
    {rule::counter_value, counter(R"(,"args":{})"), counter(R"(,"args":{"v":-1.5})")},
    {rule::counter_value, counter(R"(,"args":{"v":true})"), counter(R"(,"args":{"v":1,"w":2})")},
    {rule::counter_value, counter(R"(,"args":{"v":"1"})"), counter(R"(,"args":{"v":1})")},
    {rule::counter_value, counter(R"(,"args":{"v":[1]})"), counter(R"(,"args":{"v":1})")},
    {rule::shared_counter, counter(R"(,"id":1,"args":{"v":1})") + ',' + counter(R"(,"id":2,"args":{"v":1})"),
     counter(R"(,"id":"1","args":{"v":1})") + ',' + counter(R"(,"id":"2","args":{"v":1})"), 1},
    {rule::shared_counter, counter_of(10, "1") + ',' + counter_of(11, "1"),
     counter_of(10, "1") + ',' + counter_of(11, "2"), 1},
    // Flows.
    {rule::flow_binding, around + flow('s', 0, "1") + ',' + flow('f', 2, "1"), arrow(0, 2, "1"), 4},
    {rule::flow_outside, arrow(0, 6, "1"), arrow(0, 5, "1"), 4},
    {rule::flow_outside,
     slice(0, 9000) + ',' + slice(1000, 2000) + ',' + flow('s', 3, "1") + ',' + flow('f', 4, "1", enclosing) + ',' +
         slice(4000, 5000),
     slice(0, 9000) + ',' + slice(1000, 2000) + ',' + flow('s', 2, "1") + ',' + flow('f', 4, "1", enclosing) + ',' +
         slice(4000, 5000),
     2},
    {rule::flow_unmatched, around + flow('s', 0, "1"), arrow(0, 2, "1"), 3},
    {rule::flow_unmatched, around + flow('f', 0, "1", enclosing), arrow(0, 2, "16"), 3},
    {rule::flow_unmatched, around + flow('t', 0, "1"), arrow(0, 4, "1") + ',' + flow('t', 2, "1"), 3},
    {rule::flow_backwards, arrow(4, 2, "1"), arrow(2, 4, "1"), 4},
    {rule::flow_backwards, arrow(2, 2, "1"), arrow(2, 3, "1"), 4},
    {rule::reused_id, arrow(0, 2, "16") + ',' + flow('s', 1, R"("10")"),
     arrow(0, 2, "16") + ',' + flow('s', 1, "10") + ',' + flow('f', 2, R"("a")", enclosing), 5},
    // Names.
    {rule::empty_name, named("process_name", R"("name":"")"), named("process_name", R"("name":"CTA")")},
    {rule::empty_name, named("thread_name", R"("name":1)"), named("thread_name", R"("name":"warp")")},
    {rule::empty_name, named("thread_name", ""), named("thread_name", R"("name":"warp","x":"")")},
    {rule::renamed, named("thread_name", R"("name":"x")"), named("thread_name", R"("name":"warp")")},
    {rule::renamed, named("process_name", R"("name":"x")"), named("process_labels", R"("name":"x")")},
    {rule::bad_sort_index, named("thread_sort_index", R"("sort_index":"1")"),
     named("thread_sort_index", R"("sort_index":-1)")},
    {rule::bad_sort_index, named("process_sort_index", ""), named("process_sort_index", R"("sort_index":1)")},
    {rule::unnamed_thread, R"({"ph":"X","pid":1,"tid":12,"name":"a","ts":1,"dur":1})", slice(1, 2)},
    {rule::unnamed_process, async('b', 1, R"(":1)", "a", 3) + ',' + async('e', 2, R"(":1)", "a", 3),
     async('b', 1, R"(":1)") + ',' + async('e', 2, R"(":1)")},
    {rule::unnamed_process, R"({"ph":"C","pid":3,"name":"a","ts":1,"args":{"v":1}})", counter(R"(,"args":{"v":1})")},
};

std::set<rule> rules_in(const violations& found) {
  std::set<rule> rules;
  for (const auto& one : found) rules.insert(one.broken);
  return rules;
}

void check_pair(rule broken, const std::string& bad, const std::string& good, std::size_t event) {
  INFO(broken);
  CAPTURE(bad, good);
  CHECK(check(good) == violations{});
  const auto found = check(bad);
  CHECK(rules_in(found) == std::set{broken});
  REQUIRE(!found.empty());
  CHECK(found.front().event == event);
  CHECK(found.front().text.ends_with('.'));
}

}  // namespace

TEST_CASE("a broken file is found, and its neighbour is not") {
  for (const text_example& one : text_examples) check_pair(one.broken, one.bad, one.good, one.event);
}

TEST_CASE("a broken event is found, and its neighbour is not") {
  for (const event_example& one : event_examples)
    check_pair(one.broken, file(one.bad), file(one.good), first + one.event);
}

TEST_CASE("every rule has an example and a name of its own") {
  std::set<rule> shown{rule::too_deep};  // in nesting_test.cpp
  for (const text_example& one : text_examples) shown.insert(one.broken);
  for (const event_example& one : event_examples) shown.insert(one.broken);
  std::set<std::string_view> names;
  for (const rule one : shown) names.insert(name(one));
  CHECK(names.size() == static_cast<std::size_t>(rule::unnamed_process) + 1);
  CHECK(names.count("unknown") == 0);
}
