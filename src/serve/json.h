// JSON texts, written part by part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cantik::serve {

// The text with U+FFFD in place of each byte that is no UTF-8.
std::string as_utf8(std::string_view text);
// Appends the text in quotes. Bytes that are no UTF-8 become U+FFFD.
void append_quoted(std::string& to, std::string_view text);
void append_number(std::string& to, int64_t number);
// The shortest text that is read as the same number. Numbers that are not finite have none: false.
bool append_number(std::string& to, float number);
bool append_number(std::string& to, double number);
// "text" in quotes
std::string json_string(std::string_view text);

}  // namespace cantik::serve
