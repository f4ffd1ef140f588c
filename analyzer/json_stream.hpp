// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Writes JSON of any size through a small buffer.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "json_text.hpp"

namespace iket::analysis {

/// Takes bytes in order; may throw.
using byte_sink = std::function<void(const void* data, std::size_t size)>;

/// Puts the commas; whoever calls puts keys and values in an order that makes JSON.
class json_stream {
 public:
  explicit json_stream(byte_sink sink) : sink_(std::move(sink)) { buffer_.reserve(2 * buffer_bytes); }

  json_stream& begin_object() { return begin('{'); }
  json_stream& end_object() { return end('}'); }
  json_stream& begin_array() { return begin('['); }
  json_stream& end_array() { return end(']'); }

  /// `name` is plain ASCII that needs no escapes.
  json_stream& key(std::string_view name) {
    separate();
    buffer_.append(1, '"').append(name).append("\":");
    needs_comma_ = false;
    return *this;
  }

  /// JSON text that is ready.
  json_stream& ready(std::string_view text) {
    separate();
    buffer_.append(text);
    return *this;
  }

  json_stream& string(std::string_view text) {
    separate();
    append_json_string(buffer_, text);
    return *this;
  }

  template <std::integral Integer>
  json_stream& integer(Integer value) {
    separate();
    if constexpr (std::is_signed_v<Integer>)
      append_json_integer(buffer_, std::int64_t{value});
    else
      append_json_integer(buffer_, std::uint64_t{value});
    return *this;
  }

  template <std::floating_point Real>
  json_stream& real(Real value) {
    separate();
    append_json_real(buffer_, value);
    return *this;
  }

  /// Nanoseconds as microseconds with three decimals: what Chrome traces count in, without a double on the way.
  json_stream& microseconds(std::int64_t ns) {
    separate();
    append_digits(buffer_, ns / 1000);
    const auto thousandth = static_cast<int>(ns % 1000);
    const char digits[] = {'.', static_cast<char>('0' + thousandth / 100),
                           static_cast<char>('0' + thousandth / 10 % 10), static_cast<char>('0' + thousandth % 10)};
    buffer_.append(digits, sizeof(digits));
    return *this;
  }

  /// Puts the next element on a line of its own.
  json_stream& line() {
    on_new_line_ = true;
    return *this;
  }

  /// Hands over what is still in the buffer.
  void finish() {
    buffer_ += '\n';
    flush();
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

  json_stream& begin(char bracket) {
    separate();
    buffer_ += bracket;
    needs_comma_ = false;
    return *this;
  }

  json_stream& end(char bracket) {
    if (std::exchange(on_new_line_, false)) buffer_ += '\n';
    buffer_ += bracket;
    needs_comma_ = true;
    if (buffer_.size() >= buffer_bytes) flush();
    return *this;
  }

  void separate() {
    if (needs_comma_) buffer_ += ',';
    if (std::exchange(on_new_line_, false)) buffer_ += '\n';
    needs_comma_ = true;
  }

  void flush() {
    sink_(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

  byte_sink sink_;
  std::string buffer_;
  bool needs_comma_ = false;
  bool on_new_line_ = false;
};

}  // namespace iket::analysis
