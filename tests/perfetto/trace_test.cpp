// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT

// Whole traces: what is counted, where a file may be cut, async slices in random order.

#include <random>

#include "catch.hpp"
#include "rules.hpp"
#include "trace_text.hpp"

using iket::perfetto::check;
using iket::perfetto::rule;
using iket::perfetto::statistics;
using trace_text::file;
using trace_text::on_thread;
using trace_text::slice;

namespace {

std::string async(char phase, int ts, const std::string& name, const std::string& category = "c") {
  return std::string(R"({"ph":")") + phase + R"(","cat":")" + category + R"(","pid":1,"id":7,"name":")" + name +
         R"(","ts":)" + std::to_string(ts) + '}';
}

const std::string rich = [] {
  std::string events = slice(0, 9000) + ',' + slice(1000, 2000) + ',' + slice(2000, 2000);
  events += ',' + on_thread('B', R"("ts":10,"args":{"payload":[1,{"x":"9007199254740993"}]})");
  events += ',' + on_thread('E', R"("ts":11)");
  events += ',' + on_thread('i', R"("ts":4,"s":"t")");
  events += R"(,{"ph":"C","pid":2,"name":"q","ts":1,"args":{"v":1,"w":2.5}})";
  events += ',' + async('b', 1, "a") + ',' + async('b', 2, "b") + ',' + async('e', 3, "b") + ',' + async('e', 4, "a");
  events += ',' + on_thread('s', R"("ts":1.5,"id":1)") + ',' + on_thread('f', R"("ts":10.5,"id":1,"bp":"e")");
  return file(events);
}();

}  // namespace

TEST_CASE("nothing is lost from the counts") {
  statistics counts;
  CHECK(check(rich, &counts).empty());
  CHECK(counts.events == trace_text::name_events + 13);
  CHECK(counts.slices == 4);
  CHECK(counts.instants == 1);
  CHECK(counts.async_pairs == 2);
  CHECK(counts.counters == 2);
  CHECK(counts.flows == 1);
  CHECK(counts.threads == 1);
  CHECK(counts.processes == 2);
  CHECK(counts.max_depth == 2);
}

TEST_CASE("what the importer drops is not counted") {
  statistics counts;
  (void)check(file(slice(0, 10) + ',' + slice(5, 15) + ',' + on_thread('X', R"("ts":-1,"dur":1)") + ',' +
                   on_thread('B', R"("ts":9)") + ',' + async('e', 1, "a")),
              &counts);
  CHECK(counts.slices == 1);
  CHECK(counts.async_pairs == 0);
}

TEST_CASE("a file that ends early anywhere is found") {
  for (std::size_t length = 0; length < rich.size(); ++length) {
    CAPTURE(length);
    REQUIRE(!check(rich.substr(0, length)).empty());
  }
}

TEST_CASE("what follows a syntax error is not guessed at, what precedes it is still checked") {
  const auto found = check(file(slice(0, 10) + ',' + slice(5, 15) + ",{]"));
  REQUIRE(found.size() == 2);
  CHECK(found[0].broken == rule::moved);
  CHECK(found[1].broken == rule::malformed);
  CHECK(found[1].event == trace_text::name_events + 2);
}

TEST_CASE("violations come in the order of their events") {
  const auto found = check("\n" + file(R"({"ph":"Q","pid":1},{"pid":1},)" + on_thread('X', R"("ts":1)")));
  REQUIRE(found.size() == 4);
  CHECK(found[0].broken == rule::leading_blank);
  CHECK(found[1].broken == rule::unknown_phase);
  CHECK(found[2].broken == rule::missing_phase);
  CHECK(found[3].broken == rule::missing_duration);
}

TEST_CASE("async slices of one id nest by name, and crossed names are cut") {
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> open;
    std::vector<std::pair<char, std::string>> steps;
    for (int next = 0; next < 8 || !open.empty();) {
      if (next < 8 && (open.empty() || random() % 2 == 0)) {
        open.push_back("n" + std::to_string(next++));
        steps.emplace_back('b', open.back());
      } else {
        steps.emplace_back('e', open.back());
        open.pop_back();
      }
    }
    const auto text = [&] {
      std::string events;
      for (std::size_t at = 0; at < steps.size(); ++at)
        events += (at == 0 ? "" : ",") + async(steps[at].first, static_cast<int>(at), steps[at].second);
      return file(events);
    };
    statistics counts;
    REQUIRE(check(text(), &counts).empty());
    REQUIRE(counts.async_pairs == 8);

    // Two neighbouring ends in the wrong order are crossed names.
    for (std::size_t at = 1; at < steps.size(); ++at) {
      if (steps[at - 1].first != 'e' || steps[at].first != 'e') continue;
      std::swap(steps[at - 1], steps[at]);
      REQUIRE(contains(check(text()), rule::cut));
      break;
    }
  }
}

TEST_CASE("a begin and an end at one time count in file order") {
  CHECK(check(file(async('b', 1, "a") + ',' + async('e', 1, "a"))).empty());
  const auto found = check(file(async('e', 1, "a") + ',' + async('b', 1, "a")));
  CHECK(contains(found, rule::lone_end));
  CHECK(contains(found, rule::unclosed_begin));
}

TEST_CASE("async slices of two categories may share an id") {
  const std::string begins = async('b', 1, "a") + ',' + async('b', 2, "a", "d") + ',';
  CHECK(check(file(begins + async('e', 3, "a") + ',' + async('e', 4, "a", "d"))).empty());
  CHECK(contains(check(file(begins + async('e', 3, "a") + ',' + async('e', 4, "a"))), rule::lone_end));
}

TEST_CASE("id2.global is the id of the file, and id wins over both") {
  const std::string head = R"("cat":"c","pid":1,"name":"a",)";
  const std::string begin = R"({"ph":"b","ts":1,)" + head;
  const std::string end = R"({"ph":"e","ts":2,)" + head;
  for (const std::string ids : {R"("id2":{"local":1,"global":5}})", R"("id2":{"global":5,"local":1}})",
                                R"("id":5,"id2":{"global":1}})", R"("id2":{"global":1},"id":5})"}) {
    CAPTURE(ids);
    CHECK(check(file(begin + ids + ',' + end + R"("id":5})")).empty());
    CHECK(check(file(begin + ids + ',' + end + R"("id2":{"global":5}})")).empty());
    CHECK(contains(check(file(begin + ids + ',' + end + R"("id2":{"local":5}})")), rule::lone_end));
  }
}

TEST_CASE("an end closes the slice of its name and category, before slices that begin with it") {
  const std::string begin = on_thread('B', R"("ts":1,"cat":"c")");
  CHECK(contains(check(file(begin + ',' + on_thread('E', R"("ts":2,"cat":"d")"))), rule::lone_end));
  CHECK(check(file(begin + R"(,{"ph":"E","pid":1,"tid":10,"ts":2})")).empty());

  statistics counts;
  CHECK(check(file(begin + ',' + slice(2000, 3000) + ',' + on_thread('E', R"("ts":2)")), &counts).empty());
  CHECK(counts.max_depth == 1);
}

TEST_CASE("arrows of two names may share an id") {
  const auto flow = [](char phase, int ts, const std::string& name) {
    return std::string(R"({"ph":")") + phase + R"(","pid":1,"tid":10,"id":1,"bp":"e","name":")" + name + R"(","ts":)" +
           std::to_string(ts) + '}';
  };
  const std::string one = slice(0, 9000) + ',' + flow('s', 1, "a") + ',' + flow('f', 2, "a") + ',';
  statistics counts;
  CHECK(check(file(one + flow('s', 1, "b") + ',' + flow('f', 2, "b")), &counts).empty());
  CHECK(counts.flows == 2);
  CHECK(contains(check(file(one + flow('s', 1, "a") + ',' + flow('f', 2, "b"))), rule::flow_unmatched));
}

TEST_CASE("half a surrogate pair is named as such, beside not being JSON") {
  for (const char* half : {R"("\ud83d")", R"("\uDE00")"})
    CHECK(contains(check(file(std::string(R"({"ph":"M","pid":1,"name":)") + half + '}')), rule::surrogate_escape));
}

TEST_CASE("a name given at a negative time is no name") {
  const std::string name = R"({"ph":"M","pid":1,"tid":12,"ts":-1,"name":"thread_name","args":{"name":"warp"}})";
  const std::string use = R"({"ph":"X","pid":1,"tid":12,"name":"a","ts":1,"dur":1})";
  CHECK(contains(check(file(name + ',' + use)), rule::unnamed_thread));
}
