#include "base/json_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

void append_utf8(std::string& to, uint32_t code) {
  auto tail = [&](int shift) { to += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    to += static_cast<char>(0xe0 | (code >> 12));
    tail(6), tail(0);
  } else {
    to += static_cast<char>(0xf0 | (code >> 18));
    tail(12), tail(6), tail(0);
  }
}

}  // namespace

void JsonReader::fail(const std::string& expected) const {
  throw runtime_error(cat("the JSON text has at byte ", at_, " something else than ", expected));
}

void JsonReader::skip_spaces() {
  while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
}

bool JsonReader::take(char c) {
  skip_spaces();
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void JsonReader::expect(char c) {
  if (!take(c)) fail(cat("'", c, "'"));
}

uint32_t JsonReader::unit() {
  uint32_t code = 0;
  const size_t last = std::min(at_ + 4, text_.size());
  auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + last, code, 16);
  if (error != std::errc() || end != text_.data() + at_ + 4) fail("four hexadecimal digits");
  at_ += 4;
  return code;
}

std::string JsonReader::string() {
  expect('"');
  std::string result;
  for (;;) {
    if (at_ >= text_.size()) fail("the end of a string");
    const char c = text_[at_];
    if (static_cast<unsigned char>(c) < 0x20) fail("a character of a string");
    ++at_;
    if (c == '"') return result;
    if (c != '\\') {
      result += c;
      continue;
    }
    const char escaped = at_ < text_.size() ? text_[at_] : '\0';
    constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (const size_t i = kEscapes.find(escaped); escaped != '\0' && i != std::string_view::npos) {
      ++at_;
      result += kMeanings[i];
      continue;
    }
    if (escaped != 'u') fail("an escape sequence");
    ++at_;
    uint32_t code = unit();
    if (code >= 0xdc00 && code < 0xe000) fail("a whole character");
    if (code >= 0xd800 && code < 0xdc00) {  // the first half of one beyond 0xffff
      if (text_.substr(at_, 2) != "\\u") fail("the second half of a character");
      at_ += 2;
      const uint32_t low = unit();
      if (low < 0xdc00 || low >= 0xe000) fail("the second half of a character");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(result, code);
  }
}

int64_t JsonReader::count() {
  skip_spaces();
  int64_t n = 0;
  const char* begin = text_.data() + at_;
  auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), n);
  const bool leads_with_zero = end - begin > 1 && *begin == '0';
  if (error != std::errc() || n < 0 || *begin == '-' || leads_with_zero) fail("a whole number, at least 0");
  at_ += static_cast<size_t>(end - begin);
  return n;
}

double JsonReader::number() {
  const char first = peek();
  const std::string_view rest = text_.substr(at_);
  double n = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
  // from_chars takes words as nan, too
  if (error != std::errc() || (first != '-' && (first < '0' || first > '9')) || !std::isfinite(n))
    fail("a number");
  at_ += static_cast<size_t>(end - rest.data());
  return n;
}

bool JsonReader::truth() {
  skip_spaces();
  if (take_word("true")) return true;
  if (!take_word("false")) fail("true or false");
  return false;
}

void JsonReader::null() {
  skip_spaces();
  if (!take_word("null")) fail("null");
}

char JsonReader::peek() {
  skip_spaces();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonReader::is_whole() {
  skip_spaces();
  const size_t last = text_.find_first_not_of("-0123456789", at_);
  return last == std::string_view::npos ||
         std::string_view(".eE").find(text_[last]) == std::string_view::npos;
}

bool JsonReader::take_word(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

void JsonReader::end() {
  skip_spaces();
  if (at_ != text_.size()) fail("the end");
}

std::string json_string(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20) {
      result += "\\u00";
      result += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace cantik
