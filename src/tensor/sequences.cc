// Values of sequences: made of their parts and taken apart again.
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cantik/error.h>
#include <cantik/value.h>

namespace cantik {

void detail::throw_incomplete_rows(size_t sequence, size_t numbers, const Shape& sample) {
  throw value_error("sequence " + std::to_string(sequence) + " has " + std::to_string(numbers) +
                    " numbers, which do not make whole steps of shape " + sample.text());
}

namespace {

// Collects sparse rows of ones, `per_row` indices below `classes` each.
class OneHotRows {
 public:
  explicit OneHotRows(const Shape& sample) : sample_(sample), classes_(sample.empty() ? 0 : sample.back()) {
    if (sample.empty() || !sample.is_static())
      throw value_error("one-hot rows need a shape whose last axis counts the classes, not " + sample.text());
    if (sample.elements() > std::numeric_limits<int32_t>::max())
      throw value_error("one-hot rows of shape " + sample.text() + " are too wide");
    per_row_ = sample.sub(0, sample.rank() - 1).elements();
  }

  // All the rows of sequence `number`, or of a batch (-1). Returns how many.
  int64_t add(std::span<const int32_t> indices, int64_t number) {
    if (!indices.empty() && per_row_ && indices.size() % static_cast<size_t>(per_row_))
      throw value_error(name(number) + " has " + std::to_string(indices.size()) +
                        " one-hot indices, which do not make whole rows of shape " + sample_.text() +
                        ": a row has " + std::to_string(per_row_));
    int64_t place = 0;
    for (int32_t i : indices) {
      if (i != Value::kNoClass) {
        if (i < 0 || i >= classes_)
          throw value_error("Value::Create: one-hot index value (" + std::to_string(i) +
                            ") exceeds vocabulary size (" + std::to_string(classes_) + ").")
              .line("where", name(number));
        columns_->push_back(static_cast<int32_t>(place * classes_ + i));
      }
      if (++place == per_row_) place = 0, starts_->push_back(static_cast<int64_t>(columns_->size()));
    }
    return per_row_ ? static_cast<int64_t>(indices.size()) / per_row_ : 0;
  }

  Tensor tensor(DType dtype) const {
    return Tensor::csr(dtype, Shape{static_cast<int64_t>(starts_->size()) - 1} + sample_,
                       {starts_, starts_->data()}, {columns_, columns_->data()}, nullptr);
  }

 private:
  static std::string name(int64_t number) {
    return number < 0 ? "the batch" : "sequence " + std::to_string(number);
  }

  const Shape sample_;
  int64_t classes_, per_row_ = 0;
  std::shared_ptr<std::vector<int64_t>> starts_ = std::make_shared<std::vector<int64_t>>(1, 0);
  std::shared_ptr<std::vector<int32_t>> columns_ = std::make_shared<std::vector<int32_t>>();
};

}  // namespace

Value Value::sequences(Tensor rows, std::span<const int64_t> lengths) {
  auto layout = Layout::of_lengths(lengths);
  if (rows.shape().empty() || rows.shape()[0] != layout->rows())
    throw value_error("the sequences have " + std::to_string(layout->rows()) +
                      " steps together, but the tensor has the shape " + rows.shape().text())
        .remedy("give a tensor whose first axis counts the steps of all sequences");
  return {std::move(rows), std::move(layout)};
}

Value Value::sequences(const std::vector<Tensor>& list) {
  std::vector<int64_t> lengths;
  for (const Tensor& t : list) {
    if (t.shape().empty())
      throw value_error("sequence " + std::to_string(lengths.size()) +
                        " is a single number without an axis of steps")
          .remedy("give a tensor of the shape [steps, shape...]");
    lengths.push_back(t.shape()[0]);
  }
  return sequences(list.size() == 1 ? list[0] : Tensor::join_rows(list), lengths);
}

Value Value::one_hot(std::span<const int32_t> indices, const Shape& sample, DType dtype) {
  OneHotRows rows(sample);
  rows.add(indices, -1);
  return batch(rows.tensor(dtype));
}

Value Value::one_hot_sequences(const std::vector<std::vector<int32_t>>& indices, const Shape& sample,
                               DType dtype) {
  OneHotRows rows(sample);
  std::vector<int64_t> lengths;
  for (const std::vector<int32_t>& s : indices)
    lengths.push_back(rows.add(s, static_cast<int64_t>(lengths.size())));
  return sequences(rows.tensor(dtype), lengths);
}

Value Value::part(int64_t begin, int64_t end) const {
  if (!layout || begin < 0 || end < begin || end > size())
    throw value_error("a value of " + std::to_string(layout ? size() : 0) +
                      " samples or sequences has no part from " + std::to_string(begin) + " to " +
                      std::to_string(end));
  if (layout->is_batch()) return batch(data.rows(begin, end));
  const std::span<const int64_t> offsets = layout->offsets();
  std::vector<int64_t> lengths;
  lengths.reserve(static_cast<size_t>(end - begin));
  for (int64_t i = begin; i < end; ++i) lengths.push_back(layout->length(i));
  return sequences(data.rows(offsets[begin], offsets[end]), lengths);
}

Tensor Value::sequence(int64_t i) const {
  if (!layout) throw value_error("a value without a batch axis has no sequences");
  if (i < 0 || i >= size())
    throw value_error("there is no sequence " + std::to_string(i) + ": the value has " +
                      std::to_string(size()) + " sequences, counted from 0");
  if (layout->is_batch()) return data.rows(i, i + 1);
  std::span<const int64_t> offsets = layout->offsets();
  return data.rows(offsets[i], offsets[static_cast<size_t>(i) + 1]);
}

std::vector<Tensor> Value::as_sequences() const {
  std::vector<Tensor> list;
  list.reserve(static_cast<size_t>(size()));
  for (int64_t i = 0; i < size(); ++i) list.push_back(sequence(i));
  return list;
}

Tensor Value::padded() const {
  if (!layout) throw value_error("a value without a batch axis has no sequences");
  if (data.shape().rank() == 0 || data.shape()[0] != layout->rows())
    throw value_error("the value's data have the shape " + data.shape().text() + ", but its layout has " +
                      std::to_string(layout->rows()) + " rows");
  const int64_t n = size(), longest = layout->longest();
  const Shape sample = data.shape().sub(1, data.shape().rank()), all = Shape{n, longest} + sample;
  const int64_t width = sample.elements();
  if (data.storage() == Storage::csr) {
    if (longest * width > std::numeric_limits<int32_t>::max())
      throw value_error("sparse sequences of shape " + all.text() + " are too wide to be padded");
    // The entries stay where they are: a sequence's become one row, shifted by a width for each step.
    auto starts = std::make_shared<std::vector<int64_t>>(1, data.starts()[0]);
    auto columns = std::make_shared<std::vector<int32_t>>(data.columns(),
                                                          data.columns() + data.starts()[data.shape()[0]]);
    for (int64_t i = 0, row = 0; i < n; ++i) {
      for (int64_t t = 0; t < layout->length(i); ++t, ++row)
        for (int64_t k = data.starts()[row]; k < data.starts()[row + 1]; ++k)
          (*columns)[k] += static_cast<int32_t>(t * width);
      starts->push_back(data.starts()[row]);
    }
    return Tensor::csr(data.dtype(), all, {starts, starts->data()}, {columns, columns->data()},
                       {data.owner(), data.raw()});
  }
  if (data.is_sparse()) throw unsupported("row_sparse tensors cannot be padded");
  Tensor result = Tensor::zeros(data.dtype(), all);
  const size_t row = static_cast<size_t>(width) * size_of(data.dtype());
  const char* source = static_cast<const char*>(data.raw());
  for (int64_t i = 0; i < n; ++i) {
    const size_t bytes = static_cast<size_t>(layout->length(i)) * row;
    if (bytes)
      std::memcpy(static_cast<char*>(result.raw()) + static_cast<size_t>(i * longest) * row, source, bytes);
    source += bytes;
  }
  return result;
}

Tensor Value::mask() const {
  if (!layout) throw value_error("a value without a batch axis has no sequences");
  const int64_t longest = layout->longest();
  Tensor mask = Tensor::zeros(DType::int8, {size(), longest});
  for (int64_t i = 0; i < size(); ++i)
    for (int64_t t = 0; t < layout->length(i); ++t)
      mask.data<int8_t>()[i * longest + t] = t || layout->continues(i) ? 1 : 2;
  return mask;
}

}  // namespace cantik
