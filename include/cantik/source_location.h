// Where a call stands in the program: std::source_location, or the same for Clang 14 with GCC's library, which has none.
#pragma once

#include <source_location>

#include <cantik/variable.h>

namespace cantik {

#ifdef __cpp_lib_source_location
using SourceLocation = std::source_location;
#else
class SourceLocation {
 public:
  constexpr SourceLocation() = default;
  static constexpr SourceLocation current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
  constexpr const char* file_name() const { return file_; }
  constexpr int line() const { return line_; }
  operator Origin() const { return {file_, line_}; }

 private:
  constexpr SourceLocation(const char* file, int line) : file_(file), line_(line) {}
  const char* file_ = "";
  int line_ = 0;
};
#endif

}  // namespace cantik
