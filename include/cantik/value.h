// Value: rows of numbers and how they belong to samples and sequences.
//
// A minibatch of sequences is one block of rows, the steps of a sequence side by side, the sequences in the
// user's order. A Layout says where each begins. Nothing is padded: three sequences of 2, 0 and 3 steps are 5
// rows with the offsets 0 2 2 5.
//
//   Value v = Value::sequences<float>({2}, {{1, 2, 3, 4}, {}, {5, 6, 7, 8, 9, 10}});  // rows of 2 numbers
//   v.data.shape()       // [5, 2]
//   v.layout->length(2)  // 3
//   v.sequence(2)        // [3, 2]: the last three rows, where they lie
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cantik/api.h>
#include <cantik/tensor.h>
#include <cantik/type.h>

namespace cantik {

// Which rows belong to which sequence: sequence i has the rows offsets[i] .. offsets[i+1]. Immutable; shared
// by all values of one axis in one run.
class CANTIK_API Layout {
 public:
  static std::shared_ptr<const Layout> batch(int64_t samples);  // one row a sample
  // Sequences of these lengths, in steps, side by side.
  static std::shared_ptr<const Layout> of_lengths(std::span<const int64_t> lengths);
  // Parts of longer sequences: continues[i] is the sequence of the last minibatch that part i goes on with,
  // -1 where one begins.
  static std::shared_ptr<const Layout> of_parts(std::span<const int64_t> lengths,
                                                std::span<const int32_t> continues);

  // How many sequences, or samples, there are.
  int64_t sequences() const { return sequences_; }
  // How many rows there are: the sum of the lengths.
  int64_t rows() const { return rows_; }
  bool is_batch() const { return offsets_.empty(); }  // no sequence axis: row i is sample i
  // Where each sequence begins, and the end of the last one: [sequences + 1]; empty of a batch.
  std::span<const int64_t> offsets() const { return offsets_; }
  // The number of steps of a sequence. A sequence that is not there is an error.
  int64_t length(int64_t sequence) const {
    check(sequence);
    return is_batch() ? 1
                      : offsets_[static_cast<size_t>(sequence) + 1] - offsets_[static_cast<size_t>(sequence)];
  }
  int64_t longest() const;  // 0 where there are no sequences
  // all sequences are as long as one another
  bool is_even() const { return sequences_ * longest() == rows_; }
  // the sequence of the last minibatch that goes on, or -1; empty: all begin
  std::span<const int32_t> continues() const { return continues_; }
  bool has_lengths_of(const Layout& other) const;  // as many sequences, each as long
  // Whether a sequence goes on with one of the last minibatch.
  bool continues(int64_t sequence) const {
    check(sequence);
    return !continues_.empty() && continues_[static_cast<size_t>(sequence)] >= 0;
  }

 private:
  void check(int64_t sequence) const {
    if (sequence < 0 || sequence >= sequences_) throw_no_sequence(sequence);
  }
  [[noreturn]] void throw_no_sequence(int64_t sequence) const;
  int64_t sequences_ = 0, rows_ = 0;
  std::vector<int64_t> offsets_;
  std::vector<int32_t> continues_;
};

// data: [rows, shape...] where there is a batch axis, [shape...] where there is none (then layout is null).
struct CANTIK_API Value {
  Tensor data;
  // which rows are which sequence's; none: a value without a batch
  std::shared_ptr<const Layout> layout;

  Value() = default;
  // [rows, shape...]
  Value(Tensor numbers, std::shared_ptr<const Layout> rows)
      : data(std::move(numbers)), layout(std::move(rows)) {
    if (layout && data.defined() && (data.shape().empty() || data.shape()[0] != layout->rows()))
      throw_other_rows();
  }

  // A batch: the first axis counts the samples.
  static Value batch(Tensor data);
  template <class T>
  static Value batch(Shape shape, std::span<const T> numbers) {
    return batch(Tensor::of<T>(std::move(shape), numbers));
  }

  // Sequences whose rows lie side by side already: [rows, shape...]; shares the memory.
  static Value sequences(Tensor rows, std::span<const int64_t> lengths);
  // A tensor [steps, shape...] for each, dense or CSR; copied once into one block, where there is more than
  // one.
  static Value sequences(const std::vector<Tensor>& list);
  // The numbers of each sequence, step by step; `sample` is the shape of a step.
  template <class T>
  static Value sequences(const Shape& sample, const std::vector<std::vector<T>>& numbers);

  // Sparse rows with a one at each index. In a sample of shape [2, 5] each row has two indices below 5.
  // kNoClass leaves zeros.
  static constexpr int32_t kNoClass = -1;
  // a batch
  static Value one_hot(std::span<const int32_t> indices, const Shape& sample, DType dtype = DType::float32);
  // The same for sequences: a list of indices for each.
  static Value one_hot_sequences(const std::vector<std::vector<int32_t>>& indices, const Shape& sample,
                                 DType dtype = DType::float32);

  // How many rows the data have; 1 without a batch axis.
  int64_t rows() const { return layout ? layout->rows() : 1; }
  int64_t size() const { return layout ? layout->sequences() : 1; }  // samples or sequences

  // The samples or sequences begin .. end as a value of their own; shares the memory.
  Value part(int64_t begin, int64_t end) const;
  // Taken apart again: views of the block, [steps, shape...]. A sample of a batch is one step.
  Tensor sequence(int64_t i) const;
  // Every sequence as sequence(i) gives it.
  std::vector<Tensor> as_sequences() const;

  // For readers that want a rectangle: copies, [sequences, longest, shape...], zeros behind the end of a
  // sequence (sparse rows: one for each sequence)
  Tensor padded() const;
  // and int8 [sequences, longest]: 2 where a sequence begins, 1 where it goes on, 0 behind its end.
  Tensor mask() const;

 private:
  [[noreturn]] void throw_other_rows() const;
};

namespace detail {
[[noreturn]] CANTIK_API void throw_incomplete_rows(size_t sequence, size_t numbers, const Shape& sample);
}

template <class T>
Value Value::sequences(const Shape& sample, const std::vector<std::vector<T>>& numbers) {
  size_t width = static_cast<size_t>(sample.elements());
  std::vector<int64_t> lengths;
  int64_t rows = 0;
  for (const std::vector<T>& s : numbers) {
    if (width == 0 || s.size() % width) detail::throw_incomplete_rows(lengths.size(), s.size(), sample);
    lengths.push_back(static_cast<int64_t>(s.size() / width));
    rows += lengths.back();
  }
  Tensor block(dtype_of<T>, Shape{rows} + sample);
  T* at = block.data<T>();
  for (const std::vector<T>& s : numbers) at = std::copy(s.begin(), s.end(), at);
  return sequences(std::move(block), lengths);
}

}  // namespace cantik
