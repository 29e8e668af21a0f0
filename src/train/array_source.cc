// Minibatches of arrays in memory: views, no copies.
#include <algorithm>
#include <span>
#include <vector>

#include <cantik/error.h>
#include <cantik/train.h>

#include "base/text.h"
#include "learners/state.h"

namespace cantik {

namespace {

Feeds values_of(const Arrays& arrays) {
  Feeds values;
  for (const auto& [variable, tensor] : arrays) {
    if (!variable || !tensor.defined() || tensor.shape().empty())
      throw value_error("each array of a source needs an input, and a first axis that counts the samples");
    values.emplace_back(variable, Value::batch(tensor));
  }
  return values;
}

// The sequences begin .. begin + count, as a value of its own.
Value part(const Value& v, int64_t begin, int64_t count) {
  std::span<const int64_t> offsets = v.layout->offsets();
  std::vector<int64_t> lengths;
  lengths.reserve(static_cast<size_t>(count));
  for (int64_t i = begin; i < begin + count; ++i) lengths.push_back(v.layout->length(i));
  return Value::sequences(
      v.data.rows(offsets[static_cast<size_t>(begin)], offsets[static_cast<size_t>(begin + count)]), lengths);
}

// The share of a worker, which is not empty: every so many of count samples or sequences, the first of them
// for worker 0.
Value share_of(const Value& v, int64_t begin, int64_t count, const WorkerShare& share) {
  std::vector<Tensor> rows;
  std::vector<int64_t> lengths;
  const bool is_batch = v.layout->is_batch();
  for (int64_t i = begin + share.rank; i < begin + count; i += share.workers) {
    rows.push_back(is_batch ? v.data.rows(i, i + 1) : part(v, i, 1).data);
    lengths.push_back(v.layout->length(i));
  }
  const Tensor all = Tensor::join_rows(rows);
  return is_batch ? Value::batch(all) : Value::sequences(all, lengths);
}

}  // namespace

ArraySource::ArraySource(const Arrays& arrays, int64_t max_samples)
    : ArraySource(values_of(arrays), max_samples) {}

ArraySource::ArraySource(Feeds data, int64_t max_samples)
    : data_(std::move(data)), max_samples_(max_samples) {
  if (data_.empty()) throw value_error("the source needs at least one array");
  if (max_samples < 0) throw value_error(cat("max_samples must not be negative, and is ", max_samples));
  for (const auto& [variable, value] : data_) {
    if (!variable || !value.data.defined() || !value.layout)
      throw value_error("each array of a source needs an input, and a first axis that counts the samples");
    if (value.size() != data_[0].second.size())
      throw type_error("all data items must have the same first dimension")
          .line("node", cat(data_[0].first.text(), " got ", data_[0].second.size(), " samples, ",
                            variable.text(), " got ", value.size()));
    has_sequences_ |= !value.layout->is_batch();
  }
  rows_ = data_[0].second.size();
  if (rows_ == 0) throw value_error("data is empty");
}

void ArraySource::end_after(int64_t sweeps) {
  max_samples_ = sweeps > kEndless / rows_ ? kEndless : sweeps * rows_;
}

// How many come next.
int64_t ArraySource::count(int64_t samples) const {
  int64_t most = std::min({samples, rows_ - cursor_, max_samples_ - total_});
  if (!has_sequences_ || most <= 0) return most;
  most = std::min(rows_ - cursor_, max_samples_ - total_);  // those without a step cost nothing
  for (int64_t n = 0, steps = 0; n < most; ++n) {
    int64_t longest = 0;
    for (const auto& [variable, value] : data_)
      longest = std::max(longest, value.layout->length(cursor_ + n));
    steps += longest;
    if (n > 0 && steps > samples) return n;
  }
  return most;
}

bool ArraySource::next(int64_t samples, Feeds& feeds, bool& sweep_end) {
  const int64_t n = count(samples);
  if (n <= 0) return false;
  if (!layout_ || layout_->rows() != n) layout_ = Layout::batch(n);
  const bool has_share = share().rank < n;
  if (feeds.size() != data_.size()) {
    feeds.clear();
    for (const auto& [variable, value] : data_) feeds.emplace_back(variable, Value());
  }
  for (size_t i = 0; has_share && i < data_.size(); ++i) {
    const Value& v = data_[i].second;
    if (share().workers > 1)
      feeds[i].second = share_of(v, cursor_, n, share());
    else
      feeds[i].second =
          v.layout->is_batch() ? Value(v.data.rows(cursor_, cursor_ + n), layout_) : part(v, cursor_, n);
  }
  if (!has_share) feeds.clear();
  cursor_ += n;
  total_ += n;
  sweep_end = cursor_ == rows_;
  if (sweep_end) cursor_ = 0;
  return true;
}

Dictionary ArraySource::state() const {
  return {{"cursor", static_cast<uint64_t>(cursor_)}, {"total_num_samples", static_cast<uint64_t>(total_)}};
}

void ArraySource::restore(const Dictionary& d) {
  int64_t cursor = count_in(d, "cursor"), total = count_in(d, "total_num_samples");
  if (cursor >= rows_)
    throw runtime_error(cat("the checkpoint stopped at sample ", cursor, " of a sweep, but the arrays have ",
                            rows_, " samples"))
        .remedy("restore with the data of the training that was saved");
  cursor_ = cursor;
  total_ = total;
}

}  // namespace cantik
