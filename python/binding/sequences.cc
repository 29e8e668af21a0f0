#include "binding/sequences.h"

#include <algorithm>

#include "binding/numpy.h"
#include "binding/sparse.h"

namespace cantik::python {
namespace {

// One item of a list: an array that waits to be copied, or a tensor. shape: [steps, sample...].
struct Item {
  nb::object array;
  Tensor tensor;
  Shape shape;
};

Error item_does_not_fit(const Variable& v, const Shape& s, size_t number) {
  return about(value_error("Value::Create: The shape '" + s.text(" x ") + "' of sequence #" +
                           std::to_string(number) + " is not compatible with the sample shape '" +
                           v.shape().text(" x ") + "'."),
               v)
      .remedy(expected_data(v));
}

// How an item of this shape is read: [steps, sample...].
Shape shape_of_steps(const Variable& v, const Shape& s, size_t number) {
  const int lead = s.rank() - v.shape().rank();
  if (lead == 1 && fits_sample(v, s)) return s;
  if (lead == 0 && fits_sample(v, s)) return Shape{1} + s;
  if (s.rank() == 1 && v.shape() == Shape{1}) return s + Shape{1};  // plain numbers, one a step
  throw item_does_not_fit(v, s, number);
}

// The matrix' rows are steps; of samples with several axes they are the rows of the samples.
Tensor steps_of_csr(const Variable& v, nb::handle matrix, size_t number) {
  Tensor t = tensor_of_csr(matrix, v.dtype());
  const Shape& sample = v.shape();
  if (sample.rank() >= 2 && sample.is_static() && sample.elements()) {
    const int64_t per_step = sample.elements() / sample.back();
    if (t.shape()[1] == sample.back() && t.shape()[0] % per_step == 0)
      return t.reshape(Shape{t.shape()[0] / per_step} + sample);
    if (t.shape()[1] == sample.elements()) return t.reshape(Shape{t.shape()[0]} + sample);
  }
  return t.reshape(shape_of_steps(v, t.shape(), number));
}

Item item_of(const Variable& v, nb::handle h, size_t number) {
  Item item;
  if (is_array(h)) {
    item.array = nb::borrow(h);
  } else if (is_sparse_matrix(h)) {
    item.tensor = steps_of_csr(v, h, number);
    item.shape = item.tensor.shape();
    return item;
  } else if (const Tensor* t = tensor_in(h)) {
    item.shape = shape_of_steps(v, t->shape(), number);
    item.tensor = t->reshape(item.shape);
    return item;
  } else {
    try {
      item.array = array_of(h);
    } catch (nb::python_error& e) {
      if (!e.matches(PyExc_ValueError)) throw;  // lists in lists whose lengths differ
      throw about(value_error("sequence " + std::to_string(number) + " cannot be made an array: " + e.what()),
                  v)
          .remedy(expected_data(v));
    }
  }
  item.shape = shape_of_steps(v, shape_of_array(item.array), number);
  return item;
}

Tensor joined(const Variable& v, const std::vector<Item>& items, bool copy) {
  const bool sparse = items[0].tensor.is_sparse();
  int64_t rows = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const Shape &s = items[i].shape, &first = items[0].shape;
    if (items[i].tensor.is_sparse() != sparse)
      throw about(
          value_error(
              "Value::Create: All NDArrayView objects must have the same storage format: sequences #0 and #" +
              std::to_string(i) + " are dense and sparse"),
          v);
    if (!(s.sub(1, s.rank()) == first.sub(1, first.rank())))
      throw about(value_error("the items of a list of data have different shapes: sequence 0 has " +
                              first.text() + ", sequence " + std::to_string(i) + " has " + s.text()),
                  v);
    rows += s[0];
  }
  if (items.size() == 1 || sparse) {
    std::vector<Tensor> parts;
    for (const Item& item : items)
      parts.push_back(item.array.is_valid() ? tensor_of_array(item.array, v.dtype()).reshape(item.shape)
                                            : item.tensor.cast(v.dtype()));
    if (parts.size() > 1) return Tensor::join_rows(parts);
    return copy ? parts[0].clone() : parts[0];
  }
  Tensor block(v.dtype(), Shape{rows} + items[0].shape.sub(1, items[0].shape.rank()));
  char* at = static_cast<char*>(block.raw());
  for (const Item& item : items) {
    const int64_t n = item.shape.elements();
    Tensor part = Tensor::borrow(block.dtype(), item.shape, at, nullptr);
    if (item.array.is_valid())
      copy_array(item.array, part);
    else
      copy_numbers(item.tensor.dtype(), item.tensor.raw(), block.dtype(), at, n);
    at += static_cast<size_t>(n) * size_of(block.dtype());
  }
  return block;
}

bool is_truth(nb::handle h) {
  static const nb::object numpy_bool = nb::module_::import_("numpy").attr("bool_");
  return PyBool_Check(h.ptr()) || PyObject_IsInstance(h.ptr(), numpy_bool.ptr()) == 1;
}

// Sparse rows of vectors are matrices; of anything else they are written out.
nb::object shown_tensor(const Tensor& t) {
  if (!t.is_sparse()) return array_of_tensor(t);
  return t.shape().rank() == 2 && t.storage() == Storage::csr ? csr_of_tensor(t)
                                                              : array_of_tensor(t.to_dense());
}

Tensor without_first_axis(const Tensor& t) { return t.reshape(t.shape().sub(1, t.shape().rank())); }

}  // namespace

Error about(Error e, const Variable& v) { return std::move(e).node(v.text()).made_at(v.made_at().text()); }

std::string expected_data(const Variable& v) {
  const std::string sample = v.shape().text(), inner = sample.substr(1, sample.size() - 2),
                    rest = inner.empty() ? "]" : ", " + inner + "]";
  if (v.axes().has_sequence())
    return "give a list with an array of shape [steps" + rest +
           " for each sequence, or one array of shape [sequences, steps" + rest;
  if (v.axes().has_batch()) return "give an array of shape [samples" + rest;
  return "give an array of shape " + sample;
}

bool fits_sample(const Variable& v, const Shape& s) {
  const Shape& sample = v.shape();
  const int lead = s.rank() - sample.rank();
  if (lead < 0) return false;
  for (int i = 0; i < sample.rank(); ++i)
    if (sample[i] >= 0 && sample[i] != s[lead + i]) return false;
  return true;
}

Value value_of_list(const Variable& v, nb::handle list, bool copy) {
  if (v.axes().is_known() && v.axes().empty())
    throw about(value_error("if you provide sparse data, every sequence must be encoded as one csr_matrix "
                            "instance, and the variable needs a batch axis for a list of them"),
                v)
        .remedy("give the matrix without a list around it");
  std::vector<Item> items;
  std::vector<int64_t> lengths;
  items.reserve(static_cast<size_t>(PySequence_Size(list.ptr())));
  for (nb::handle h : nb::borrow(list)) {
    items.push_back(item_of(v, h, items.size()));
    lengths.push_back(items.back().shape[0]);
  }
  if (items.empty())
    throw about(value_error("Value::Create:: The number of sequences must be > 0"), v)
        .remedy(expected_data(v));
  return Value::sequences(joined(v, items, copy), lengths);
}

bool are_starts(nb::handle h) {
  if (!PyList_Check(h.ptr()) || NB_LIST_GET_SIZE(h.ptr()) == 0) return false;
  nb::list list = nb::borrow<nb::list>(h);
  return std::all_of(list.begin(), list.end(), is_truth);
}

Value with_starts(Value value, nb::handle starts) {
  if (!value.layout || value.layout->is_batch()) {
    const Shape s = value.data.shape();
    if (s.rank() < 2)
      throw value_error("sequence start flags need data of the shape [sequences, steps, ...], not " +
                        s.text())
          .remedy("give an array with an axis of sequences and one of steps");
    std::vector<int64_t> even(static_cast<size_t>(s[0]), s[1]);
    value = Value::sequences(value.data.reshape(Shape{s[0] * s[1]} + s.sub(2, s.rank())), even);
  }
  std::vector<int32_t> continues;
  std::vector<int64_t> lengths;
  if (!PyList_Check(starts.ptr()) && !PyTuple_Check(starts.ptr()) && !is_array(starts))
    throw value_error("if you specify sequence begin markers, it needs to be a list");
  for (nb::handle begins : nb::borrow(starts)) {
    if (!is_truth(begins))
      throw type_error("a sequence start flag must be True or False, not " +
                       std::string(nb::repr(begins).c_str()));
    const bool b = PyObject_IsTrue(begins.ptr()) == 1;
    continues.push_back(b ? -1 : static_cast<int32_t>(continues.size()));
  }
  if (static_cast<int64_t>(continues.size()) != value.layout->sequences())
    throw value_error("Value::Create:: The number (" + std::to_string(continues.size()) +
                      ") of sequence start flags does not match the number (" +
                      std::to_string(value.layout->sequences()) + ") of sequences,");
  for (int64_t i = 0; i < value.layout->sequences(); ++i) lengths.push_back(value.layout->length(i));
  return Value(value.data, Layout::of_parts(lengths, continues));
}

Shape shape_of(const Value& v) {
  const Shape& s = v.data.shape();
  if (!v.layout || v.layout->is_batch()) return s;
  return Shape{v.layout->sequences(), v.layout->longest()} + s.sub(1, s.rank());
}

nb::list sequences_of(const Value& v) {
  nb::list list;
  if (v.layout && !v.layout->is_batch()) {
    for (int64_t i = 0; i < v.size(); ++i) list.append(shown_tensor(v.sequence(i)));
    return list;
  }
  const Shape& s = v.data.shape();
  if (s.empty()) throw value_error("a list of sequences was expected, not a number");
  if (v.data.is_sparse() && s.rank() == 2) {
    list.append(shown_tensor(v.data));  // a matrix is one sequence
    return list;
  }
  for (int64_t i = 0; i < s[0]; ++i) list.append(shown_tensor(without_first_axis(v.data.rows(i, i + 1))));
  return list;
}

nb::object result_of(const Value& v) {
  if (v.layout && !v.layout->is_batch()) return sequences_of(v);
  return shown_tensor(v.data);
}

}  // namespace cantik::python
