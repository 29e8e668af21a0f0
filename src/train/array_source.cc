// Minibatches of arrays in memory: views, no copies.
#include <algorithm>

#include <cantik/error.h>
#include <cantik/train.h>

#include "base/text.h"
#include "learners/state.h"

namespace cantik {

ArraySource::ArraySource(Arrays arrays, int64_t max_samples) : arrays_(std::move(arrays)), max_samples_(max_samples) {
  if (arrays_.empty()) throw value_error("a source without arrays");
  for (const auto& [variable, tensor] : arrays_) {
    if (!variable || !tensor.defined() || tensor.shape().empty()) throw value_error("a source's arrays need an input each, and a first axis that counts the samples");
    if (tensor.shape()[0] != arrays_[0].second.shape()[0])
      throw type_error("all data items must have the same first dimension")
          .line("node", cat(arrays_[0].first.text(), " got ", arrays_[0].second.shape()[0], " samples, ", variable.text(), " got ", tensor.shape()[0]));
  }
  rows_ = arrays_[0].second.shape()[0];
  if (rows_ == 0) throw value_error("data is empty");
}

bool ArraySource::next(int64_t samples, Feeds& feeds, bool& sweep_end) {
  int64_t n = std::min({samples, rows_ - cursor_, max_samples_ - total_});
  if (n <= 0) return false;
  if (!layout_ || layout_->rows() != n) layout_ = Layout::batch(n);
  if (feeds.size() != arrays_.size()) {
    feeds.clear();
    for (const auto& [variable, tensor] : arrays_) feeds.emplace_back(variable, Value());
  }
  for (size_t i = 0; i < arrays_.size(); ++i) {
    feeds[i].second.data = arrays_[i].second.rows(cursor_, cursor_ + n);
    feeds[i].second.layout = layout_;
  }
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
  if (cursor >= rows_) throw runtime_error(cat("the checkpoint stopped at sample ", cursor, " of a sweep, the arrays have ", rows_)).remedy("restore with the same data");
  cursor_ = cursor;
  total_ = total;
}

}  // namespace cantik
