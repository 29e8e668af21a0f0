#include "serve/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "base/utf8.h"

namespace cantik::serve {
namespace {

template <class T>
void append(std::string& to, T number) {
  char text[32];
  to.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

// Bytes of the character that the text begins with; 0: none of UTF-8.
size_t character_size(std::string_view text) {
  for (size_t n = 1; n <= std::min<size_t>(text.size(), 4); ++n)
    if (is_utf8(text.substr(0, n))) return n;
  return 0;
}

template <class T>
bool append_finite(std::string& to, T number) {
  if (!std::isfinite(number)) return false;
  append(to, number);
  return true;
}

}  // namespace

std::string as_utf8(std::string_view text) {
  if (simdjson::validate_utf8(text.data(), text.size())) return std::string(text);
  std::string to;
  while (!text.empty()) {
    const size_t n = character_size(text);
    to += n == 0 ? "\uFFFD" : text.substr(0, n);
    text.remove_prefix(std::max<size_t>(n, 1));
  }
  return to;
}

void append_quoted(std::string& to, std::string_view text) {
  if (!simdjson::validate_utf8(text.data(), text.size())) return append_quoted(to, as_utf8(text));
  to += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (c == '\n') {
      to += "\\n";
    } else if (byte < 32) {
      constexpr char kDigits[] = "0123456789abcdef";
      to += "\\u00";
      to += kDigits[byte >> 4];
      to += kDigits[byte & 15];
    } else {
      to += c;
    }
  }
  to += '"';
}

void append_number(std::string& to, int64_t number) { append(to, number); }
bool append_number(std::string& to, float number) { return append_finite(to, number); }
bool append_number(std::string& to, double number) { return append_finite(to, number); }

std::string json_string(std::string_view text) {
  std::string s;
  append_quoted(s, text);
  return s;
}

}  // namespace cantik::serve
