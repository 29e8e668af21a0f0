// SequenceIndex: what is known of the sequences of data before they are read, chunk after chunk, in a few
// bytes each. Files of some gigabytes have millions of sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cantik/api.h>
#include <cantik/packed_numbers.h>

namespace cantik {

// What is known of a sequence before it is read.
struct SequenceInfo {
  uint64_t key = 0;      // joins the sequences of several deserializers
  int64_t samples = 0;   // as minibatches count them
  int32_t chunk = 0;     // where it is
  int32_t in_chunk = 0;  // its place there
};

// A list of them, to which sequences are added in their order:
//
//   SequenceIndex index;
//   for (int32_t chunk = 0; chunk < 10; ++chunk)
//     for (int32_t i = 0; i < 100; ++i) index.push_back({index.size(), 1, chunk, i});
class CANTIK_API SequenceIndex {
 public:
  // The next sequence: in the chunk of the last one or in a later one, numbered from 0 in its chunk, with 1
  // to 2^32 - 1 samples. Any other one is a ValueError, and so is one more than 2^31 - 1.
  void push_back(const SequenceInfo& info);
  // No more will come: gives back memory that was kept for more.
  void shrink_to_fit();

  size_t size() const { return samples_.size(); }
  bool empty() const { return samples_.empty(); }
  SequenceInfo operator[](size_t i) const { return info(i, chunk_of(i)); }
  // What is known of sequence i, one by one.
  int64_t samples(size_t i) const { return samples_[i]; }
  // The samples of the first n sequences.
  int64_t samples_before(size_t n) const { return samples_.sum_of(n); }
  // How many of the first sequences have at least so many samples together; all of them where they have less.
  size_t count_up_to(int64_t samples) const;
  // See SequenceInfo.
  uint64_t key(size_t i) const { return static_cast<uint64_t>(keys_[i]) + i; }
  // The chunk of sequence i, in time that grows with the logarithm of the number of chunks.
  int32_t chunk_of(size_t i) const;
  // How many chunks there are up to that of the last sequence.
  int64_t chunks() const { return static_cast<int64_t>(firsts_.size()); }
  // The numbers of a chunk's sequences: from first up to last, without it.
  struct Range {
    size_t first = 0, last = 0;  // from the first to before the last
    size_t size() const { return last - first; }
  };
  // Those of a chunk; none where it has none.
  Range of_chunk(int64_t chunk) const {
    const size_t c = static_cast<size_t>(chunk), chunks = firsts_.size();
    if (c >= chunks) return {size(), size()};
    return {firsts_[c], c + 1 < chunks ? firsts_[c + 1] : size()};
  }
  // Sequence i will be asked for soon: it is fetched into the processor's cache.
  void expect(size_t i) const {
    samples_.expect(i);
    keys_.expect(i);
  }
  // The memory that it takes.
  size_t bytes() const;

  // What a file keeps of an index.
  struct Parts {
    PackedNumbers::Parts samples = {}, keys = {};  // keys without the numbers of their sequences
    std::vector<uint32_t> firsts = {};             // of each chunk: its first sequence
  };
  // The index as a file keeps it.
  Parts parts() const { return {samples_.parts(), keys_.parts(), firsts_}; }
  // An index of what was kept; false, and an empty one, where the parts do not fit each other.
  bool assign(Parts parts);

  // Goes from one sequence to the next.
  class Iterator {
   public:
    // At sequence `at`, which is of `chunk`.
    Iterator(const SequenceIndex& index, size_t at, int32_t chunk) : index_(&index), at_(at), chunk_(chunk) {}
    SequenceInfo operator*() const { return index_->info(at_, chunk_); }
    // The next sequence, which may be of a later chunk.
    Iterator& operator++() {
      ++at_;
      while (at_ < index_->size() && at_ >= index_->of_chunk(chunk_).last) ++chunk_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const SequenceIndex* index_;
    size_t at_;
    int32_t chunk_;
  };
  Iterator begin() const { return {*this, 0, empty() ? 0 : chunk_of(0)}; }
  Iterator end() const { return {*this, size(), 0}; }

 private:
  SequenceInfo info(size_t i, int32_t chunk) const {
    const size_t first = firsts_[static_cast<size_t>(chunk)];
    return {key(i), samples(i), chunk, static_cast<int32_t>(i - first)};
  }

  std::vector<uint32_t> firsts_;  // of each chunk: its first sequence
  PackedNumbers samples_;
  PackedNumbers keys_;  // key - number of the sequence
};

}  // namespace cantik
