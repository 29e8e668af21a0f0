// PackedNumbers: a list of whole numbers in few bytes: numbers that stand together and are alike take one or
// two each, equal ones almost none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cantik/api.h>

namespace cantik {

// A list that grows at its end, with the sums of its beginnings. Blocks of 128 numbers share how wide they
// are above the smallest one of the block.
class CANTIK_API PackedNumbers {
 public:
  static constexpr size_t kBlock = 128;  // numbers of a block
  // A block of the list.
  struct Block {
    int64_t low = 0;     // the smallest of its numbers
    int64_t before = 0;  // the sum of all numbers in front of it
    uint64_t place = 0;  // begin() times 16, plus width()
    // Bytes of each of its numbers: 0, 1, 2, 4 or 8.
    uint64_t width() const { return place % 16; }
    // Where its bytes begin.
    uint64_t begin() const { return place / 16; }
  };

  // The next number.
  void push_back(int64_t number);
  // Gives back memory that was kept for more.
  void shrink_to_fit();

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t operator[](size_t i) const {
    if (is_constant()) return first_;
    const size_t block = i / kBlock, at = i % kBlock;
    return block < blocks_.size() ? in_block(blocks_[block], at) : open_[at];
  }
  // The sum of the first n numbers, in the time of a block's.
  int64_t sum_of(size_t n) const;
  // Number i will be asked for soon: it is fetched into the processor's cache.
  void expect(size_t i) const {
    const size_t block = i / kBlock;
    if (block < blocks_.size())
      __builtin_prefetch(bytes_.data() + blocks_[block].begin() + i % kBlock * blocks_[block].width());
  }
  // The memory that it takes.
  size_t bytes() const;

  // What a file keeps of a list: numbers that are all one, or blocks and what follows the last of them.
  struct Parts {
    size_t size = 0;                  // how many numbers
    int64_t first = 0;                // the first number
    std::vector<Block> blocks = {};   // kBlock numbers each
    std::vector<int64_t> open = {};   // what follows the last block
    std::vector<uint8_t> bytes = {};  // of the blocks' numbers
  };
  // The list as a file keeps it.
  Parts parts() const { return {size_, first_, blocks_, open_, bytes_}; }
  // A list of what was kept; false where the parts do not fit each other, or a number is not from `least` to
  // `most`. Then the list is empty.
  bool assign(Parts parts, int64_t least, int64_t most);

 private:
  bool is_constant() const { return blocks_.empty() && open_.empty(); }
  int64_t in_block(const Block& block, size_t at) const;
  int64_t sum_in_block(const Block& block, size_t count) const;
  void spread();
  void pack();

  size_t size_ = 0;
  int64_t first_ = 0;  // all numbers, while nothing is stored
  std::vector<Block> blocks_;
  std::vector<int64_t> open_;   // numbers behind the blocks
  std::vector<uint8_t> bytes_;  // of the blocks
};

}  // namespace cantik
