// Lines of text files that list pictures: columns with a tab between them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cantik {

// A line of columns, in front of which there may be a key.
class ListLine {
 public:
  // `columns`: how many there have to be, without the key.
  ListLine(std::string_view line, int64_t number, const std::string& file, size_t columns);

  uint64_t key() const;  // a whole number and anything behind it; without one the number of the line
  std::string_view column(size_t i) const { return columns_[i + (has_key_ ? 1 : 0)]; }
  int64_t label(size_t i) const;  // a column that begins with the number of a class

 private:
  const std::string& file_;
  int64_t number_;
  bool has_key_;
  std::vector<std::string_view> columns_;
};

}  // namespace cantik
