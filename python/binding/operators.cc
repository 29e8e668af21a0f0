// One generic call for all operators: inputs and attributes in the order of the signature.
#include "binding/layers.h"
#include "binding/numpy.h"
#include "binding/sparse.h"
#include "graph/operator.h"

namespace cantik::python {
namespace {

// What an operand that is no variable brings along: NumPy's floating-point types are kept, everything else is float32.
DType own_dtype(nb::handle h) {
  if (!is_array(h)) return DType::float32;
  const DType given = dtype_of_numpy(nb::borrow(h).attr("dtype"));
  return given == DType::float64 || given == DType::float16 ? given : DType::float32;
}

// The element type that numbers and arrays among the operands take: that of the first variable that has one. Where there is none,
// operators take arrays as float32, but for those of which CNTK takes the arrays' own: "arrays" names the first or the widest.
DType common_dtype(const Operator& op, const nb::tuple& operands, size_t count) {
  DType widest = DType::unknown;
  for (size_t i = 0; i < count; ++i) {
    const nb::handle h = operands[i];
    DType t = DType::unknown;
    if (const Variable* v = variable_in(h)) t = v->dtype();
    else if (std::optional<Function> f = function_in(h)) t = f->output().dtype();
    else if (DType own = own_dtype(h); widest == DType::unknown || size_of(own) > size_of(widest)) widest = own;
    if (t != DType::unknown) return t;
  }
  if (!op.library.empty() || op.named("arrays") == "widest") return widest == DType::unknown ? DType::float32 : widest;
  return op.named("arrays") == "first" && count > 0 ? own_dtype(operands[0]) : DType::float32;
}

}  // namespace

// An operand: a variable, the output of a function, or a constant of what has numbers.
Variable as_operand(nb::handle h, DType dtype) {
  if (const Variable* v = variable_in(h)) return *v;
  if (std::optional<Function> f = function_in(h)) return f->output();
  if (PyFloat_Check(h.ptr()) || PyLong_Check(h.ptr())) return constant(Shape(), Initializer(PyFloat_AsDouble(h.ptr())), dtype);
  if (const Tensor* t = tensor_in(h)) return constant(t->clone());
  if (is_sparse_matrix(h)) return constant(tensor_of_csr(h, dtype).to_dense());
  if (PyUnicode_Check(h.ptr()) || h.is_none() || PyCallable_Check(h.ptr())) throw type_error("an operand is a variable, a function, a number or an array, not " + class_name(h));
  return constant(tensor_of_array(array_of(h), dtype).clone());
}

namespace {

Attribute as_attribute(nb::handle h, const FieldInfo& field) {
  switch (field.role) {
    case CANTIK_BOUNDARY:  // CNTK's Axis.new_leading_axis() is behind the last axis here
      if (!h.is_none() && as_axis(h).code() == axis_code::kNewLeading) return Attribute(axis_code::kAllStatic);
      [[fallthrough]];
    case CANTIK_AXIS:
      if (h.is_none()) return field.value;
      return Attribute(as_axis(h).code());
    case CANTIK_AXES:
    case CANTIK_PERMUTATION: {
      if (h.is_none()) return field.value;
      std::vector<int64_t> codes;
      if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()) || PyRange_Check(h.ptr()))
        for (nb::handle a : nb::borrow(h)) codes.push_back(as_axis(a).code());
      else codes.push_back(as_axis(h).code());
      return codes;
    }
    case CANTIK_DTYPE: return Attribute(as_dtype(h));
    case CANTIK_SHAPE_OF:
      if (h.is_none()) return field.value;
      return Attribute(as_shape(h));
    case CANTIK_SEED:
      if (h.is_none()) return field.value;
      return Attribute(static_cast<int64_t>(PyLong_AsUnsignedLongLongMask(nb::int_(h).ptr())));
    default: break;
  }
  if (h.is_none()) return field.value;
  if (field.value.get<std::string>()) return std::string(nb::str(h).c_str());  // a number stands for its text
  if (PyBool_Check(h.ptr())) return Attribute(h.ptr() == Py_True);
  if (PyUnicode_Check(h.ptr())) return nb::cast<std::string>(h);
  bool real = field.value.get<double>() || field.value.get<std::vector<double>>();
  auto number = [&](nb::handle x) {
    double d = PyFloat_AsDouble(x.ptr());
    if (d == -1 && PyErr_Occurred()) throw nb::python_error();
    return d;
  };
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()) || is_array(h)) {
    std::vector<double> reals;
    std::vector<int64_t> integers;
    for (nb::handle item : nb::borrow(h)) {
      if (real) reals.push_back(number(item));
      else for (int64_t d : as_shape(item)) integers.push_back(d);  // pairs follow one another
    }
    return real ? Attribute(reals) : Attribute(integers);
  }
  if (real) return number(h);
  if (field.value.get<std::vector<int64_t>>()) return std::vector<int64_t>{as_shape(h)[0]};
  if (PyFloat_Check(h.ptr())) {
    double d = number(h);
    if (d != static_cast<double>(static_cast<int64_t>(d))) throw type_error("the attribute " + field.name + " is a whole number, not " + nb::repr(h).c_str());
    return static_cast<int64_t>(d);
  }
  return nb::cast<int64_t>(nb::int_(h));
}

nb::object call_operator(const std::string& name, nb::tuple operands, nb::tuple attributes, const std::string& instance) {
  CallSite here;
  const Operator& op = Registry::global().get(name);
  size_t count = operands.size();
  while (count > 0 && operands[count - 1].is_none()) --count;  // optional ones that were not given
  DType dtype = common_dtype(op, operands, count);
  std::vector<Variable> in;
  for (size_t i = 0; i < count; ++i) in.push_back(as_operand(operands[i], dtype));
  std::vector<NamedAttribute> given;
  if (attributes.size() > op.fields.size()) throw type_error(op.name + " has " + std::to_string(op.fields.size()) + " attributes, got " + std::to_string(attributes.size())).remedy(op.signature);
  for (size_t i = 0; i < attributes.size(); ++i) given.push_back({op.fields[i].name, as_attribute(attributes[i], op.fields[i])});
  return wrap(call(name, in, given, instance));
}

}  // namespace

void bind_operators(nb::module_& m) {
  m.def("call", &call_operator, nb::arg("op"), nb::arg("operands"), nb::arg("attributes"), nb::arg("name") = "",
        "Applies an operator of the registry: operands, then attributes in the order of its signature.");
  m.def("operand", [](nb::object h, nb::object dtype) { return wrap(as_operand(h, as_dtype(dtype))); }, nb::arg("value"), nb::arg("dtype"));
  m.def("set_thread_limit", &set_thread_limit, nb::arg("threads"));
  m.def("thread_limit", &thread_limit);
}

}  // namespace cantik::python
