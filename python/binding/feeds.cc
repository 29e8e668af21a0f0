#include "binding/feeds.h"

#include <algorithm>

#include "binding/numpy.h"
#include "binding/sequences.h"
#include "binding/sparse.h"

namespace cantik::python {
namespace {

Error does_not_fit(const Variable& v, const Shape& s) {
  return about(value_error("The trailing dimensions of the Value shape '" + s.text(" x ") +
                           "' do not match the Variable '" + v.text() + "' shape '" + v.shape().text(" x ") +
                           "'."),
               v)
      .remedy(expected_data(v));
}

Error must_be_one(const Variable& v, const Shape& s, int axis) {
  return about(value_error(
                   "The dimension size (" + std::to_string(s[axis]) + ") of the axis (" +
                   std::to_string(axis) + ") of the Value ('" + s.text(" x ") +
                   "') must be 1, because this axis is not specified as a dynamic axis of the Variable ('" +
                   v.text() + "')."),
               v)
      .remedy(expected_data(v));
}

Error not_data(const Variable& v, nb::handle data) {
  return about(value_error("batch must be a list of NumPy arrays or SciPy CSR matrices, not " +
                           class_name(data)),
               v)
      .remedy(expected_data(v));
}

bool is_list_of_data(nb::handle h) { return PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()); }

bool holds_objects(nb::handle list) {
  for (nb::handle item : nb::borrow(list))
    if (!is_array(item) && (tensor_in(item) || is_sparse_matrix(item))) return true;
  return false;
}

// A list of samples, which is one of sequences of a step each.
Value value_of_samples(const Variable& v, nb::handle list) {
  nb::object array;
  try {
    array = array_of(list);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_ValueError)) throw;
    throw about(value_error(std::string("the samples of a list are not of one shape: ") + e.what()), v)
        .remedy(expected_data(v));
  }
  Tensor t = tensor_of_array(array, v.dtype());
  const int lead = t.shape().rank() - v.shape().rank();
  if (v.axes().has_batch() && lead == 1)
    t = t.reshape(Shape{t.shape()[0], 1} + t.shape().sub(1, t.shape().rank()));
  // Numbers may be a sample by themselves, arrays in a list may not.
  if (v.axes().has_batch() && lead == 0 && PySequence_Size(list.ptr()) > 0 && is_array(nb::borrow(list)[0]))
    throw does_not_fit(v, t.shape());
  return Value(std::move(t), nullptr);
}

}  // namespace

Value fit(const Variable& v, const Value& given) {
  const Type& type = v.type();
  Tensor data = given.data;
  if (data.is_sparse() && type.storage == Storage::dense) data = data.to_dense();
  const Shape s = data.shape();
  if (given.layout && !given.layout->is_batch()) {
    if (s.rank() != type.shape.rank() + 1 || !fits_sample(v, s)) throw does_not_fit(v, shape_of(given));
    if (type.axes.has_sequence()) return Value(data, given.layout);
    if (given.layout->is_even() && given.layout->longest() <= 1) return Value::batch(data);
    throw must_be_one(v, shape_of(given), 1);
  }
  int lead = s.rank() - type.shape.rank();
  if (lead < 0 || !fits_sample(v, s)) throw does_not_fit(v, s);
  // The samples that a run made stay samples; the first axis of an array is what the variable's axes say.
  if (given.layout && lead == 1 && type.axes.has_batch()) return Value(data, given.layout);
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
  std::vector<int64_t> lengths(static_cast<size_t>(count), steps);
  return Value(data.reshape(Shape{count * steps} + sample), Layout::of_lengths(lengths));
}

Value value_of(const Variable& v, nb::handle data, nb::handle starts, bool copy) {
  if (!starts.is_none()) {
    if (!v.axes().has_sequence())
      throw about(
          value_error(
              "you specified sequence begin markers, but your input does not contain a sequence axis."),
          v);
    if (value_in(data))
      throw value_error("for directly passed Value objects sequence start markers cannot be passed");
  }
  Value result;
  if (const ValueBox* box = value_in(data))
    result = box->get();
  else if (const Tensor* t = tensor_in(data))
    result = Value(*t, nullptr);
  else if (is_array(data))
    result = Value(tensor_of_array(data, v.dtype()), nullptr);
  else if (is_sparse_matrix(data))
    result = Value(tensor_of_csr(data, v.dtype()), nullptr);
  else if (is_list_of_data(data) && (v.axes().has_sequence() || holds_objects(data))) {
    result = value_of_list(v, data, copy);
    return starts.is_none() ? result : with_starts(std::move(result), starts);
  } else if (is_list_of_data(data))
    result = value_of_samples(v, data);
  else if (PyNumber_Check(data.ptr()) && !PyUnicode_Check(data.ptr()))
    result = Value(tensor_of_array(array_of(data), v.dtype()), nullptr);
  else
    throw not_data(v, data);
  if (copy) result.data = result.data.clone();
  if (starts.is_none()) return result;
  const Shape& s = result.data.shape();
  // with markers, each row is a sequence of one step
  if (s.rank() == v.shape().rank() + 1)
    result.data = result.data.reshape(Shape{s[0], 1} + s.sub(1, s.rank()));
  return with_starts(std::move(result), starts);
}

namespace {

// A source's value with samples in the shape of the input, where that has as many elements.
Value in_shape_of(const Variable& v, Value given) {
  const Shape sample = v.shape(), s = given.data.shape();
  const int lead = given.layout ? 1 : 2;  // rows, or sequences and steps
  if (sample.is_static() && s.rank() >= lead && s.sub(lead, s.rank()).elements() == sample.elements())
    given.data = given.data.reshape(s.sub(0, lead) + sample);
  return given;
}

}  // namespace

Value feed_of(const Variable& v, nb::handle data, Kept* kept, nb::handle starts) {
  if (is_array(data) && starts.is_none()) {
    nb::object keep;
    Tensor t = tensor_of_array(data, v.dtype(), kept == nullptr, kept ? &keep : nullptr);
    if (kept) kept->push_back(std::move(keep));
    return fit(v, Value(std::move(t), nullptr));
  }
  if (PyTuple_Check(data.ptr()) && NB_TUPLE_GET_SIZE(data.ptr()) == 2 &&
      are_starts(NB_TUPLE_GET_ITEM(data.ptr(), 1)))
    return fit(v, value_of(v, NB_TUPLE_GET_ITEM(data.ptr(), 0), NB_TUPLE_GET_ITEM(data.ptr(), 1)));
  // MinibatchData
  if (!value_in(data) && !tensor_in(data) && !is_list_of_data(data) && nb::hasattr(data, "end_of_sweep"))
    return feed_of(v, nb::borrow(data).attr("data"), kept);
  if (const ValueBox* box = value_in(data); box && box->of_stream && starts.is_none())
    return fit(v, in_shape_of(v, box->get()));
  return fit(v, value_of(v, data, starts));
}

nb::object common_starts(nb::handle& given) {
  if (!given.is_valid() || !PyTuple_Check(given.ptr()) || NB_TUPLE_GET_SIZE(given.ptr()) != 2 ||
      !are_starts(NB_TUPLE_GET_ITEM(given.ptr(), 1)))
    return nb::none();
  nb::object starts = nb::borrow(NB_TUPLE_GET_ITEM(given.ptr(), 1));
  given = NB_TUPLE_GET_ITEM(given.ptr(), 0);
  return starts;
}

void warn_of_unused(const std::vector<Variable>& unused) {
  if (unused.empty()) return;
  std::string text =
      "Function::Forward provided values for (" + std::to_string(unused.size()) +
      ") extra arguments which are not required for evaluating the specified Function outputs! They are ";
  for (size_t i = 0; i < unused.size(); ++i) text += (i ? ", " : "") + unused[i].text();
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0) throw nb::python_error();
}

Feeds feeds_of(const Function& f, const std::vector<Variable>& inputs, nb::handle given, Kept* kept) {
  const nb::object starts = common_starts(given);
  Feeds feeds;
  FeedMatcher matcher(f, inputs);
  auto take = [&](size_t, const Variable& v, nb::handle data) {
    feeds.emplace_back(v, feed_of(v, data, kept, starts));
  };
  match(matcher, given, take);
  return feeds;
}

}  // namespace cantik::python
