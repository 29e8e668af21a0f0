// The file of a shared library, looked at before any of its code runs.
#pragma once

#include <string>
#include <string_view>

namespace cantik {

// An error unless the file is there, whole, and a shared library for this machine. Returns the text that
// stands behind `mark` in it and begins with a digit; empty where there is none.
std::string text_in_library(const std::string& path, std::string_view mark);

}  // namespace cantik
