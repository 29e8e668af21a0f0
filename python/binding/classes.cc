// Python objects around variables, functions, tensors and values: instances of the package's classes.
#include <array>
#include <cstring>

#include "binding/numpy.h"

namespace cantik::python {
namespace {

std::array<PyObject*, static_cast<size_t>(Class::count)> classes{};
constexpr const char* kNames[] = {"Variable",    "Parameter", "Constant", "Function",
                                  "NDArrayView", "Value",     "LentValue"};

template <class Box>
nb::object object_of(Class c, Box box) {
  nb::object o = nb::inst_alloc(class_of(c));
  new (nb::inst_ptr<Box>(o)) Box(std::move(box));
  nb::inst_mark_ready(o);
  return o;
}

template <class Box>
Box* box_in(nb::handle h) {
  return nb::isinstance<Box>(h) ? nb::inst_ptr<Box>(h) : nullptr;
}

}  // namespace

nb::handle class_of(Class c) { return classes[static_cast<size_t>(c)]; }

void set_class(const std::string& name, nb::handle type) {
  for (size_t i = 0; i < classes.size(); ++i)
    if (name == kNames[i]) {
      Py_INCREF(type.ptr());
      Py_XDECREF(classes[i]);
      classes[i] = type.ptr();
      return;
    }
  throw key_error("there is no class " + name);
}

nb::object wrap(const Variable& v) {
  Class c = v.is_parameter() ? Class::parameter : v.is_constant() ? Class::constant : Class::variable;
  return object_of(c, VariableBox{v});
}
nb::object wrap(const Function& f) {
  return f ? object_of(Class::function, FunctionBox{f, {}, {}}) : nb::none();
}
nb::object wrap(const Tensor& t) { return object_of(Class::tensor, Tensor(t)); }
nb::object wrap(Value v, std::shared_ptr<const bool> valid, bool of_stream) {
  return object_of(Class::value, ValueBox{std::move(v), std::move(valid), of_stream});
}

nb::object wrap_lent(Value v) { return object_of(Class::lent_value, ValueBox{std::move(v), {}, false}); }

const Variable* variable_in(nb::handle h) {
  auto* b = box_in<VariableBox>(h);
  return b ? &b->variable : nullptr;
}
std::optional<Function> function_in(nb::handle h) {
  auto* b = box_in<FunctionBox>(h);
  return b ? std::optional(b->function()) : std::nullopt;
}
bool is_only_output(const Variable& v, const Function& f) {
  const std::vector<Variable> outputs = f.outputs();
  return outputs.size() == 1 && outputs[0] == v;
}
const Tensor* tensor_in(nb::handle h) { return box_in<Tensor>(h); }
const ValueBox* value_in(nb::handle h) { return box_in<ValueBox>(h); }

const Value& ValueBox::get() const {
  if (valid && !*valid)
    throw runtime_error(
        "this Value is no longer valid: its function has run again and uses the Value's memory")
        .remedy("take a copy with deep_clone(), or evaluate with as_numpy=True");
  return value;
}

Variable as_variable(nb::handle h, const char* what) {
  if (const Variable* v = variable_in(h)) return *v;
  if (std::optional<Function> f = function_in(h)) return f->output();
  throw type_error(std::string(what) + " was expected, not " + class_name(h));
}

bool is_collection(nb::handle h) {
  return PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()) || PyAnySet_Check(h.ptr()) || PyDict_Check(h.ptr());
}

nb::object listed(nb::handle h) {
  const bool single = PyUnicode_Check(h.ptr()) || PyBytes_Check(h.ptr()) || variable_in(h) || function_in(h);
  if (single || is_collection(h) || !Py_TYPE(h.ptr())->tp_iter) return nb::borrow(h);
  nb::object items = nb::steal(PySequence_List(h.ptr()));
  if (!items.is_valid()) nb::raise_python_error();
  return items;
}

std::vector<Variable> as_variables(nb::handle h, const char* what) {
  if (const Variable* v = variable_in(h)) return {*v};
  if (std::optional<Function> f = function_in(h)) return f->outputs();
  const nb::object items = listed(h);
  if (!is_collection(items)) throw type_error(std::string(what) + " were expected, not " + class_name(h));
  std::vector<Variable> list;
  for (nb::handle item : items) {
    if (const Variable* v = variable_in(item))
      list.push_back(*v);
    else if (std::optional<Function> f = function_in(item))
      for (const Variable& o : f->outputs()) list.push_back(o);
    else
      throw type_error(std::string(what) + " were expected, not a " + class_name(h) + " of " +
                       class_name(item));
  }
  return list;
}

std::vector<nb::object> names_of(nb::handle given, const std::vector<Variable>& variables) {
  std::vector<nb::object> names;
  if (is_collection(given))
    for (nb::handle item : nb::borrow(given)) {
      const std::optional<Function> f = variable_in(item) ? std::nullopt : function_in(item);
      const size_t count = f ? f->outputs().size() : 1;
      for (size_t i = 0; i < count; ++i)
        names.push_back(count == 1 ? nb::borrow(item) : wrap(variables[names.size()]));
    }
  else
    for (const Variable& v : variables) names.push_back(wrap(v));
  return names;
}

Function as_function(nb::handle h, const char* what) {
  if (std::optional<Function> f = function_in(h)) return *f;
  if (const Variable* v = variable_in(h)) return v->is_output() ? v->owner() : combine({*v});
  throw type_error(std::string(what) + " was expected, not " + class_name(h));
}

}  // namespace cantik::python
