// Small helpers for making texts.
#pragma once

#include <charconv>
#include <concepts>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

namespace cantik {

namespace text_detail {

template <class T>
concept Count = std::integral<T> && sizeof(T) > 1;  // a number; one byte is a letter or a truth

template <class T>
void append(std::string& s, const T& part) {
  if constexpr (std::is_convertible_v<const T&, const char*>) {
    if (const char* text = part) s += text;
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    s += std::string_view(part);
  } else if constexpr (std::same_as<T, char>) {
    s += part;
  } else if constexpr (Count<T>) {
    char digits[24];
    s.append(digits, std::to_chars(digits, digits + sizeof digits, part).ptr);
  } else {
    std::ostringstream stream;
    stream << part;
    s += stream.str();
  }
}

}  // namespace text_detail

// cat("a", 1, 2.5) -> "a12.5". Without a stream where none is needed: making one costs more than most texts,
// and every kernel of a program has a name.
template <class... T>
std::string cat(const T&... parts) {
  std::string s;
  (text_detail::append(s, parts), ...);
  return s;
}

template <class List, class F>
std::string join(const List& list, std::string_view separator, F&& text) {
  std::string s;
  bool first = true;
  for (const auto& item : list) {
    if (!first) s += separator;
    first = false;
    s += text(item);
  }
  return s;
}

}  // namespace cantik
