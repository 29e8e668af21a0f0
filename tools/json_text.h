// Writing JSON: what programs that dump the registries have in common.
#pragma once

#include <cstdio>
#include <string>

namespace cantik::json {

inline std::string quoted(const std::string& s) {
  std::string q = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') q += '\\';
    if (c == '\n')
      q += "\\n";
    else
      q += c;
  }
  return q + "\"";
}

template <class List, class F>
std::string listed(const List& list, F&& f) {
  std::string s = "[";
  bool first = true;
  for (const auto& item : list) {
    s += (first ? "" : ", ") + f(item);
    first = false;
  }
  return s + "]";
}

// Infinities and NaN, which JSON has not, as texts.
inline std::string number(double d) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", d);
  return d != d || d - d != 0 ? quoted(text) : std::string(text);
}

inline std::string flag(bool b) { return b ? "true" : "false"; }

}  // namespace cantik::json
