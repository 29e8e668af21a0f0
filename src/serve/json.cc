#include "serve/json.h"

#include <charconv>
#include <cmath>
#include <simdjson.h>

namespace cantik::serve {
namespace {

template <class T>
void append(std::string& to, T number) {
  char text[32];
  to.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

template <class T>
bool append_finite(std::string& to, T number) {
  if (!std::isfinite(number)) return false;
  append(to, number);
  return true;
}

}  // namespace

void append_quoted(std::string& to, std::string_view text) {
  const bool valid = simdjson::validate_utf8(text.data(), text.size());
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
    } else if (byte >= 128 && !valid) {
      to += "\\ufffd";
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
