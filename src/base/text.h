// Small helpers for making texts.
#pragma once

#include <sstream>
#include <string>
#include <string_view>

namespace cantik {

// cat("a", 1, 2.5) -> "a12.5"
template <class... T>
std::string cat(const T&... parts) {
  std::ostringstream s;
  (s << ... << parts);
  return s.str();
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
