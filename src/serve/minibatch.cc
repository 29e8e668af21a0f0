// Requests of any lengths as one minibatch without padding, and its results taken apart again.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "serve/served_model.h"

namespace cantik::serve {
namespace {

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

// Sequences as [batch, longest, ...], zeros behind the end of each; a view where all are as long.
Tensor rectangle(const Value& sequences) {
  const Shape& shape = sequences.data.shape();
  const Layout& layout = *sequences.layout;
  if (!layout.is_even()) return sequences.padded();
  return sequences.data.reshape(Shape{layout.sequences(), layout.longest()} + shape.sub(1, shape.rank()));
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
      one.copy_to(static_cast<char*>(values.back().data.raw()), values.back().data.bytes());
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
      for (const PreparedRequest* r : requests) at = r->feeds[i].copy_to(at, row_bytes);
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
    if (result.layout) result = result.part(first, first + request.samples);
    AnswerTensor output{.name = port.name, .datatype = datatype_of(result.data.dtype())};
    if (!result.layout || result.layout->is_batch()) {
      output.data = result.data;
      output.shape = dims_of(output.data.shape());
      answer.outputs.push_back(std::move(output));
      continue;
    }
    AnswerTensor lengths{
        .name = port.name + ":lengths", .datatype = Datatype::int64, .shape = {request.samples}};
    for (int64_t i = 0; i < request.samples; ++i) lengths.lengths.push_back(result.layout->length(i));
    const bool even = result.layout->is_even();
    if (!request.is_packed) result.data = rectangle(result);
    output.data = result.data;
    output.shape = dims_of(output.data.shape());
    answer.outputs.push_back(std::move(output));
    if (request.has_lengths || !even) answer.outputs.push_back(std::move(lengths));
  }
  return answer;
}

}  // namespace cantik::serve
