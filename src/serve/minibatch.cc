// Requests of any lengths as one minibatch without padding, and its results taken apart again.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "serve/served_model.h"

namespace cantik::serve {
namespace {

char* copy_rows(const FeedRows& feed, size_t row_bytes, char* at) {
  if (feed.starts.size() == 1) {
    const size_t n = static_cast<size_t>(feed.rows) * row_bytes;
    if (n) std::memcpy(at, feed.starts[0], n);
    return at + n;
  }
  for (size_t i = 0; i < feed.starts.size(); ++i) {
    const size_t n = static_cast<size_t>(feed.lengths[i]) * row_bytes;
    if (n) std::memcpy(at, feed.starts[i], n);
    at += n;
  }
  return at;
}

Tensor join_sparse(const Port& port, std::span<const PreparedRequest* const> requests, size_t input,
                   int64_t rows) {
  std::vector<Tensor> parts;
  std::vector<int32_t> classes;
  const Shape& sample = requests[0]->feeds[input].sample;
  const bool all_classes = std::none_of(requests.begin(), requests.end(), [&](const PreparedRequest* r) {
    return r->feeds[input].csr.defined();
  });
  for (const PreparedRequest* r : requests) {
    const FeedRows& feed = r->feeds[input];
    if (all_classes) {
      classes.insert(classes.end(), feed.classes.begin(), feed.classes.end());
      continue;
    }
    parts.push_back(feed.csr.defined() ? feed.csr : Value::one_hot(feed.classes, sample, port.dtype).data);
  }
  if (all_classes) return Value::one_hot(classes, sample, port.dtype).data.reshape(Shape{rows} + sample);
  return parts.size() == 1 ? parts[0] : Tensor::join_rows(parts);
}

// The rows of one request, [batch, longest, ...], zeros behind the end of a sequence.
Tensor padded(const Value& result, int64_t first, int64_t count, int64_t longest) {
  const Shape& shape = result.data.shape();
  const Shape sample = shape.sub(1, shape.rank());
  const size_t row_bytes = static_cast<size_t>(sample.elements()) * cantik::size_of(result.data.dtype());
  Tensor t = Tensor::zeros(result.data.dtype(), Shape{count, longest} + sample);
  const std::span<const int64_t> offsets = result.layout->offsets();
  for (int64_t i = 0; i < count; ++i) {
    const auto s = static_cast<size_t>(first + i);
    const size_t n = static_cast<size_t>(offsets[s + 1] - offsets[s]) * row_bytes;
    if (n)
      std::memcpy(static_cast<char*>(t.raw()) + static_cast<size_t>(i * longest) * row_bytes,
                  static_cast<const char*>(result.data.raw()) + static_cast<size_t>(offsets[s]) * row_bytes,
                  n);
  }
  return t;
}

std::vector<int64_t> dims_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

std::vector<Value> ServedModel::join(std::span<const PreparedRequest* const> requests) const {
  std::vector<Value> values;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Port& port = inputs_[i];
    const FeedRows& one = requests[0]->feeds[i];
    if (!port.has_batch) {
      values.push_back({Tensor(port.dtype, one.sample), nullptr});
      copy_rows(one, values.back().data.bytes(), static_cast<char*>(values.back().data.raw()));
      continue;
    }
    int64_t rows = 0;
    std::vector<int64_t> lengths;
    for (const PreparedRequest* r : requests) {
      rows += r->feeds[i].rows;
      lengths.insert(lengths.end(), r->feeds[i].lengths.begin(), r->feeds[i].lengths.end());
    }
    Tensor data;
    if (port.is_sparse) {
      data = join_sparse(port, requests, i, rows);
    } else {
      data = Tensor(port.dtype, Shape{rows} + one.sample);
      const size_t row_bytes = static_cast<size_t>(one.sample.elements()) * cantik::size_of(port.dtype);
      char* at = static_cast<char*>(data.raw());
      for (const PreparedRequest* r : requests) at = copy_rows(r->feeds[i], row_bytes, at);
    }
    // Inputs with sequences of the same lengths share one layout.
    std::shared_ptr<const Layout> layout;
    if (port.has_sequence) {
      for (size_t j = 0; j < i && !layout; ++j)
        if (inputs_[j].variable.axes() == port.variable.axes()) {
          const std::shared_ptr<const Layout>& other = values[j].layout;
          const std::shared_ptr<const Layout> mine = Layout::of_lengths(lengths);
          layout = other->has_lengths_of(*mine) ? other : mine;
        }
      if (!layout) layout = Layout::of_lengths(lengths);
    } else {
      layout = Layout::batch(rows);
    }
    values.push_back({std::move(data), std::move(layout)});
  }
  return values;
}

InferAnswer ServedModel::answer(const PreparedRequest& request, std::span<const Value> results,
                                int64_t first) const {
  InferAnswer answer{.model = name_, .version = version_, .id = request.request.id};
  for (const int place : request.outputs) {
    const Port& port = outputs_[place];
    Value result = results[place];
    if (result.data.is_sparse()) result.data = result.data.to_dense();
    AnswerTensor output{.name = port.name, .datatype = datatype_of(result.data.dtype())};
    if (!result.layout || result.layout->is_batch()) {
      output.data = result.layout ? result.data.rows(first, first + request.samples) : result.data;
      output.shape = dims_of(output.data.shape());
      answer.outputs.push_back(std::move(output));
      continue;
    }
    AnswerTensor lengths{
        .name = port.name + ":lengths", .datatype = Datatype::int64, .shape = {request.samples}};
    int64_t longest = 0;
    bool even = true;
    for (int64_t i = first; i < first + request.samples; ++i) {
      lengths.lengths.push_back(result.layout->length(i));
      longest = std::max(longest, lengths.lengths.back());
      even = even && lengths.lengths.back() == lengths.lengths[0];
    }
    const std::span<const int64_t> offsets = result.layout->offsets();
    const Tensor rows = result.data.rows(offsets[first], offsets[first + request.samples]);
    const Shape sample = rows.shape().sub(1, rows.shape().rank());
    if (request.is_packed)
      output.data = rows;
    else if (even)
      output.data = rows.reshape(Shape{request.samples, longest} + sample);
    else
      output.data = padded(result, first, request.samples, longest);
    output.shape = dims_of(output.data.shape());
    answer.outputs.push_back(std::move(output));
    if (request.has_lengths || !even) answer.outputs.push_back(std::move(lengths));
  }
  return answer;
}

}  // namespace cantik::serve
