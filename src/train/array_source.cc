// Minibatches of arrays in memory: views of them, or copies in an order that is drawn for each sweep.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
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

using Ranges = std::vector<std::pair<int64_t, int64_t>>;  // of rows

// The rows of all ranges below one another.
Tensor gathered(const Tensor& t, const Ranges& ranges, int64_t rows) {
  if (t.is_sparse()) {
    std::vector<Tensor> parts;
    parts.reserve(ranges.size());
    for (auto [begin, end] : ranges) parts.push_back(t.rows(begin, end));
    return Tensor::join_rows(parts);
  }
  Shape shape = t.shape();
  shape[0] = rows;
  Tensor result(t.dtype(), shape);
  const size_t row = t.shape()[0] > 0 ? t.bytes() / static_cast<size_t>(t.shape()[0]) : 0;
  const auto* from = static_cast<const char*>(t.raw());
  auto* to = static_cast<char*>(result.raw());
  for (auto [begin, end] : ranges) {
    const size_t bytes = static_cast<size_t>(end - begin) * row;
    if (bytes > 0) std::memcpy(to, from + static_cast<size_t>(begin) * row, bytes);
    to += bytes;
  }
  return result;
}

// Pseudo-random numbers of a sweep: those of one sweep say nothing of those of the next.
std::mt19937_64 random_of(uint64_t seed, int64_t sweep) {
  std::seed_seq words{seed & 0xffffffffU, seed >> 32, static_cast<uint64_t>(sweep) & 0xffffffffU,
                      static_cast<uint64_t>(sweep) >> 32};
  return std::mt19937_64(words);
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

void ArraySource::shuffle(uint64_t seed) {
  seed_ = seed;
  ordered_ = -1;
}

// Fisher and Yates; std::shuffle differs from library to library.
void ArraySource::order_sweep() {
  const int64_t sweep = total_ / rows_;
  if (!seed_ || ordered_ == sweep) return;
  order_.resize(static_cast<size_t>(rows_));
  std::iota(order_.begin(), order_.end(), int64_t{0});
  std::mt19937_64 random = random_of(*seed_, sweep);
  for (size_t i = order_.size() - 1; i > 0; --i) std::swap(order_[i], order_[random() % (i + 1)]);
  ordered_ = sweep;
}

int64_t ArraySource::sample(int64_t place) const { return seed_ ? order_[place] : place; }

// So many samples or sequences from a place of the sweep on; of several workers each has every so many.
Value ArraySource::part(const Value& v, int64_t begin, int64_t count) const {
  const bool is_batch = v.layout->is_batch();
  if (!seed_ && share().workers == 1)
    return is_batch ? Value(v.data.rows(begin, begin + count), layout_) : v.part(begin, begin + count);
  Ranges ranges;
  std::vector<int64_t> lengths;
  std::span<const int64_t> offsets = v.layout->offsets();
  int64_t rows = 0;
  for (int64_t place = begin + share().rank; place < begin + count; place += share().workers) {
    const auto i = static_cast<size_t>(sample(place));
    const int64_t first = is_batch ? static_cast<int64_t>(i) : offsets[i];
    const int64_t length = is_batch ? 1 : offsets[i + 1] - offsets[i];
    ranges.emplace_back(first, first + length);
    lengths.push_back(length);
    rows += length;
  }
  Tensor data = gathered(v.data, ranges, rows);
  return is_batch ? Value(std::move(data), layout_) : Value::sequences(std::move(data), lengths);
}

// How many come next.
int64_t ArraySource::count(int64_t samples) const {
  int64_t most = std::min({samples, rows_ - cursor_, max_samples_ - total_});
  if (!has_sequences_ || most <= 0) return most;
  most = std::min(rows_ - cursor_, max_samples_ - total_);  // those without a step cost nothing
  for (int64_t n = 0, steps = 0; n < most; ++n) {
    int64_t longest = 0;
    for (const auto& [variable, value] : data_)
      longest = std::max(longest, value.layout->length(sample(cursor_ + n)));
    steps += longest;
    if (n > 0 && steps > samples) return n;
  }
  return most;
}

void FeedSource::set_share(const WorkerShare& share) {
  if (share.workers < 1 || share.rank < 0 || share.rank >= share.workers)
    throw value_error(cat("there is no worker ", share.rank, " of ", share.workers));
  share_ = share;
}

std::optional<FeedMinibatch> ArraySource::next(int64_t samples) {
  order_sweep();
  const int64_t n = count(samples);
  if (n <= 0) return {};
  const bool has_share = share().rank < n;
  const int64_t own = has_share ? (n - share().rank + share().workers - 1) / share().workers : 0;
  if (!layout_ || layout_->rows() != own) layout_ = Layout::batch(own);
  FeedMinibatch m;
  if (has_share) {
    m.feeds.reserve(data_.size());
    for (const auto& [variable, value] : data_) m.feeds.emplace_back(variable, part(value, cursor_, n));
  }
  cursor_ += n;
  total_ += n;
  m.sweep_end = cursor_ == rows_;
  if (m.sweep_end) cursor_ = 0;
  return m;
}

Dictionary ArraySource::state() const {
  Dictionary d{{"cursor", static_cast<uint64_t>(cursor_)},
               {"total_num_samples", static_cast<uint64_t>(total_)}};
  if (seed_) d["shuffle_seed"] = *seed_;
  return d;
}

void ArraySource::restore(const Dictionary& d) {
  int64_t cursor = count_in(d, "cursor"), total = count_in(d, "total_num_samples");
  if (cursor >= rows_)
    throw runtime_error(cat("the checkpoint stopped at sample ", cursor, " of a sweep, but the arrays have ",
                            rows_, " samples"))
        .remedy("restore with the data of the training that was saved");
  const DictionaryValue* seed = d.find("shuffle_seed");
  if ((seed != nullptr) != seed_.has_value())
    throw runtime_error(seed ? "the checkpoint stopped in shuffled data, and the data are not shuffled"
                             : "the checkpoint stopped in data in their order, and the data are shuffled")
        .remedy("restore with the data of the training that was saved");
  if (seed) shuffle(seed->as<uint64_t>());
  cursor_ = cursor;
  total_ = total;
}

}  // namespace cantik
