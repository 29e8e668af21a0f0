// Variables, parameters and constants.
#include "binding/arguments.h"
#include "binding/device.h"
#include "binding/numpy.h"
#include "binding/sparse.h"

namespace cantik::python {
namespace {

// What a parameter or constant is to hold, from anything that has numbers.
Tensor tensor_for(const Variable& v, nb::handle data) {
  if (const Tensor* t = tensor_in(data)) return *t;
  if (const ValueBox* b = value_in(data)) return b->get().data;
  if (const Variable* other = variable_in(data)) return other->value();
  if (PyFloat_Check(data.ptr()) || PyLong_Check(data.ptr()))
    return Tensor::full(v.dtype(), v.shape(), number_in(data, "a value"));
  Tensor t = tensor_of_array(array_of(data), v.dtype());
  // One number for all elements, and shapes that differ by leading ones, are fine.
  if (t.elements() == 1 && v.shape().is_static() && v.shape().elements() != 1)
    return Tensor::full(v.dtype(), v.shape(), t.at(0));
  return t;
}

void set_value(const Variable& v, nb::handle data) {
  Tensor t = tensor_for(v, data);
  if (v.shape().is_static() && t.shape().elements() == v.shape().elements() &&
      t.shape().rank() != v.shape().rank()) {
    Shape a = t.shape(), b = v.shape();  // equal but for ones in front
    int common = std::min(a.rank(), b.rank());
    if (a.sub(a.rank() - common, a.rank()) == b.sub(b.rank() - common, b.rank())) t = t.reshape(b);
  }
  v.set_value(t);
}

// Dictionaries ask for these: as slots they take no call of a method.
Py_hash_t hash_of(PyObject* self) {
  return static_cast<Py_hash_t>(std::hash<Variable>()(*variable_in(self)));
}

// Whether both are the same. A number is asked about by mistake: its values are meant.
PyObject* compared(PyObject* self, PyObject* other, int how) {
  if (how != Py_EQ && how != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  const Variable* v = variable_in(other);
  const std::optional<Function> f = v ? std::nullopt : function_in(other);
  if (!v && !f && other != Py_None)
    return PyErr_Format(PyExc_TypeError,
                        "== and != of a variable ask whether the other one is the same variable, and it is "
                        "%s\n  remedy   equal(x, y) and not_equal(x, y) compare values",
                        class_name(other).c_str());
  const bool same = v ? *v == *variable_in(self) : f && is_only_output(*variable_in(self), *f);
  return PyBool_FromLong(same == (how == Py_EQ));
}

PyType_Slot slots[] = {{Py_tp_hash, reinterpret_cast<void*>(hash_of)},
                       {Py_tp_richcompare, reinterpret_cast<void*>(compared)},
                       {0, nullptr}};

void of_variable(nb::class_<VariableBox>& c) {
  c.def_prop_ro(
       "shape", [](const VariableBox& b) { return wrap(b.variable.shape()); },
       "The shape of a sample: a tuple; -1 where it is still to be inferred, -3 where it is free.")
      .def_prop_ro(
          "dtype", [](const VariableBox& b) { return wrap(b.variable.presumed_dtype()); },
          "NumPy's type of the elements; as long as it is open, that of the constants among the operands.")
      .def_prop_ro(
          "dynamic_axes", [](const VariableBox& b) { return wrap(b.variable.axes()); },
          "Its batch and sequence axes.")
      .def_prop_ro("name", [](const VariableBox& b) { return b.variable.name(); })
      .def_prop_ro(
          "uid", [](const VariableBox& b) { return b.variable.uid(); },
          "A name that no other variable of the process has.")
      .def_prop_ro("is_input", [](const VariableBox& b) { return b.variable.is_input(); })
      .def_prop_ro("is_output", [](const VariableBox& b) { return b.variable.is_output(); })
      .def_prop_ro("is_parameter", [](const VariableBox& b) { return b.variable.is_parameter(); })
      .def_prop_ro("is_constant", [](const VariableBox& b) { return b.variable.is_constant(); })
      .def_prop_ro("is_placeholder", [](const VariableBox& b) { return b.variable.is_placeholder(); })
      // As in CNTK: how it is fed. What functions give is no such thing.
      .def_prop_ro("is_sparse",
                   [](const VariableBox& b) { return b.variable.is_sparse() && !b.variable.is_output(); })
      .def_prop_ro("needs_gradient", [](const VariableBox& b) { return b.variable.needs_gradient(); })
      .def_prop_ro(
          "owner", [](const VariableBox& b) { return wrap(b.variable.owner()); },
          "The function whose output it is.")
      .def_prop_ro(
          "made_at", [](const VariableBox& b) { return b.variable.made_at().text(); },
          "File and line of the program that made it.")
      .def("kind", [](const VariableBox& b) { return static_cast<int>(b.variable.kind()); })
      .def("has_batch_axis", [](const VariableBox& b) { return b.variable.axes().has_batch(); })
      .def("has_sequence_axis", [](const VariableBox& b) { return b.variable.axes().has_sequence(); })
      .def("get_data_type",
           [](const VariableBox& b) { return static_cast<int>(b.variable.presumed_dtype()); })
      .def("is_initialized", [](const VariableBox& b) { return b.variable.shape().is_static(); })
      .def("current_value_time_stamp", [](const VariableBox& b) { return b.variable.version(); })
      .def("as_string", [](const VariableBox& b) { return b.variable.text(); })
      .def("__repr__", [](const VariableBox& b) { return b.variable.text(); });
  // Of parameters and constants; the package puts these on their classes.
  c.def("get_value",
        [](const VariableBox& b) {
          const Interruptible drawing;
          return wrap(b.variable.value());
        })
      .def(
          "set_value", [](const VariableBox& b, nb::object value) { set_value(b.variable, value); },
          nb::arg("value"))
      .def("asarray",
           [](const VariableBox& b) {
             const Interruptible drawing;
             return array_of_tensor(b.variable.value().clone());
           })
      .def("record_value_update", [](const VariableBox& b) { b.variable.add_to_version(); })
      .def(
          "clone_as",
          [](const VariableBox& b, nb::object dtype) {
            return wrap(constant(b.variable.value().cast(as_dtype(dtype)), b.variable.name()));
          },
          nb::arg("data_type"));
}

Shape shape_or_unknown(nb::handle h) { return h.is_none() ? Shape::unknown() : as_shape(h); }

}  // namespace

void bind_variable(nb::module_& m) {
  nb::class_<VariableBox> variable(
      m, "Variable", nb::type_slots(slots),
      "A value in a graph: an input, a parameter, a constant, a placeholder, or the output of a function.");
  of_variable(variable);

  // `init` decides shape and element type where they are not given.
  variable.def(
      "__init__",
      [](VariableBox* self, const std::string& kind, nb::object shape, nb::object init, nb::object dtype,
         const std::optional<Device>& device, const std::string& name) {
        check_place(device);
        CallSite here;
        DType t = as_dtype(dtype);
        Initializer i = as_initializer(init, t);
        bool values = i.kind == Initializer::Kind::values;
        if (dtype.is_none()) t = values ? i.tensor.dtype() : DType::float32;
        if (values && !shape.is_none() && i.tensor.shape().rank() == 0)
          i = Initializer(i.tensor.at(0)), values = false;
        // an array brings its own shape, as in CNTK
        Shape s = values ? i.tensor.shape() : shape.is_none() ? Shape() : as_shape(shape);
        if (values && i.tensor.dtype() != t) i = Initializer(i.tensor.cast(t));
        new (self) VariableBox{kind == "parameter" ? parameter(s, i, t, name) : constant(s, i, t, name)};
      },
      nb::arg("kind"), nb::arg("shape").none(), nb::arg("init"), nb::arg("dtype").none(),
      nb::arg("device").none(), nb::arg("name"));
  variable.def(
      "__init__",
      [](VariableBox* self, nb::object shape, nb::object dtype, bool needs_gradient, bool is_sparse,
         nb::object dynamic_axes, const std::string& name) {
        CallSite here;
        new (self) VariableBox{input(
            as_shape(shape), {as_dtype(dtype), is_sparse, needs_gradient, as_axes(dynamic_axes), name})};
      },
      nb::arg("shape"), nb::arg("dtype").none(), nb::arg("needs_gradient"), nb::arg("is_sparse"),
      nb::arg("dynamic_axes").none(), nb::arg("name"));

  m.def(
      "input_variable",
      [](nb::object shape, nb::object dtype, bool needs_gradient, bool is_sparse, nb::object dynamic_axes,
         const std::string& name) {
        CallSite here;
        return wrap(input(as_shape(shape),
                          {as_dtype(dtype), is_sparse, needs_gradient, as_axes(dynamic_axes), name}));
      },
      nb::arg("shape"), nb::arg("dtype"), nb::arg("needs_gradient"), nb::arg("is_sparse"),
      nb::arg("dynamic_axes").none(), nb::arg("name"));
  m.def(
      "placeholder",
      [](nb::object shape, nb::object dynamic_axes, nb::object dtype, const std::string& name) {
        CallSite here;
        Type t = Type::unknown();
        t.shape = shape_or_unknown(shape);
        if (!dynamic_axes.is_none()) t.axes = as_axes(dynamic_axes);
        t.dtype = as_dtype(dtype);
        return wrap(placeholder(name, t));
      },
      nb::arg("shape").none(), nb::arg("dynamic_axes").none(), nb::arg("dtype").none(), nb::arg("name"));
}

}  // namespace cantik::python
