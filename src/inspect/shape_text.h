// Shapes as a user reads them.
#pragma once

#include <string>

#include <cantik/shape.h>

namespace cantik {

// "3 x ? x *"; empty of a number, one question mark where not even the rank is known.
inline std::string shape_text(const Shape& s) {
  if (!s.is_known()) return "?";
  const std::string text = s.text(" x ");
  return text.substr(1, text.size() - 2);
}

}  // namespace cantik
