#include "binding/feeds.h"

#include <algorithm>

#include "binding/numpy.h"
#include "binding/sparse.h"

namespace cantik::python {
namespace {

Error does_not_fit(const Variable& v, const Shape& s) {
  return value_error("The trailing dimensions of the Value shape '" + s.text(" x ") + "' do not match the Variable '" + v.text() + "' shape '" + v.shape().text(" x ") + "'.");
}

Error must_be_one(const Variable& v, const Shape& s, int axis) {
  return value_error("The dimension size (" + std::to_string(s[axis]) + ") of the axis (" + std::to_string(axis) + ") of the Value ('" + s.text(" x ") +
                     "') must be 1, because this axis is not specified as a dynamic axis of the Variable ('" + v.text() + "').");
}

Error not_data() { return value_error("batch must be a list of NumPy arrays or SciPy CSR matrices"); }

// Lengths of `count` sequences of `steps` each.
std::shared_ptr<const Layout> even_layout(int64_t count, int64_t steps) {
  std::vector<int64_t> lengths(static_cast<size_t>(count), steps);
  return Layout::of_lengths(lengths);
}

bool all_single(const Layout& l) {
  for (int64_t i = 0; i < l.sequences(); ++i)
    if (l.offsets()[static_cast<size_t>(i) + 1] - l.offsets()[static_cast<size_t>(i)] != 1) return false;
  return true;
}

// One item of a list of sequences: its rows. Items without a step axis are one step.
Tensor sequence_rows(const Variable& v, nb::handle item) {
  if (is_sparse_matrix(item)) return tensor_of_csr(item, v.dtype());
  if (const Tensor* t = tensor_in(item)) {
    int lead = t->shape().rank() - v.shape().rank();
    if (lead < 0 || lead > 1) throw does_not_fit(v, t->shape());
    return lead == 1 ? *t : t->reshape(Shape{1} + t->shape());
  }
  Tensor t = tensor_of_array(array_of(item), v.dtype());
  int lead = t.shape().rank() - v.shape().rank();
  if (lead < 0 || lead > 1) throw does_not_fit(v, t.shape());
  return lead == 1 ? t : t.reshape(Shape{1} + t.shape());
}

Tensor stack(const std::vector<Tensor>& parts, DType dtype) {
  if (parts.size() == 1 && parts[0].dtype() == dtype) return parts[0];
  if (std::any_of(parts.begin(), parts.end(), [](const Tensor& t) { return t.is_sparse(); })) return join_rows(parts);
  int64_t rows = 0;
  for (const Tensor& t : parts) rows += t.shape()[0];
  Shape shape = parts[0].shape();
  shape[0] = rows;
  Tensor all(dtype, shape);
  int64_t at = 0;
  for (const Tensor& t : parts) {
    if (!(t.shape().sub(1, t.shape().rank()) == shape.sub(1, shape.rank())))
      throw value_error("the items of a list of data have different shapes, " + parts[0].shape().text() + " and " + t.shape().text());
    int64_t n = t.elements();
    copy_numbers(t.dtype(), t.raw(), dtype, static_cast<char*>(all.raw()) + static_cast<size_t>(at) * size_of(dtype), n);
    at += n;
  }
  return all;
}

// A list of sequences, or of samples that are not plain arrays.
Value value_of_list(const Variable& v, nb::handle list) {
  std::vector<Tensor> parts;
  std::vector<int64_t> lengths;
  for (nb::handle item : nb::borrow(list)) {
    parts.push_back(sequence_rows(v, item));
    lengths.push_back(parts.back().shape()[0]);
  }
  if (parts.empty()) throw value_error("an empty list of data for " + v.text());
  bool even = std::all_of(lengths.begin(), lengths.end(), [&](int64_t n) { return n == lengths[0]; });
  Tensor rows = stack(parts, v.dtype());
  if (even && !rows.is_sparse()) {
    const Shape& s = rows.shape();
    return Value(rows.reshape(Shape{static_cast<int64_t>(lengths.size()), lengths[0]} + s.sub(1, s.rank())), nullptr);
  }
  return Value(rows, Layout::of_lengths(lengths));
}

bool is_list(nb::handle h) { return PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()); }

bool holds_objects(nb::handle list) {
  for (nb::handle item : nb::borrow(list))
    if (is_sparse_matrix(item) || tensor_in(item)) return true;
  return false;
}

}  // namespace

Shape shape_of(const Value& v) {
  const Shape& s = v.data.shape();
  if (!v.layout || v.layout->is_batch()) return s;
  int64_t longest = 0;
  auto offsets = v.layout->offsets();
  for (size_t i = 0; i + 1 < offsets.size(); ++i) longest = std::max(longest, offsets[i + 1] - offsets[i]);
  return Shape{v.layout->sequences(), longest} + s.sub(1, s.rank());
}

Value fit(const Variable& v, const Value& given) {
  const Type& type = v.type();
  Tensor data = given.data;
  if (data.is_sparse() && type.storage == Storage::dense) data = data.to_dense();
  const Shape s = data.shape();
  if (given.layout && !given.layout->is_batch()) {
    if (type.axes.has_sequence()) return Value(data, given.layout);
    if (all_single(*given.layout)) return Value::batch(data);
    throw must_be_one(v, shape_of(given), 1);
  }
  int lead = s.rank() - type.shape.rank();
  if (lead < 0) throw does_not_fit(v, s);
  Shape sample = s.sub(lead, s.rank());
  int dynamic = type.axes.size();
  for (int i = dynamic; i < lead; ++i)
    if (s[i] != 1) throw must_be_one(v, s, i);
  if (dynamic == 0) return Value(lead ? data.reshape(sample) : data, nullptr);
  if (dynamic == 1) {
    if (lead == 1) return Value(data, Layout::batch(s[0]));
    int64_t rows = lead ? s[0] : 1;
    return Value(data.reshape(Shape{rows} + sample), Layout::batch(rows));
  }
  // A sequence axis: without a batch axis the data are one sequence.
  int64_t count = lead > 1 ? s[0] : 1, steps = lead > 1 ? s[1] : lead ? s[0] : 1;
  return Value(data.reshape(Shape{count * steps} + sample), even_layout(count, steps));
}

Value value_of(const Variable& v, nb::handle data, nb::handle starts, bool copy) {
  if (!starts.is_none()) {
    if (!v.axes().has_sequence()) throw value_error("you specified sequence begin markers, but your input does not contain a sequence axis.");
    if (value_in(data)) throw value_error("for directly passed Value objects sequence start markers cannot be passed");
    for (nb::handle begins : nb::borrow(starts))
      if (!nb::cast<bool>(begins)) throw unsupported("sequences that continue those of the last minibatch, see docs/status.md");
  }
  Value result;
  if (const ValueBox* box = value_in(data)) result = box->get();
  else if (const Tensor* t = tensor_in(data)) result = Value(*t, nullptr);
  else if (is_sparse_matrix(data)) result = Value(tensor_of_csr(data, v.dtype()), nullptr);
  else if (is_array(data)) result = Value(tensor_of_array(data, v.dtype()), nullptr);
  else if (is_list(data) && (v.axes().has_sequence() || holds_objects(data))) result = value_of_list(v, data);
  else if (is_list(data)) {
    Tensor t = tensor_of_array(array_of(data), v.dtype());
    int lead = t.shape().rank() - v.shape().rank();
    // A list is one of sequences: samples without a step axis are one step.
    if (v.axes().has_batch() && lead == 1) t = t.reshape(Shape{t.shape()[0], 1} + t.shape().sub(1, t.shape().rank()));
    // Numbers may be a sample by themselves, arrays in a list may not.
    if (v.axes().has_batch() && lead == 0 && PySequence_Size(data.ptr()) > 0 && is_array(nb::borrow(data)[0])) throw does_not_fit(v, t.shape());
    result = Value(t, nullptr);
  } else if (PyNumber_Check(data.ptr()) && !PyUnicode_Check(data.ptr())) {
    result = Value(tensor_of_array(array_of(data), v.dtype()), nullptr);
  } else {
    throw not_data();
  }
  if (!starts.is_none() && is_array(data) && result.data.shape().rank() == v.shape().rank() + 1) {
    const Shape& s = result.data.shape();  // with markers, each row is a sequence of one step
    result.data = result.data.reshape(Shape{s[0], 1} + s.sub(1, s.rank()));
  }
  if (copy) result.data = result.data.clone();
  return result;
}

Value feed_of(const Variable& v, nb::handle data, Kept* kept) {
  if (is_array(data)) {
    nb::object keep;
    Tensor t = tensor_of_array(data, v.dtype(), kept == nullptr, kept ? &keep : nullptr);
    if (kept) kept->push_back(std::move(keep));
    return fit(v, Value(std::move(t), nullptr));
  }
  if (PyTuple_Check(data.ptr()) && PyTuple_GET_SIZE(data.ptr()) == 2 && PyList_Check(PyTuple_GET_ITEM(data.ptr(), 1))) {
    nb::handle starts = PyTuple_GET_ITEM(data.ptr(), 1);
    bool marks = PyList_GET_SIZE(starts.ptr()) > 0;
    for (nb::handle s : nb::borrow(starts)) marks &= PyBool_Check(s.ptr()) != 0;
    if (marks) return fit(v, value_of(v, PyTuple_GET_ITEM(data.ptr(), 0), starts));
  }
  if (!value_in(data) && !tensor_in(data) && nb::hasattr(data, "end_of_sweep")) return feed_of(v, nb::borrow(data).attr("data"), kept);  // MinibatchData
  return fit(v, value_of(v, data));
}

namespace {

const Variable& named(const std::vector<Variable>& arguments, const std::string& name) {
  for (const Variable& v : arguments)
    if (v.name() == name || v.uid() == name) return v;
  std::string all;
  for (const Variable& v : arguments) all += (all.empty() ? "" : ", ") + (v.name().empty() ? v.uid() : v.name());
  throw value_error("variable with name \"" + name + "\" does not exist in the network. Available variable names: " + all);
}

}  // namespace

Feeds feeds_of(const std::vector<Variable>& arguments, nb::handle given, Kept* kept) {
  Feeds feeds;
  auto wrong_count = [&] { return value_error("function expects " + std::to_string(arguments.size()) + " arguments"); };
  if (PyDict_Check(given.ptr())) {
    PyObject *key, *data;
    Py_ssize_t at = 0;
    while (PyDict_Next(given.ptr(), &at, &key, &data)) {
      if (PyUnicode_Check(key)) {
        const Variable& v = named(arguments, nb::cast<std::string>(nb::handle(key)));
        feeds.emplace_back(v, feed_of(v, data, kept));
        continue;
      }
      Variable v = as_variable(key, "a variable or a name");
      if (std::find(arguments.begin(), arguments.end(), v) != arguments.end()) feeds.emplace_back(v, feed_of(v, data, kept));
    }
    if (feeds.size() < arguments.size() && PyDict_Size(given.ptr()) < static_cast<Py_ssize_t>(arguments.size())) throw wrong_count();
    return feeds;
  }
  if (given.is_none()) {
    if (!arguments.empty()) throw wrong_count();
    return feeds;
  }
  if (PyTuple_Check(given.ptr()) && PyTuple_GET_SIZE(given.ptr()) == 2 && PyDict_Check(PyTuple_GET_ITEM(given.ptr(), 0)))
    throw unsupported("sequence begin markers for a whole minibatch, see docs/status.md");
  if (arguments.size() != 1) throw wrong_count();
  feeds.emplace_back(arguments[0], feed_of(arguments[0], given, kept));
  return feeds;
}

nb::list sequences_of(const Value& v) {
  nb::list list;
  auto rows = [&](int64_t begin, int64_t end) {
    Tensor t = v.data.rows(begin, end);
    list.append(t.is_sparse() ? csr_of_tensor(t) : array_of_tensor(t));
  };
  if (v.layout && !v.layout->is_batch()) {
    auto offsets = v.layout->offsets();
    for (size_t i = 0; i + 1 < offsets.size(); ++i) rows(offsets[i], offsets[i + 1]);
  } else {
    for (int64_t i = 0; i < v.data.shape()[0]; ++i) {
      Tensor t = v.data.rows(i, i + 1);
      list.append(t.is_sparse() ? csr_of_tensor(t) : array_of_tensor(t.reshape(t.shape().sub(1, t.shape().rank()))));
    }
  }
  return list;
}

nb::object result_of(const Value& v) {
  if (v.layout && !v.layout->is_batch()) return sequences_of(v);
  if (v.data.is_sparse()) return csr_of_tensor(v.data);
  return array_of_tensor(v.data);
}

}  // namespace cantik::python
