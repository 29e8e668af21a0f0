// Files in a zip archive, by their names. Stored and deflated ones; archives of any size.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/input_file.h"

namespace cantik {

class Archive {
 public:
  explicit Archive(const std::string& path);
  // The file of this name, with / between folders. One that is not there is an error.
  std::vector<uint8_t> read(const std::string& name) const;

  // Where its bytes lie in the archive, and how many they are when they are unpacked.
  struct Member {
    int64_t begin, end, size;
    bool is_deflated;
  };
  Member member(const std::string& name) const;
  std::vector<std::string> names() const;  // sorted

 private:
  struct Entry {
    uint64_t at = 0;  // of the header in front of its data
    uint64_t packed = 0, size = 0;
    uint16_t method = 0;
  };
  struct Directory {
    uint64_t at, bytes, entries;
  };
  [[noreturn]] void damaged(const std::string& what) const;
  std::vector<uint8_t> part(uint64_t at, uint64_t bytes) const;
  Directory directory() const;
  void read_directory(const Directory& d);

  InputFile file_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace cantik
