// Value: rows of numbers and how they belong to samples and sequences.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cantik/api.h>
#include <cantik/tensor.h>
#include <cantik/type.h>

namespace cantik {

// Which rows belong to which sequence. Sequences lie side by side, in the user's order: sequence i has the rows
// offsets[i] .. offsets[i+1]. Immutable; shared by all values of one axis in one run.
class CANTIK_API Layout {
 public:
  static std::shared_ptr<const Layout> batch(int64_t samples);  // one row a sample
  static std::shared_ptr<const Layout> of_lengths(std::span<const int64_t> lengths);
  // Parts of longer sequences: continues[i] is the sequence of the last minibatch that part i goes on with, -1 where one begins.
  static std::shared_ptr<const Layout> of_parts(std::span<const int64_t> lengths, std::span<const int32_t> continues);

  int64_t sequences() const { return sequences_; }
  int64_t rows() const { return rows_; }
  bool is_batch() const { return offsets_.empty(); }  // no sequence axis: row i is sample i
  std::span<const int64_t> offsets() const { return offsets_; }
  int64_t length(int64_t sequence) const { return is_batch() ? 1 : offsets_[static_cast<size_t>(sequence) + 1] - offsets_[static_cast<size_t>(sequence)]; }
  std::span<const int32_t> continues() const { return continues_; }  // the sequence of the last minibatch that goes on, or -1

 private:
  int64_t sequences_ = 0, rows_ = 0;
  std::vector<int64_t> offsets_;
  std::vector<int32_t> continues_;
};

// data: [rows, shape...] where there is a batch axis, [shape...] where there is none (then layout is null).
struct CANTIK_API Value {
  Tensor data;
  std::shared_ptr<const Layout> layout;

  Value() = default;
  Value(Tensor data, std::shared_ptr<const Layout> layout) : data(std::move(data)), layout(std::move(layout)) {}
  // A batch: the first axis counts the samples.
  static Value batch(Tensor data);
  template <class T>
  static Value batch(Shape shape, std::span<const T> numbers) { return batch(Tensor::of<T>(std::move(shape), numbers)); }

  int64_t rows() const { return layout ? layout->rows() : 1; }
};

}  // namespace cantik
