// Reads a compressed file whole.
#pragma once

#include <stdexcept>
#include <string>

#include <zlib.h>

inline std::string read_gzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw std::runtime_error("cannot open " + path);
  std::string bytes, block(1 << 20, '\0');
  for (int n; (n = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;)
    bytes.append(block, 0, static_cast<size_t>(n));
  gzclose(file);
  return bytes;
}
