// Where a call stands in the program. Like std::source_location, which Clang 14 lacks with GCC's library: one
// class for all compilers, so that a program built by one finds the functions of a library built by another.
#pragma once

#include <cantik/variable.h>

namespace cantik {

// A file and a line; empty, or where current() is called.
class SourceLocation {
 public:
  constexpr SourceLocation() = default;
  // Where the call stands; as a default argument, where the function is called.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  // The file, as the compiler was given it; empty where it is not known.
  constexpr const char* file_name() const { return file_; }
  // The line, from 1; 0 where it is not known.
  constexpr int line() const { return line_; }
  // The same for OriginScope.
  operator Origin() const { return {line_ ? file_ : nullptr, line_}; }

 private:
  constexpr SourceLocation(const char* file, int line) : file_(file), line_(line) {}
  const char* file_ = "";
  int line_ = 0;
};

}  // namespace cantik
