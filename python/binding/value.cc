// Value: data with what is known of its batch and its sequences.
#include <algorithm>
#include <limits>

#include "binding/device.h"
#include "binding/feeds.h"
#include "binding/numpy.h"
#include "binding/sequences.h"
#include "binding/sparse.h"

namespace cantik::python {
namespace {

constexpr int64_t kSkip = 4294967295;  // an index that stands for a row of zeros

[[noreturn]] void not_an_index(nb::handle type) {
  throw value_error("supplied data to one_hot() must be of type integer and not \"" +
                    std::string(nb::repr(type).c_str()) + "\" since it is index data.");
}

int32_t checked_index(int64_t i) {
  if (i == kSkip) return Value::kNoClass;
  // Far outside is outside: the library's error names the index.
  if (i < 0) throw value_error("a one-hot index must not be negative, and is " + std::to_string(i));
  return static_cast<int32_t>(std::min<int64_t>(i, std::numeric_limits<int32_t>::max()));
}

int32_t index_in(nb::handle h) {
  nb::object i = nb::steal(PyNumber_Index(h.ptr()));
  if (!i.is_valid()) {
    PyErr_Clear();
    not_an_index(h.type());
  }
  const long long n = PyLong_AsLongLong(i.ptr());
  if (n == -1 && PyErr_Occurred()) throw nb::python_error();
  return checked_index(n);
}

std::vector<int32_t> indices_in(nb::handle list) {
  std::vector<int32_t> indices;
  if (is_array(list)) {
    if (rank_of_array(list) != 1)
      throw value_error(
          "one-hot indices of a sequence must be a list of whole numbers, not an array of shape " +
          shape_of_array(list).text());
    nb::object array = nb::borrow(list);
    const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
    if (kind != "i" && kind != "u") not_an_index(array.attr("dtype").attr("type"));
    for (int64_t i : integers_of_array(array)) indices.push_back(checked_index(i));
    return indices;
  }
  for (nb::handle h : nb::borrow(list)) indices.push_back(index_in(h));
  return indices;
}

bool is_list_of_sequences(nb::handle h) {
  return PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()) || (is_array(h) && rank_of_array(h) > 0);
}

// Of a list of numbers (a row each) or of lists (a sequence each).
Value one_hot(nb::handle batch, nb::handle num_classes, DType dtype) {
  if (!is_list_of_sequences(batch))
    throw value_error("input must be a list").remedy("give a list of indices for each sequence");
  const Shape sample = as_shape(num_classes);
  std::vector<std::vector<int32_t>> sequences;
  size_t lists = 0, items = 0;
  for (nb::handle item : nb::borrow(batch)) ++items, lists += is_list_of_sequences(item);
  if (lists == 0) {
    Value v = Value::one_hot(indices_in(batch), sample, dtype);
    return Value(v.data, nullptr);
  }
  if (lists != items)
    throw value_error("one-hot indices must be either numbers or lists of numbers, not both");
  for (nb::handle item : nb::borrow(batch)) sequences.push_back(indices_in(item));
  return Value::one_hot_sequences(sequences, sample, dtype);
}

bool has_sequences(const Value& v) { return v.layout && !v.layout->is_batch(); }

bool is_ragged(const Value& v) { return has_sequences(v) && !v.layout->is_even(); }

// Its tensor in the shape it is shown in. Sequences as long as one another share their memory with it; others
// are padded.
Tensor data_of_value(const Value& v) {
  if (!has_sequences(v)) return v.data;
  return is_ragged(v) ? v.padded() : v.data.reshape(shape_of(v));
}

nb::object mask_of(const Value& v) {
  bool continues = false;
  for (int64_t i = 0; has_sequences(v) && i < v.layout->sequences(); ++i) continues |= v.layout->continues(i);
  if (!is_ragged(v) && !continues)
    throw nb::attribute_error(
        "the value has no mask: its sequences have equal lengths, and none continues an earlier one");
  return array_of_tensor(v.mask());
}

// The memory itself where it has this shape.
nb::object as_dense_array(const Value& v) { return array_of_tensor(data_of_value(v).to_dense()); }

nb::object value_as_array(const Value& v) {
  if (v.data.is_sparse())
    return !has_sequences(v) && v.data.shape().rank() == 2 ? csr_of_tensor(v.data) : as_dense_array(v);
  return array_of_tensor(is_ragged(v) ? v.padded() : data_of_value(v).clone());
}

// An array of samples, or one for each sequence; CSR matrices of sparse rows.
nb::object arrays_of(const Value& v, bool sequences) {
  auto one = [](const Tensor& t) { return t.is_sparse() ? csr_of_tensor(t) : array_of_tensor(t.clone()); };
  if (!v.layout || !sequences) return one(v.data);
  nb::list list;
  for (const Tensor& t : v.as_sequences()) list.append(one(t));
  return list;
}

// A tensor for each sequence: views of one block.
nb::list tensors_of(const Value& v) {
  nb::list list;
  if (!v.layout) throw value_error("a value without a batch axis has no sequences");
  for (const Tensor& t : v.as_sequences()) list.append(wrap(t));
  return list;
}

Value made_value(nb::handle batch, nb::handle seq_starts) {
  Value v;
  if (const ValueBox* other = value_in(batch))
    v = other->get();
  else if (const Tensor* t = tensor_in(batch))
    v = Value(*t, nullptr);
  else if (is_sparse_matrix(batch))
    v = Value(tensor_of_csr(batch, DType::unknown), nullptr);
  else if (PyNumber_Check(batch.ptr()) || is_list_of_sequences(batch)) {
    try {
      v = Value(tensor_of_array(array_of(batch), DType::unknown), nullptr);
    } catch (nb::python_error& e) {
      if (!e.matches(PyExc_ValueError)) throw;
      throw value_error(std::string("a list of sequences cannot be made one array: ") + e.what())
          .remedy("use Value.create(variable, data)");
    }
  } else
    throw type_error("a Value needs an array, a CSR matrix or an NDArrayView, not " + class_name(batch));
  return seq_starts.is_none() ? v : with_starts(v, seq_starts);
}

// Numbers of another value of the same shape, into this one's memory.
void copy_into(const Value& target, const Value& source) {
  const bool same =
      shape_of(target) == shape_of(source) && has_sequences(target) == has_sequences(source) &&
      (!has_sequences(target) || std::ranges::equal(target.layout->offsets(), source.layout->offsets()));
  if (same) return target.data.copy_from(source.data);
  if (is_ragged(target) || is_ragged(source))
    throw value_error("the values have sequences of different lengths");
  data_of_value(target).copy_from(data_of_value(source));
}

}  // namespace

void bind_value(nb::module_& m) {
  auto text = [](const ValueBox& b) { return "Value(" + shape_of(b.value).text(" x ") + ", CPU)"; };
  nb::class_<ValueBox> value(m, "Value", nb::dynamic_attr(),
                             "Data of a batch: rows, and how they belong to samples and sequences.");
  value
      .def(
          "__init__",
          [](ValueBox* self, nb::object batch, nb::object seq_starts, const std::optional<Device>& device) {
            check_place(device);
            new (self) ValueBox{made_value(batch, seq_starts), {}};
          },
          nb::arg("batch"), nb::arg("seq_starts") = nb::none(), nb::arg("device") = nb::none())
      .def_static(
          "create",
          [](nb::object var, nb::object data, nb::object seq_starts, const std::optional<Device>& device,
             bool read_only) {
            check_place(device);
            Value v = value_of(as_variable(var), data, seq_starts, true);
            if (read_only) v.data = v.data.read_only();
            return wrap(v);
          },
          nb::arg("var"), nb::arg("data").none(), nb::arg("seq_starts") = nb::none(),
          nb::arg("device") = nb::none(), nb::arg("read_only") = false,
          "A Value of data for the variable, which are copied: an array, or a list with an array, CSR matrix "
          "or NDArrayView for each sequence.\n\n"
          "Args:\n    var: the variable\n    data: the data\n    seq_starts: a list with True for each "
          "sequence that begins, False for one that goes on with that of the last minibatch\n"
          "    device: where it lives\n    read_only: whether its memory may not be written")
      .def_static(
          "one_hot",
          [](nb::object batch, nb::object num_classes, nb::object dtype,
             const std::optional<Device>& device) {
            check_place(device);
            return wrap(one_hot(batch, num_classes, dtype.is_none() ? DType::float32 : as_dtype(dtype)));
          },
          nb::arg("batch"), nb::arg("num_classes"), nb::arg("dtype") = nb::none(),
          nb::arg("device") = nb::none(),
          "Sparse rows with a one at each index. A list of indices has a row each, a list of lists a "
          "sequence each.\n\n"
          "Args:\n    batch: the indices; Value.ONE_HOT_SKIP leaves a row of zeros\n    num_classes: how "
          "many classes, or a shape whose last axis counts them\n    dtype: float32 by default\n"
          "    device: where it lives")
      .def_prop_ro("shape", [](const ValueBox& b) { return dims(shape_of(b.get())); })
      .def_prop_ro("dtype", [](const ValueBox& b) { return wrap(b.get().data.dtype()); })
      .def_prop_ro("device", [](const ValueBox& b) { return b.get().data.device(); })
      .def_prop_ro("is_sparse", [](const ValueBox& b) { return b.get().data.is_sparse(); })
      .def_prop_ro("is_read_only", [](const ValueBox& b) { return b.get().data.is_read_only(); })
      .def_prop_ro("is_valid", [](const ValueBox& b) { return !b.valid || *b.valid; })
      .def_prop_ro(
          "data", [](const ValueBox& b) { return wrap(data_of_value(b.get())); },
          "Its numbers as an NDArrayView; sequences of different lengths are padded with zeros.")
      .def_prop_ro(
          "mask", [](const ValueBox& b) { return mask_of(b.get()); },
          "int8 [sequences, longest]: 2 where a sequence begins, 1 where it goes on, 0 behind its end. Only "
          "values that need one have a mask.")
      .def(
          "masked_count",
          [](const ValueBox& b) {
            return is_ragged(b.get()) ? b.get().size() * b.get().layout->longest() - b.get().layout->rows()
                                      : int64_t{0};
          },
          "How many steps of the padded data lie behind the end of their sequence.")
      .def("__len__", [](const ValueBox& b) { return shape_of(b.get()).rank() ? shape_of(b.get())[0] : 0; })
      .def(
          "as_sequences",
          [](const ValueBox& b, nb::object variable) {
            if (b.get().data.is_sparse() && variable.is_none())
              throw value_error(
                  "cannot convert sparse value to sequences without the corresponding variable");
            if (!variable.is_none()) as_variable(variable);
            return sequences_of(b.get());
          },
          nb::arg("variable") = nb::none(),
          "A list of arrays or CSR matrices, one for each sequence: views of one block. Sparse values need "
          "the variable they are for.")
      .def(
          "unpack_variable_value",
          [](const ValueBox& b, nb::object variable, const std::optional<Device>& device) {
            check_place(device);
            return tensors_of(fit(as_variable(variable), b.get()));
          },
          nb::arg("variable"), nb::arg("device") = nb::none(),
          "A list of NDArrayViews, one for each sequence: views of one block.")
      .def(
          "unpacked_variable_value",
          [](const ValueBox& b, nb::object variable, const std::optional<Device>& device) {
            check_place(device);
            return tensors_of(fit(as_variable(variable), b.get()));
          },
          nb::arg("variable"), nb::arg("device") = nb::none(), "The same as unpack_variable_value.")
      .def(
          "asarray", [](const ValueBox& b) { return value_as_array(b.get()); },
          "A copy of its numbers, [batch, shape...] or [sequences, longest, shape...] with zeros behind the "
          "end of a sequence; a sparse batch is a CSR matrix.")
      .def(
          "__array__",
          [](const ValueBox& b, nb::object dtype, nb::object copy) {
            nb::object a = as_dense_array(b.get());
            if (!dtype.is_none())
              a = a.attr("astype")(dtype, nb::arg("copy") = !copy.is_none() && nb::cast<bool>(copy));
            else if (!copy.is_none() && nb::cast<bool>(copy))
              a = a.attr("copy")();
            return a;
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          "The memory itself, where no sequence has to be padded.")
      .def(
          "alias",
          [](const ValueBox& b, bool read_only) {
            Value v = b.get();
            if (read_only) v.data = v.data.read_only();
            return wrap(v, b.valid, b.of_stream);
          },
          nb::arg("read_only") = false, "The same memory.")
      .def(
          "deep_clone",
          [](const ValueBox& b, bool read_only) {
            Value v = b.get();
            v.data = v.data.clone();
            if (read_only) v.data = v.data.read_only();
            return wrap(v, {}, b.of_stream);
          },
          nb::arg("read_only") = false, "A copy.")
      .def(
          "copy_from", [](const ValueBox& b, const ValueBox& source) { copy_into(b.get(), source.get()); },
          nb::arg("source"), "Takes over the numbers of a value of the same shape.")
      .def("erase", [](ValueBox& b) { b.valid = std::make_shared<bool>(false); })
      .def("get_data_type", [](const ValueBox& b) { return static_cast<int>(b.get().data.dtype()); })
      .def("get_storage_format", [](const ValueBox& b) { return b.get().data.is_sparse() ? 1 : 0; })
      .def("as_string", text)
      .def("__repr__", text);
  value.attr("one_hot_skip") = kSkip;
  m.def(
      "value_for",
      [](nb::object variable, nb::object data, nb::object seq_starts) {
        return wrap(value_of(as_variable(variable), data, seq_starts));
      },
      nb::arg("variable"), nb::arg("data_array"), nb::arg("seq_starts") = nb::none(),
      "Data as a Value for the variable.");
  m.def(
      "arrays_of", [](const ValueBox& b, bool sequences) { return arrays_of(b.get(), sequences); },
      nb::arg("value"), nb::arg("sequences"),
      "An array of samples, or a list with one for each sequence; CSR matrices of sparse rows.");
  m.def(
      "of_stream",
      [](nb::object held) {
        nb::inst_ptr<ValueBox>(held)->of_stream = true;
        return held;
      },
      nb::arg("value"),
      "The value itself, which from here on fits inputs whose samples have as many elements, in any shape.");
  m.def(
      "as_sequence_or_array",
      [](const ValueBox& b, nb::object variable) {
        return as_variable(variable).axes().has_sequence() ? nb::object(sequences_of(b.get()))
                                                           : value_as_array(b.get());
      },
      nb::arg("value"), nb::arg("variable"));
}

}  // namespace cantik::python
