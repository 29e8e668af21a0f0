// PrefixSums: the sums of the first 0, 1, 2, ... numbers of a list, in four bytes each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cantik {

// None of the numbers is negative. Nothing is stored as long as all of them are 1.
class PrefixSums {
 public:
  void reserve(int64_t numbers) { expected_ = numbers; }
  void add(int64_t number) {
    ++count_;
    if (number != 1 && low_.empty()) spread();
    const int64_t high = sum_ >> 32;
    sum_ += number;
    if (low_.empty()) return;
    low_.push_back(static_cast<uint32_t>(sum_));
    carries_.insert(carries_.end(), static_cast<size_t>((sum_ >> 32) - high), count_);
  }
  // How many numbers were added.
  int64_t size() const { return count_; }
  // The sum of the first `n`.
  int64_t operator[](int64_t n) const {
    if (low_.empty()) return n;
    const int64_t low = low_[static_cast<size_t>(n)];
    if (carries_.empty()) return low;
    return ((std::upper_bound(carries_.begin(), carries_.end(), n) - carries_.begin()) << 32) + low;
  }
  int64_t sum() const { return sum_; }
  void shrink_to_fit() { low_.shrink_to_fit(); }
  // How many numbers have at least this sum; all of them where they have less.
  int64_t count_up_to(int64_t sum) const {
    int64_t first = 0, last = count_;
    while (first < last) {
      const int64_t middle = first + (last - first) / 2;
      if ((*this)[middle] < sum)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }

 private:
  // So far every number was 1.
  void spread() {
    low_.reserve(static_cast<size_t>(std::max(expected_, count_) + 1));
    for (int64_t n = 0; n < count_; ++n) {
      low_.push_back(static_cast<uint32_t>(n));
      if (n > 0 && low_.back() == 0) carries_.push_back(n);
    }
  }
  int64_t count_ = 0, sum_ = 0, expected_ = 0;
  std::vector<uint32_t> low_;     // [count + 1]: sums without what is beyond 32 bits
  std::vector<int64_t> carries_;  // from these counts on the sums have 2^32 more
};

}  // namespace cantik
