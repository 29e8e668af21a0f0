// One generic call for all operators: inputs and attributes in the order of the signature.
#include <cctype>

#include <cantik/operators.h>

#include "binding/arguments.h"
#include "binding/layers.h"
#include "binding/numpy.h"
#include "binding/sparse.h"

namespace cantik::python {
namespace {

Variable only_output(const Function& f) {
  const std::vector<Variable> outputs = f.outputs();
  if (outputs.size() == 1) return outputs[0];
  throw value_error("expected single output, but got " + std::to_string(outputs.size()))
      .node(f.text())
      .remedy("give one of its outputs, such as .outputs[0]");
}

// What an operand that is no variable brings along: NumPy's floating-point types are kept, everything else is
// float32.
DType own_dtype(nb::handle h) {
  if (!is_array(h)) return DType::float32;
  const DType given = dtype_of_numpy(nb::borrow(h).attr("dtype"));
  return given == DType::float64 || given == DType::float16 ? given : DType::float32;
}

// The element type that numbers and arrays among the operands take: that of the first variable that has one.
// Where there is none, operators take arrays as float32, but for those of which CNTK takes the arrays' own:
// "arrays" names the first or the widest.
DType common_dtype(const OperatorInfo& op, const nb::tuple& operands, size_t count) {
  DType widest = DType::unknown;
  for (size_t i = 0; i < count; ++i) {
    const nb::handle h = operands[i];
    DType t = DType::unknown;
    if (const Variable* v = variable_in(h))
      t = v->dtype();
    else if (std::optional<Function> f = function_in(h))
      t = only_output(*f).dtype();
    else if (DType own = own_dtype(h); widest == DType::unknown || size_of(own) > size_of(widest))
      widest = own;
    if (t != DType::unknown) return t;
  }
  if (!op.library.empty() || op.named("arrays") == "widest")
    return widest == DType::unknown ? DType::float32 : widest;
  return op.named("arrays") == "first" && count > 0 ? own_dtype(operands[0]) : DType::float32;
}

}  // namespace

// An operand: a variable, the output of a function, or a constant of what has numbers.
Variable as_operand(nb::handle h, DType dtype) {
  if (const Variable* v = variable_in(h)) return *v;
  if (std::optional<Function> f = function_in(h)) return only_output(*f);
  if (PyFloat_Check(h.ptr()) || PyLong_Check(h.ptr()))
    return constant(Shape(), Initializer(number_in(h, "an operand")), dtype);
  if (const Tensor* t = tensor_in(h)) return constant(t->clone());
  if (is_sparse_matrix(h)) return constant(tensor_of_csr(h, dtype).to_dense());
  if (PyDict_Check(h.ptr()) && nb::hasattr(h, "updated_with")) {  // Tensor[32]
    const std::string type = nb::str(h).c_str();
    throw type_error("Input is a type object (" + type + "). Did you mean to pass 'input_variable(**" + type +
                     ")'?");
  }
  if (PyUnicode_Check(h.ptr()) || h.is_none() || PyCallable_Check(h.ptr()))
    throw not_of_kind("an operand", "a variable, a function, a number or an array", h);
  Tensor t = tensor_of_array(array_of(h), dtype);
  if (t.elements() == 0)
    throw value_error("input is empty: the operand is an array of the shape " + t.shape().text());
  return constant(t.clone());
}

namespace {

// One attribute of a call: its field and the given value.
class GivenArguments {
 public:
  GivenArguments(const OperatorInfo& op, size_t i, nb::handle h)
      : op_(op), field_(op.fields[i]), h_(h), i_(static_cast<int>(i)) {}

  Attribute attribute() const {
    if (h_.is_none()) {
      if (!may_be_absent()) throw wrong();
      return field_.value;
    }
    try {
      return of_role();
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::type) throw;
    } catch (nb::python_error& e) {
      if (!e.matches(PyExc_TypeError) && !e.matches(PyExc_ValueError) && !e.matches(PyExc_OverflowError))
        throw;
    }
    throw wrong();
  }

 private:
  Error wrong() const { return wrong_attribute(op_, field_, quoted(h_)); }

  // None is a value where the signature says so, and where Python does not show the attribute at all.
  bool may_be_absent() const {
    for (const ParameterInfo& p : op_.parameters)
      if (p.field == i_)
        return !p.value.empty() && std::isalpha(static_cast<unsigned char>(p.value[0])) &&
               p.value != "True" && p.value != "False";
    return true;
  }

  Attribute of_role() const {
    switch (field_.role) {
      case CANTIK_BOUNDARY:  // CNTK's Axis.new_leading_axis() is behind the last axis here
        if (as_axis(h_).code() == axis_code::kNewLeading) return Attribute(axis_code::kAllStatic);
        [[fallthrough]];
      case CANTIK_AXIS: return Attribute(as_axis(h_).code());
      case CANTIK_AXES:
      case CANTIK_PERMUTATION: return axes();
      case CANTIK_DTYPE: return Attribute(as_dtype(h_));
      case CANTIK_SHAPE_OF: return Attribute(as_shape(h_));
      case CANTIK_SEED:  // any integer; CNTK's numbers for "automatic" are near 2^64
        return Attribute(static_cast<int64_t>(seed_in(h_)));
      default: return plain();
    }
  }

  Attribute axes() const {
    if (!PyList_Check(h_.ptr()) && !PyTuple_Check(h_.ptr()) && !PyRange_Check(h_.ptr()))
      return std::vector<int64_t>{as_axis(h_).code()};
    std::vector<int64_t> codes;
    for (nb::handle a : nb::borrow(h_)) codes.push_back(as_axis(a).code());
    if (codes.empty() && field_.role == CANTIK_AXES)
      throw runtime_error(op_.name + ": the list of axes is empty")
          .remedy("leave the list out to take all axes");
    return codes;
  }

  // The value in its own kind. The library converts it to the field's kind.
  Attribute plain() const {
    if (field_.value.get<std::string>()) return text();
    if (PyUnicode_Check(h_.ptr())) return nb::cast<std::string>(h_);
    const nb::object items = listed(h_);
    if (!is_list(items)) return number(h_);
    std::vector<double> reals;
    std::vector<int64_t> integers;
    bool whole = true;
    for (nb::handle item : items) {
      if (is_list(item)) {  // pairs follow one another
        for (nb::handle part : nb::borrow(item)) whole &= take(part, integers, reals);
      } else {
        whole &= take(item, integers, reals);
      }
    }
    return whole ? Attribute(integers) : Attribute(reals);
  }

  // Keywords of NNVM's operators are texts: a number, a truth value or a list of them stands for its text.
  Attribute text() const {
    if (PyUnicode_Check(h_.ptr())) return nb::cast<std::string>(h_);
    if (op_.named("mxnet").empty()) throw wrong();
    if (is_list(h_)) {
      for (nb::handle item : nb::borrow(h_))
        if (!PyUnicode_Check(item.ptr()) && !item.is_none()) number(item);
    } else {
      number(h_);
    }
    return std::string(nb::str(h_).c_str());
  }

  static bool is_list(nb::handle h) {
    return PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()) || PyRange_Check(h.ptr()) ||
           (is_array(h) && rank_of_array(h) > 0);
  }

  bool take(nb::handle h, std::vector<int64_t>& integers, std::vector<double>& reals) const {
    Attribute a = number(h);
    reals.push_back(a.real());
    integers.push_back(a.integer());
    return !a.get<double>();
  }

  Attribute number(nb::handle h) const {
    if (is_complex(h)) throw wrong();
    if (PyBool_Check(h.ptr())) return Attribute(h.ptr() == Py_True);
    if (nb::object i = nb::steal(PyNumber_Index(h.ptr())); i.is_valid()) {
      int overflow = 0;
      const long long n = PyLong_AsLongLongAndOverflow(i.ptr(), &overflow);
      if (!overflow) return Attribute(static_cast<int64_t>(n));
    }
    PyErr_Clear();
    const double d = PyFloat_AsDouble(h.ptr());
    if (d == -1 && PyErr_Occurred()) throw nb::python_error();
    return d;
  }

  const OperatorInfo& op_;
  const AttributeInfo& field_;
  nb::handle h_;
  int i_;
};

nb::object call_operator(const std::string& name, nb::tuple operands, nb::tuple attributes,
                         nb::object instance) {
  CallSite here;
  const OperatorInfo& op = operator_info(name);
  size_t count = operands.size();
  while (count > static_cast<size_t>(op.inputs_min) && operands[count - 1].is_none())
    --count;  // optional ones that were not given
  DType dtype = common_dtype(op, operands, count);
  std::vector<Variable> in;
  for (size_t i = 0; i < count; ++i) in.push_back(as_operand(operands[i], dtype));
  std::vector<NamedAttribute> given;
  if (attributes.size() > op.fields.size())
    throw type_error(op.name + " has " + std::to_string(op.fields.size()) + " attributes, and was given " +
                     std::to_string(attributes.size()))
        .remedy(op.signature);
  for (size_t i = 0; i < attributes.size(); ++i)
    given.push_back({op.fields[i].name, GivenArguments(op, i, attributes[i]).attribute()});
  return wrap(call(name, in, given, text_in(instance, op.name + ": the name of the function")));
}

}  // namespace

void bind_operators(nb::module_& m) {
  m.def("call", &call_operator, nb::arg("op"), nb::arg("operands"), nb::arg("attributes"),
        nb::arg("name") = "",
        "Applies an operator of the registry: operands, then attributes in the order of its signature.");
  m.def(
      "operand", [](nb::object h, nb::object dtype) { return wrap(as_operand(h, as_dtype(dtype))); },
      nb::arg("value"), nb::arg("dtype"));
  m.def("set_thread_limit", &set_thread_limit, nb::arg("threads"));
  m.def("thread_limit", &thread_limit);
}

}  // namespace cantik::python
