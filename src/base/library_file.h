// The file of a shared library, looked at before any of its code runs.
#pragma once

#include <string>
#include <string_view>

namespace cantik {

// What a library is to be, as errors call it, and what stands in its file before its version.
struct LibraryKind {
  std::string_view name, with_article, mark;
};

// An error unless the file is there, whole, and a shared library for this machine. Returns the text that
// stands behind the mark in it and begins with a digit; empty where there is none.
std::string version_in_library(const std::string& path, const LibraryKind& kind);

}  // namespace cantik
