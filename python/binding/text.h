// Texts made of parts.
#pragma once

#include <sstream>
#include <string>

namespace cantik::python {

// cat("a", 1, 2.5) -> "a12.5"
template <class... T>
std::string cat(const T&... parts) {
  std::ostringstream s;
  (s << ... << parts);
  return s.str();
}

}  // namespace cantik::python
