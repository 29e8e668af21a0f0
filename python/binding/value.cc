// Value: data with what is known of its batch and its sequences.
#include <cmath>
#include <limits>

#include "binding/feeds.h"
#include "binding/numpy.h"
#include "binding/sparse.h"

namespace cantik::python {
namespace {

constexpr int64_t kSkip = 4294967295;  // an index that stands for a row of zeros

int64_t index_in(nb::handle h) {
  nb::object i = nb::steal(PyNumber_Index(h.ptr()));
  if (!i.is_valid()) {
    PyErr_Clear();
    throw value_error("supplied data to one_hot() must be of type integer and not \"" + std::string(nb::repr(h.type()).c_str()) + "\" since it is index data.");
  }
  return PyLong_AsLongLong(i.ptr());
}

// Indices of a list of numbers (a row each) or of lists (a sequence each).
Value one_hot(nb::handle batch, nb::handle num_classes, DType dtype) {
  Shape sample = as_shape(num_classes);
  int64_t width = sample.elements(), classes = sample.back();
  auto starts = std::make_shared<std::vector<int64_t>>(1, 0);
  auto columns = std::make_shared<std::vector<int32_t>>();
  std::vector<int64_t> lengths;
  int64_t seen = 0, per_row = width / std::max<int64_t>(classes, 1);
  auto add = [&](nb::handle h) {
    int64_t i = index_in(h);
    if (i != kSkip) {
      if (i < 0 || i >= classes)
        throw value_error("Value::Create: one-hot index value (" + std::to_string(i) + ") exceeds vocabulary size (" + std::to_string(classes) + ").");
      columns->push_back(static_cast<int32_t>(seen % per_row * classes + i));
    }
    if (++seen % per_row == 0) starts->push_back(static_cast<int64_t>(columns->size()));
  };
  bool nested = false;
  for (nb::handle item : nb::borrow(batch)) {
    if (PySequence_Check(item.ptr()) || (is_array(item) && rank_of_array(item) > 0)) {
      nested = true;
      int64_t before = seen;
      for (nb::handle i : nb::borrow(item)) add(i);
      if ((seen - before) % per_row) throw value_error("a sequence of one-hot indices does not fill rows of shape " + sample.text());
      lengths.push_back((seen - before) / per_row);
    } else {
      add(item);
    }
  }
  if (seen % per_row) throw value_error("the one-hot indices do not fill rows of shape " + sample.text());
  Tensor t = Tensor::csr(dtype, Shape{seen / per_row} + sample, {starts, starts->data()}, {columns, columns->data()}, nullptr);
  if (!nested) return Value(t, nullptr);
  return Value(t, Layout::of_lengths(lengths));
}

// [batch, steps]: 2 where a sequence begins, 1 where it goes on, 0 beyond its end.
nb::object mask_of(const Value& v) {
  if (!v.layout || v.layout->is_batch()) throw nb::attribute_error("the value has no sequences of different lengths, so no mask");
  Shape s = shape_of(v);
  Tensor mask = Tensor::zeros(DType::int8, {s[0], s[1]});
  auto offsets = v.layout->offsets();
  for (int64_t i = 0; i < s[0]; ++i)
    for (int64_t t = 0; t < offsets[static_cast<size_t>(i) + 1] - offsets[static_cast<size_t>(i)]; ++t) mask.data<int8_t>()[i * s[1] + t] = t ? 1 : 2;
  return array_of_tensor(mask).attr("astype")("uint8");
}

// Its data with every sequence as long as the longest, zeros behind.
Tensor padded(const Value& v) {
  if (!v.layout || v.layout->is_batch()) return v.data;
  Shape s = shape_of(v);
  Tensor rows = v.data.to_dense(), all = Tensor::zeros(rows.dtype(), s);
  auto offsets = v.layout->offsets();
  int64_t width = s.sub(2, s.rank()).elements();
  for (int64_t i = 0; i < s[0]; ++i) {
    int64_t first = offsets[static_cast<size_t>(i)], n = offsets[static_cast<size_t>(i) + 1] - first;
    copy_numbers(rows.dtype(), static_cast<char*>(rows.raw()) + static_cast<size_t>(first * width) * size_of(rows.dtype()), rows.dtype(),
                 static_cast<char*>(all.raw()) + static_cast<size_t>(i * s[1] * width) * size_of(rows.dtype()), n * width);
  }
  return all;
}

bool even(const Value& v) {
  if (!v.layout || v.layout->is_batch()) return true;
  Shape s = shape_of(v);
  return s[0] * s[1] == v.layout->rows();
}

// Its tensor in the shape it is shown in. Sparse rows of equal sequences keep their memory.
Tensor data_of(const Value& v) {
  if (!v.layout || v.layout->is_batch()) return v.data;
  if (v.data.is_sparse() || !even(v)) return padded(v);
  return v.data.reshape(shape_of(v));
}

nb::object as_array(const Value& v) {
  if (!v.layout || v.layout->is_batch()) {
    if (v.data.is_sparse()) return v.data.shape().rank() == 2 ? csr_of_tensor(v.data) : array_of_tensor(v.data.to_dense());
    return array_of_tensor(v.data.clone());
  }
  if (!even(v)) throw value_error("sequences of different lengths are no array").remedy("use as_sequences()");
  return array_of_tensor(padded(v));
}

}  // namespace

void bind_value(nb::module_& m) {
  auto text = [](const ValueBox& b) { return "Value(" + shape_of(b.value).text(" x ") + ", CPU)"; };
  nb::class_<ValueBox> value(m, "Value", "Data of a batch: rows, and how they belong to samples and sequences.");
  value.def("__init__", [](ValueBox* self, nb::object batch, nb::object seq_starts, nb::object) {
             if (!seq_starts.is_none()) throw unsupported("sequence start markers without a variable").remedy("use Value.create(variable, data, seq_starts)");
             Value v;
             if (const ValueBox* other = value_in(batch)) v = other->get();
             else if (const Tensor* t = tensor_in(batch)) v = Value(*t, nullptr);
             else if (is_sparse_matrix(batch)) v = Value(tensor_of_csr(batch, DType::unknown), nullptr);
             else if (PyNumber_Check(batch.ptr()) || PyList_Check(batch.ptr()) || PyTuple_Check(batch.ptr())) v = Value(tensor_of_array(array_of(batch), DType::unknown), nullptr);
             else throw type_error("a Value is made of an array, a CSR matrix or an NDArrayView, not " + class_name(batch));
             new (self) ValueBox{std::move(v), {}};
           }, nb::arg("batch"), nb::arg("seq_starts") = nb::none(), nb::arg("device") = nb::none())
      .def_static("create", [](nb::object var, nb::object data, nb::object seq_starts, nb::object, bool) { return wrap(value_of(as_variable(var), data, seq_starts, true)); },
                  nb::arg("var"), nb::arg("data"), nb::arg("seq_starts") = nb::none(), nb::arg("device") = nb::none(), nb::arg("read_only") = false,
                  "A Value of data for the variable: an array, or a list with an array or CSR matrix for each sequence.")
      .def_static("one_hot", [](nb::object batch, nb::object num_classes, nb::object dtype, nb::object) {
             return wrap(one_hot(batch, num_classes, dtype.is_none() ? DType::float32 : as_dtype(dtype)));
           }, nb::arg("batch"), nb::arg("num_classes"), nb::arg("dtype") = nb::none(), nb::arg("device") = nb::none(),
           "Sparse rows with a one at each index. A list of indices has a row each, a list of lists a sequence each.")
      .def_prop_ro("shape", [](const ValueBox& b) { return wrap(shape_of(b.get())); })
      .def_prop_ro("dtype", [](const ValueBox& b) { return wrap(b.get().data.dtype()); })
      .def_prop_ro("device", [](const ValueBox& b) { return b.get().data.device(); })
      .def_prop_ro("is_sparse", [](const ValueBox& b) { return b.get().data.is_sparse(); })
      .def_prop_ro("is_read_only", [](const ValueBox& b) { return b.get().data.is_read_only(); })
      .def_prop_ro("is_valid", [](const ValueBox& b) { return !b.valid || *b.valid; })
      .def_prop_ro("data", [](const ValueBox& b) { return wrap(data_of(b.get())); }, "Its numbers as an NDArrayView; sequences of different lengths are padded with zeros.")
      .def_prop_ro("mask", [](const ValueBox& b) { return mask_of(b.get()); })
      .def("masked_count", [](const ValueBox& b) {
             Shape s = shape_of(b.get());
             return even(b.get()) ? int64_t{0} : s[0] * s[1] - b.get().layout->rows();
           })
      .def("__len__", [](const ValueBox& b) { return shape_of(b.get()).rank() ? shape_of(b.get())[0] : 0; })
      .def("as_sequences", [](const ValueBox& b, nb::object variable) {
             if (b.get().data.is_sparse() && variable.is_none()) throw value_error("cannot convert sparse value to sequences without the corresponding variable");
             return sequences_of(variable.is_none() ? b.get() : fit(as_variable(variable), b.get()));
           }, nb::arg("variable") = nb::none(), "A list of arrays or CSR matrices, one for each sequence.")
      .def("asarray", [](const ValueBox& b) { return as_array(b.get()); })
      .def("__array__", [](const ValueBox& b, nb::object, nb::object) { return array_of_tensor(padded(b.get()).to_dense()); }, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def("alias", [](const ValueBox& b, bool) { return wrap(b.get(), b.valid); }, nb::arg("read_only") = false)
      .def("deep_clone", [](const ValueBox& b, bool) {
             Value v = b.get();
             v.data = v.data.clone();
             return wrap(v);
           }, nb::arg("read_only") = false)
      .def("copy_from", [](const ValueBox& b, const ValueBox& source) { data_of(b.get()).copy_from(data_of(source.get())); }, nb::arg("source"))
      .def("erase", [](ValueBox& b) { b.valid = std::make_shared<bool>(false); })
      .def("get_data_type", [](const ValueBox& b) { return static_cast<int>(b.get().data.dtype()); })
      .def("get_storage_format", [](const ValueBox& b) { return b.get().data.is_sparse() ? 1 : 0; })
      .def("as_string", text)
      .def("__repr__", text);
  value.attr("one_hot_skip") = kSkip;
  m.def("value_for", [](nb::object variable, nb::object data, nb::object seq_starts) { return wrap(value_of(as_variable(variable), data, seq_starts)); }, nb::arg("variable"),
        nb::arg("data_array"), nb::arg("seq_starts") = nb::none(),
        "Data as a Value for the variable.");
  m.def("as_sequence_or_array", [](const ValueBox& b, nb::object variable) {
          return result_of(fit(as_variable(variable), b.get()));
        }, nb::arg("value"), nb::arg("variable"));
}

}  // namespace cantik::python
