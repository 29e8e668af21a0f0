// From the tensors of a request to rows: shapes are compared, numbers converted, lengths read.
#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "serve/served_model.h"

namespace cantik::serve {
namespace {

constexpr std::string_view kLengths = ":lengths";

[[noreturn]] void refuse_request(std::string text) { throw Refusal(kBadRequest, std::move(text)); }

const RequestTensor* find(const InferRequest& request, std::string_view name) {
  for (const RequestTensor& t : request.inputs)
    if (t.name == name) return &t;
  return nullptr;
}

std::string names_of(const std::vector<Port>& ports) {
  return join(ports, ", ", [](const Port& p) { return p.name; });
}

void check_names(const ServedModel& model, const InferRequest& request) {
  for (const RequestTensor& t : request.inputs) {
    const bool known = std::any_of(model.inputs().begin(), model.inputs().end(), [&](const Port& p) {
      return t.name == p.name || (p.has_sequence && t.name == p.name + std::string(kLengths));
    });
    if (!known)
      refuse_request(
          cat("the model ", model.name(), " has no input ", t.name, ": it has ", names_of(model.inputs())));
    const auto same = [&](const RequestTensor& other) { return other.name == t.name; };
    if (std::count_if(request.inputs.begin(), request.inputs.end(), same) > 1)
      refuse_request(cat("the input ", t.name, " came more than once"));
  }
}

bool is_whole_number(Datatype d) { return d < Datatype::fp16; }

std::vector<int64_t> read_lengths(const RequestTensor& t) {
  if (t.shape.size() != 1)
    refuse_request(cat(t.name, " must have the shape [batch], not ", shape_text(t.shape)));
  if (!is_whole_number(t.datatype))
    refuse_request(cat(t.name, " are whole numbers, and ", name_of(t.datatype), " came: send INT64"));
  std::vector<int32_t> narrow(static_cast<size_t>(t.shape[0]));
  if (!read_whole(t.datatype, t.data, narrow.data(), t.shape[0]))
    refuse_request(cat(t.name, " has a length that is no length: the longest one is ",
                       std::numeric_limits<int32_t>::max()));
  for (const int32_t n : narrow)
    if (n < 0) refuse_request(cat(t.name, " has a negative length, ", n));
  return {narrow.begin(), narrow.end()};
}

// How the axes of a tensor are to be read.
struct RequestAxes {
  const Port& port;
  const RequestTensor& tensor;
  bool indices;  // of a sparse input: the last axis of the sample is not there

  int sample_rank() const { return port.sample.rank() - (indices ? 1 : 0); }

  [[noreturn]] void fail() const {
    std::vector<int64_t> expected = port.shape();
    if (indices) {
      const std::string with_classes = shape_text(expected);
      expected.pop_back();
      refuse_request(cat("the input ", port.name, " is sparse: whole numbers are indices of classes, ",
                         shape_text(expected), ", and ", shape_text(tensor.shape),
                         " came; send them without the last axis, or ", name_of(datatype_of(port.dtype)),
                         " numbers, ", with_classes));
    }
    refuse_request(cat("the input ", port.name, " has the shape ", shape_text(expected), ", and ",
                       shape_text(tensor.shape), " came"));
  }

  // The sample's axes, which come last. Their product is checked here: that of all axes, which has been
  // checked, is 0 where an outer one is.
  Shape sample() const {
    const auto rank = static_cast<size_t>(sample_rank());
    if (tensor.shape.size() < rank) fail();
    Shape dims(tensor.shape.data() + tensor.shape.size() - rank, rank);
    for (int i = 0; i < sample_rank(); ++i)
      if (port.sample[i] >= 0 && port.sample[i] != dims[i]) fail();
    if (indices) dims = dims + Shape{port.sample.back()};
    count_of(port.name, {dims.begin(), dims.end()});
    return dims;
  }
};

std::vector<char> side_by_side(const FeedRows& feed, size_t row_bytes) {
  std::vector<char> rows(static_cast<size_t>(feed.rows) * row_bytes);
  feed.copy_to(rows.data(), row_bytes);
  return rows;
}

// Numbers of a sparse input: those that are not zero, row by row.
template <class T>
Tensor sparse_rows(DType dtype, const Shape& sample, int64_t rows, const T* numbers) {
  const int64_t width = sample.elements();
  auto starts = std::make_shared<std::vector<int64_t>>(1, 0);
  auto columns = std::make_shared<std::vector<int32_t>>();
  auto values = std::make_shared<std::vector<T>>();
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < width; ++c)
      if (const T v = numbers[r * width + c]; v != T(0)) {
        columns->push_back(static_cast<int32_t>(c));
        values->push_back(v);
      }
    starts->push_back(static_cast<int64_t>(columns->size()));
  }
  return Tensor::csr(dtype, Shape{rows} + sample, {starts, starts->data()}, {columns, columns->data()},
                     {values, values->data()});
}

void read_sparse(FeedRows& feed, const Port& port, const RequestTensor& t, bool indices) {
  if (indices) {
    const int64_t per_row = feed.sample.elements() / std::max<int64_t>(feed.sample.back(), 1);
    const std::vector<char> rows = side_by_side(feed, static_cast<size_t>(per_row) * size_of(t.datatype));
    feed.classes.resize(static_cast<size_t>(feed.rows * per_row));
    if (!read_whole(t.datatype, rows.data(), feed.classes.data(), feed.rows * per_row))
      refuse_request(cat("the input ", port.name, " has an index beyond 32 bits, and there are ",
                         feed.sample.back(), " classes"));
    for (const int32_t c : feed.classes)
      if (c < 0 || c >= feed.sample.back())
        refuse_request(cat("the input ", port.name, " has the index ", c, ", and there are ",
                           feed.sample.back(), " classes"));
    return;
  }
  const size_t width = static_cast<size_t>(feed.sample.elements());
  const std::vector<char> rows = side_by_side(feed, width * size_of(t.datatype));
  Tensor dense(port.dtype, Shape{feed.rows} + feed.sample);
  convert(port.name, t.datatype, rows.data(), port.dtype, dense.raw(), dense.elements());
  if (port.dtype == DType::float64)
    feed.csr = sparse_rows(port.dtype, feed.sample, feed.rows, dense.data<double>());
  else if (port.dtype == DType::float32)
    feed.csr = sparse_rows(port.dtype, feed.sample, feed.rows, dense.data<float>());
  else
    refuse_request(cat("the sparse input ", port.name, " takes indices of classes, [batch, steps]"));
}

void convert_feed(FeedRows& feed, const Port& port, const RequestTensor& t) {
  const int64_t width = feed.sample.elements();
  const std::vector<char> rows = side_by_side(feed, static_cast<size_t>(width) * size_of(t.datatype));
  feed.converted.resize(static_cast<size_t>(feed.rows * width) * cantik::size_of(port.dtype));
  convert(port.name, t.datatype, rows.data(), port.dtype, feed.converted.data(), feed.rows * width);
  feed.starts = {feed.converted.data()};
}

struct RequestReader {
  const ServedModel& model;
  PreparedRequest& to;
  int64_t most_rows;
  bool batch_known = false;

  void count_samples(const Port& port, int64_t samples) {
    if (samples < 1)
      refuse_request(cat("the input ", port.name, " has no samples: a request needs at least one"));
    if (batch_known && samples != to.samples)
      refuse_request(cat("the input ", port.name, " has ", samples, " samples, another one ", to.samples));
    batch_known = true;
    to.samples = samples;
  }

  // Sequences: [batch, steps, ...] with or without lengths, or [rows, ...] with lengths.
  void read_sequences(FeedRows& feed, const RequestAxes& axes) {
    const RequestTensor& t = axes.tensor;
    const size_t outer = t.shape.size() - static_cast<size_t>(axes.sample_rank());
    const RequestTensor* lengths = find(to.request, axes.port.name + std::string(kLengths));
    if (outer != 2 && !(outer == 1 && lengths)) axes.fail();
    const int64_t width = count_of(t.name, {t.shape.begin() + static_cast<int64_t>(outer), t.shape.end()});
    const size_t row_bytes = static_cast<size_t>(width) * size_of(t.datatype);
    const bool packed = outer == 1;
    if (lengths) {
      feed.lengths = read_lengths(*lengths);
      to.has_lengths = true;
      to.is_packed |= packed;
    } else {
      if (t.shape[0] > most_rows) too_many(axes.port, t.shape[0]);
      feed.lengths.assign(static_cast<size_t>(t.shape[0]), t.shape[1]);
    }
    count_samples(axes.port, static_cast<int64_t>(feed.lengths.size()));
    for (const int64_t n : feed.lengths) feed.rows += n;
    if (packed || !lengths) {
      const int64_t came = packed ? t.shape[0] : t.shape[0] * t.shape[1];
      if (came != feed.rows)
        refuse_request(cat("the lengths of the input ", axes.port.name, " are ", feed.rows,
                           " steps together, and ", came, " came"));
      feed.starts = {t.data};
      return;
    }
    if (t.shape[0] != to.samples)
      refuse_request(
          cat("the input ", axes.port.name, " has ", t.shape[0], " sequences and ", to.samples, " lengths"));
    for (int64_t i = 0; i < to.samples; ++i) {
      if (feed.lengths[i] > t.shape[1])
        refuse_request(cat("a length of the input ", axes.port.name, " is ", feed.lengths[i], ", and ",
                           t.shape[1], " steps came"));
      feed.starts.push_back(t.data + static_cast<size_t>(i * t.shape[1]) * row_bytes);
    }
    if (to.samples == 1) feed.starts.resize(1);
  }

  [[noreturn]] void too_many(const Port& port, int64_t rows) const {
    throw Refusal(kTooLarge,
                  cat("the input ", port.name, " has ", rows, " rows; a request has at most ", most_rows));
  }

  void read(const Port& port) {
    const RequestTensor* t = find(to.request, port.name);
    if (!t)
      refuse_request(cat("the input ", port.name, " is not in the request: the model ", model.name(),
                         " reads ", names_of(model.inputs())));
    FeedRows feed;
    // Whole numbers of a sparse input are indices of classes; other numbers are those of its rows.
    const bool indices = port.is_sparse && port.sample.rank() > 0 && is_whole_number(t->datatype);
    const RequestAxes axes{port, *t, indices};
    feed.sample = axes.sample();
    if (port.has_sequence) {
      read_sequences(feed, axes);
    } else {
      if (t->shape.size() + (indices ? 1 : 0) != port.shape().size()) axes.fail();
      feed.rows = port.has_batch ? t->shape[0] : 1;
      if (port.has_batch) count_samples(port, feed.rows);
      feed.starts = {t->data};
    }
    if (feed.rows > most_rows) too_many(port, feed.rows);
    to.rows = std::max(to.rows, feed.rows);
    if (port.is_sparse)
      read_sparse(feed, port, *t, indices);
    else if (!has_layout_of(t->datatype, port.dtype))
      convert_feed(feed, port, *t);
    if (port.sample.has_free()) to.key.insert(to.key.end(), feed.sample.begin(), feed.sample.end());
    to.feeds.push_back(std::move(feed));
  }
};

void find_outputs(const ServedModel& model, PreparedRequest& to) {
  const std::vector<Port>& ports = model.outputs();
  std::set<std::string_view> names;
  for (const AskedOutput& asked : to.request.outputs) {
    if (!names.insert(asked.name).second)
      refuse_request(cat("the output ", asked.name, " is asked for more than once"));
    const auto named = [&](std::string_view name) {
      return std::find_if(ports.begin(), ports.end(), [&](const Port& p) { return p.name == name; });
    };
    if (const auto at = named(asked.name); at != ports.end()) {
      to.outputs.push_back(static_cast<int>(at - ports.begin()));
      continue;
    }
    // Lengths come with the output they belong to.
    if (asked.name.ends_with(kLengths)) {
      const auto of = named(std::string_view(asked.name).substr(0, asked.name.size() - kLengths.size()));
      if (of != ports.end() && of->has_sequence) continue;
    }
    throw Refusal(kBadRequest, cat("the model ", model.name(), " has no output ", asked.name, ": it has ",
                                   names_of(ports)));
  }
  if (!to.outputs.empty()) return;
  for (size_t i = 0; i < ports.size(); ++i) to.outputs.push_back(static_cast<int>(i));
}

}  // namespace

PreparedRequest ServedModel::prepare(InferRequest request, int64_t most_rows) const {
  PreparedRequest prepared{.request = std::move(request)};
  check_names(*this, prepared.request);
  RequestReader reader{*this, prepared, most_rows};
  for (const Port& port : inputs_) reader.read(port);
  find_outputs(*this, prepared);
  if (prepared.request.sequence && prepared.samples != 1)
    refuse_request(
        cat("a request with a sequence_id has one sequence, [1, steps, ...]; ", prepared.samples, " came"));
  return prepared;
}

}  // namespace cantik::serve
