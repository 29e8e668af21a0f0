#include <cantik/value.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {

std::string Type::text() const {
  std::string s(name_of(dtype));
  s += "[";
  bool first = true;
  auto add = [&](const std::string& part) {
    if (!first) s += ", ";
    first = false;
    s += part;
  };
  if (!axes.is_known()) add("???");
  for (int i = 0; i < axes.size(); ++i)
    add(axes[i] == Axis::batch() ? "#" : axes[i] == Axis::sequence() ? "*" : axes[i].name());
  if (!shape.is_known()) add("???");
  for (int64_t d : shape) add(d == kInferred ? "?" : d == kFree ? "*" : std::to_string(d));
  return s + "]" +
         (storage == Storage::csr          ? " sparse"
          : storage == Storage::row_sparse ? " row-sparse"
                                           : "");
}

std::shared_ptr<const Layout> Layout::batch(int64_t samples) {
  if (samples < 0) throw value_error("a batch cannot have " + std::to_string(samples) + " samples");
  auto l = std::make_shared<Layout>();
  l->sequences_ = l->rows_ = samples;
  return l;
}

std::shared_ptr<const Layout> Layout::of_lengths(std::span<const int64_t> lengths) {
  auto l = std::make_shared<Layout>();
  l->sequences_ = static_cast<int64_t>(lengths.size());
  l->offsets_.reserve(lengths.size() + 1);
  l->offsets_.push_back(0);
  for (int64_t n : lengths) {
    if (n < 0) throw value_error("the length of a sequence must not be negative");
    if (n > std::numeric_limits<int64_t>::max() - l->rows_)
      throw value_error("the sequences have more steps than can be counted");
    l->offsets_.push_back(l->rows_ += n);
  }
  return l;
}

std::shared_ptr<const Layout> Layout::of_parts(std::span<const int64_t> lengths,
                                               std::span<const int32_t> continues) {
  if (continues.size() != lengths.size())
    throw value_error("Layout::of_parts needs one entry of `continues` for each of the " +
                      std::to_string(lengths.size()) + " lengths, and was given " +
                      std::to_string(continues.size()));
  for (const int32_t from : continues)
    if (from < -1)
      throw value_error(cat("Layout::of_parts: a sequence goes on with sequence ", from))
          .remedy("name a sequence of the last minibatch, counted from 0, or give -1 where one begins");
  auto l = std::const_pointer_cast<Layout>(of_lengths(lengths));
  l->continues_.assign(continues.begin(), continues.end());
  return l;
}

bool Layout::has_lengths_of(const Layout& other) const {
  if (this == &other) return true;
  if (sequences_ != other.sequences_ || rows_ != other.rows_) return false;
  if (is_batch() == other.is_batch()) return offsets_ == other.offsets_;
  return longest() <= 1 && other.longest() <= 1;  // as many rows as sequences, none of which has two
}

int64_t Layout::longest() const {
  if (is_batch()) return sequences_ ? 1 : 0;
  int64_t n = 0;
  for (int64_t i = 0; i < sequences_; ++i) n = std::max(n, length(i));
  return n;
}

void Layout::throw_no_sequence(int64_t sequence) const {
  throw value_error("there is no sequence " + std::to_string(sequence) + ": the layout has " +
                    std::to_string(sequences_) + " sequences, counted from 0");
}

void Value::throw_other_rows() const {
  throw value_error("the layout has " + std::to_string(layout->rows()) +
                    " rows, but the tensor has the shape " + data.shape().text())
      .remedy("give a tensor whose first axis counts the rows");
}

Value Value::batch(Tensor data) {
  if (data.shape().empty()) throw value_error("a batch needs a first axis that counts the samples");
  auto layout = Layout::batch(data.shape()[0]);
  return {std::move(data), std::move(layout)};
}

}  // namespace cantik
