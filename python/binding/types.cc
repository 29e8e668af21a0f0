// Conversions of the small types: shapes as tuples, element types as NumPy's, attributes as numbers, texts
// and lists.
#include <cmath>

#include "binding/arguments.h"
#include "binding/numpy.h"

namespace cantik::python {

std::string class_name(nb::handle h) { return nb::str(h.type().attr("__name__")).c_str(); }

namespace {

bool has_items(nb::handle h) {
  return PySequence_Check(h.ptr()) && !PyUnicode_Check(h.ptr()) && !PyBytes_Check(h.ptr()) &&
         !PyDict_Check(h.ptr()) && !variable_in(h) && !function_in(h);
}

// Programs divide and multiply sizes: as in CNTK, what is behind the point is cut off.
int64_t size_in(nb::handle h, const std::string& what) {
  if (is_array(h) && nb::cast<int64_t>(h.attr("size")) == 1) return size_in(h.attr("item")(), what);
  if (!is_scalar(h) || PyIndex_Check(h.ptr())) return whole_in(h, what);
  const double size = PyFloat_AsDouble(h.ptr());
  if (PyErr_Occurred() || !(std::fabs(size) < 0x1p53)) {
    PyErr_Clear();
    return whole_in(h, what);
  }
  if (size != std::trunc(size) &&
      PyErr_WarnFormat(PyExc_UserWarning, 1, "%s is not whole, and is cut off: %R", what.c_str(), h.ptr()) <
          0)
    throw nb::python_error();
  return static_cast<int64_t>(size);
}

}  // namespace

Shape as_shape(nb::handle h, const std::string& what) {
  if (h.is_none()) return Shape::unknown();
  const bool array = is_array(h) && rank_of_array(h) == 1;
  const bool number = PyIndex_Check(h.ptr()) || (PyNumber_Check(h.ptr()) && !PySequence_Check(h.ptr()));
  if (number && !array) return Shape{size_in(h, what)};
  const nb::object items = listed(h);
  if (!array && !has_items(items)) throw not_of_kind(what, "a whole number or a tuple of them", h);
  std::vector<int64_t> dims;
  for (nb::handle d : items) dims.push_back(size_in(d, "a number of " + what));
  if (dims.size() == 1 && dims[0] == -2) return Shape::unknown();
  return Shape(dims);
}

nb::tuple wrap(const Shape& s) {
  if (!s.is_known()) return nb::make_tuple(-2);
  nb::tuple t = nb::steal<nb::tuple>(PyTuple_New(s.rank()));
  for (int i = 0; i < s.rank(); ++i) NB_TUPLE_SET_ITEM(t.ptr(), i, PyLong_FromLongLong(s[i]));
  return t;
}

nb::tuple dims(const Shape& s) {
  static PyObject* type = nullptr;  // under Python's lock
  if (!type) type = nb::object(nb::module_::import_("cantik.core").attr("Dims")).release().ptr();
  return nb::borrow<nb::tuple>(nb::handle(type)(wrap(s)));
}

namespace {

Error not_supported(nb::handle h) {
  const std::string given = PyUnicode_Check(h.ptr()) ? nb::cast<std::string>(h) : quoted(h);
  return type_error("data type \"" + given + "\" is not supported")
      .remedy(
          "give numpy.float32, numpy.float64 or numpy.float16; numbers of classes become vectors by "
          "Value.one_hot or one_hot");
}

// CNTK's numbers of element types.
DType dtype_of_number(nb::handle h) {
  const int64_t n = whole_in(h, "a data type");
  for (DType t : {DType::unknown, DType::float32, DType::float64, DType::float16, DType::int8, DType::int16})
    if (n == static_cast<int64_t>(t)) return t;
  throw not_supported(h);
}

}  // namespace

DType as_dtype(nb::handle h) {
  if (h.is_none()) return DType::unknown;
  if (PyLong_Check(h.ptr())) return dtype_of_number(h);
  // CNTK's reading of names: "float" is float32, Python's own float is float64, its int float32
  if (PyUnicode_Check(h.ptr())) {
    std::string name = nb::cast<std::string>(h);
    if (name == "float") return DType::float32;
    if (name == "double") return DType::float64;
  }
  if (h.is(reinterpret_cast<PyObject*>(&PyLong_Type))) return DType::float32;
  DType t = dtype_of_numpy(h);
  if (t == DType::unknown || t == DType::int32) throw not_supported(h);
  return t;
}

nb::object wrap(DType t) { return t == DType::unknown ? nb::none() : nb::borrow(numpy_type(t)); }

nb::object wrap(const Attribute& a) {
  struct Visitor {
    nb::object operator()(std::monostate) const { return nb::none(); }
    nb::object operator()(bool b) const { return nb::bool_(b); }
    nb::object operator()(int64_t i) const { return nb::int_(i); }
    nb::object operator()(double d) const { return nb::float_(d); }
    nb::object operator()(const std::string& s) const { return nb::str(s.c_str(), s.size()); }
    nb::object operator()(const std::vector<int64_t>& v) const { return nb::cast(v); }
    nb::object operator()(const std::vector<double>& v) const { return nb::cast(v); }
  };
  return std::visit(Visitor{}, a.storage());
}

void bind_types(nb::module_& m) {
  // CNTK's numbers of element types and its special dimensions.
  m.attr("DataType_Unknown") = static_cast<int>(DType::unknown);
  m.attr("DataType_Float") = static_cast<int>(DType::float32);
  m.attr("DataType_Double") = static_cast<int>(DType::float64);
  m.attr("DataType_Float16") = static_cast<int>(DType::float16);
  m.attr("DataType_Int8") = static_cast<int>(DType::int8);
  m.attr("DataType_Int16") = static_cast<int>(DType::int16);
  m.attr("InferredDimension") = kInferred;
  m.attr("FreeDimension") = kFree;
  m.def(
      "as_dtype", [](nb::handle h) { return static_cast<int>(as_dtype(h)); }, nb::arg("dtype").none(),
      "The number of an element type.");
  m.def(
      "dtype", [](nb::handle h) { return wrap(as_dtype(h)); }, nb::arg("dtype").none(),
      "An element type as NumPy's.");
}

}  // namespace cantik::python
