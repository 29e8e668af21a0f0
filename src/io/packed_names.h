// Many short texts one behind the other: a hundred thousand names in little more memory than their letters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cantik {

class PackedNames {
 public:
  void add(std::string_view name) {
    letters_ += name;
    ends_.push_back(letters_.size());
  }
  std::string_view operator[](int64_t i) const {
    const uint64_t begin = i ? ends_[i - 1] : 0;
    return std::string_view(letters_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string letters_;
  std::vector<uint64_t> ends_;
};

}  // namespace cantik
