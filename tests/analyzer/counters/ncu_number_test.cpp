// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/ncu_number.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "catch.hpp"

namespace {

using namespace iket::analysis::counters;
constexpr decimal_sign point = decimal_sign::point, comma = decimal_sign::comma;

}  // namespace

TEST_CASE("numbers with a point, grouped and not") {
  CHECK(number_of("1,980,000", point) == 1980000.0);
  CHECK(number_of("3,252.59", point) == 3252.59);
  CHECK(number_of("0.047240", point) == 0.047240);
  CHECK(number_of("-12.5", point) == -12.5);
  CHECK(number_of("+3", point) == 3.0);
  CHECK(number_of("1e-3", point) == 1e-3);
  CHECK(number_of(" 42 ", point) == 42.0);
}

TEST_CASE("numbers with a comma, grouped by what other languages use") {
  CHECK(number_of("1.234.567,5", comma) == 1234567.5);
  CHECK(number_of("0,25", comma) == 0.25);
  CHECK(number_of("1 234,5", comma) == 1234.5);
  CHECK(number_of("1\xC2\xA0"
                  "234,5",
                  comma) == 1234.5);
  CHECK(number_of("1\xE2\x80\xAF"
                  "234,5",
                  comma) == 1234.5);
  CHECK(number_of("1'234.5", point) == 1234.5);
}

TEST_CASE("instances of a metric are not its value") {
  CHECK(number_of("12 (3; 4; 5)", point) == 12.0);
  CHECK(count_of("1,200 (0x7f: 3)") == 1200U);
}

TEST_CASE("what is no number is none") {
  for (const char* const text : {"", "-", "n/a", "N/A", "nan", "inf", "-inf", "no", "1.2.3", "12abc", "(1; 2)", ",",
                                 ".", "1,5", "1,23", "1,2345", "1 5"})
    CHECK(number_of(text, point) == std::nullopt);
}

TEST_CASE("groups of two digits, as in India, stand within a number") {
  CHECK(number_of("12,34,567", point) == 1234567.0);
  CHECK(number_of("12,34,56", point) == std::nullopt);
}

TEST_CASE("counts are exact") {
  CHECK(count_of("1.200") == 1200U);
  CHECK(count_of("1.000") == 1000U);
  CHECK(count_of("1.200.000") == 1200000U);
  CHECK(count_of("1.200,00") == 1200U);
  CHECK(count_of("1 200") == 1200U);
  CHECK(count_of("18446744073709551615") == UINT64_MAX);
  CHECK(count_of("9007199254740993") == 9007199254740993U);
  CHECK(count_of("16,896") == 16896U);
  CHECK(count_of("256.000000") == 256U);
  for (const char* const text : {"", "-", "0.5", "0,5", "0.500", "12.5", "-1", "18446744073709551616"})
    CHECK(count_of(text) == std::nullopt);
}

TEST_CASE("a number tells its page's decimal sign, or does not") {
  CHECK(sign_in("1,234.5") == point);
  CHECK(sign_in("1.234,5") == comma);
  CHECK(sign_in("0,250") == comma);
  CHECK(sign_in("0.250") == point);
  CHECK(sign_in("12,5") == comma);
  CHECK(sign_in("1,980,000") == point);
  CHECK(sign_in("1.980.000") == comma);
  CHECK(sign_in("1234,567") == comma);
  CHECK(sign_in("-3.25") == point);
  for (const char* const text : {"1,234", "1.234", "12", "", "-", "(264, 1, 1)", "NVIDIA H200", "n/a"})
    CHECK(sign_in(text) == std::nullopt);
}

TEST_CASE("units lose their prefixes") {
  const auto is = [](const char* unit, const char* name, double factor) {
    const base_unit base = base_of(unit);
    return base.name == name && base.factor == factor;
  };
  CHECK(is("Kbyte", "byte", 1e3));
  CHECK(is("Mbyte", "byte", 1e6));
  CHECK(is("Gbyte/s", "byte/s", 1e9));
  CHECK(is("Kbyte/block", "byte", 1e3));
  CHECK(is("byte/block", "byte", 1));
  CHECK(is("byte/cycle", "byte/cycle", 1));
  CHECK(is("sector/us", "sector/s", 1 / 1e-6));
  CHECK(is("%/Kbyte", "%/byte", 1e-3));
  CHECK(is("inst/cycle", "inst/cycle", 1));
  CHECK(is("ns", "s", 1e-9));
  CHECK(is("us", "s", 1e-6));
  CHECK(is("usecond", "s", 1e-6));
  CHECK(is("msecond", "s", 1e-3));
  CHECK(is("second", "s", 1));
  CHECK(is("Ghz", "hz", 1e9));
  CHECK(is("hz", "hz", 1));
  CHECK(is("register/thread", "register/thread", 1));
  CHECK(is("%", "%", 1));
  CHECK(is("", "", 1));
  CHECK(is("warps", "warps", 1));
}
