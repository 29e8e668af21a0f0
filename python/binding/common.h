// What the files of the binding share: the boxes that Python objects hold, the classes they are instances of,
// conversions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cantik/attribute.h>
#include <cantik/device.h>
#include <cantik/error.h>
#include <cantik/function.h>

#include "binding/lock.h"

namespace nb = nanobind;

namespace cantik::python {

// A value as Python shows it. Its data keep the shape they were given in: [batch, shape...] or [batch, steps,
// shape...].
struct ValueBox {
  Value value;
  std::shared_ptr<const bool> valid;  // values that a run lends are over with the next run; null: for good
  bool of_stream = false;    // of a source: it fits inputs whose samples have as many elements, in any shape
  const Value& get() const;  // an error where it is over
};

struct VariableBox {
  Variable variable;
};

struct UserPart;
struct FunctionBox {
  // empty: of a user's function, whose node owns the Python object and not the other way round
  Function held;
  std::shared_ptr<bool> lent;  // what the values of the last run hold on to
  std::shared_ptr<UserPart> user;
  Function function() const;
};

// The Python classes that results are instances of; the package names its own when it is imported.
enum class Class { variable, parameter, constant, function, tensor, value, lent_value, count };
nb::handle class_of(Class c);
void set_class(const std::string& name, nb::handle type);

nb::object wrap(const Variable& v);
nb::object wrap(const Function& f);
nb::object wrap(const Tensor& t);
nb::object wrap(Value v, std::shared_ptr<const bool> valid = {}, bool of_stream = false);
nb::object wrap_lent(Value v);  // for a user function that reads the run's own memory
nb::object wrap(const Attribute& a);
template <class T>
nb::tuple wrap_all(const std::vector<T>& list) {
  nb::tuple t = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(list.size())));
  for (size_t i = 0; i < list.size(); ++i)
    NB_TUPLE_SET_ITEM(t.ptr(), static_cast<Py_ssize_t>(i), wrap(list[i]).release().ptr());
  return t;
}

// Null where the object is something else.
const Variable* variable_in(nb::handle h);
std::optional<Function> function_in(nb::handle h);
// A variable equals the function whose only output it is, as in CNTK, where such a function stands for its
// output.
bool is_only_output(const Variable& v, const Function& f);
const Tensor* tensor_in(nb::handle h);
const ValueBox* value_in(nb::handle h);
// A variable, or the output of a function; a TypeError names `what` otherwise.
Variable as_variable(nb::handle h, const char* what = "a variable");
bool is_collection(nb::handle h);  // a list, tuple, set or dictionary, of Python's own
// The items of another iterable, a view of a dictionary or a generator, which can be read once only; other
// objects as they are.
nb::object listed(nb::handle h);
// One, or an iterable of them.
std::vector<Variable> as_variables(nb::handle h, const char* what = "variables");
// What a caller called these variables, of as_variables(given): keys of results are the objects that were
// given, functions as well as variables.
std::vector<nb::object> names_of(nb::handle given, const std::vector<Variable>& variables);
Function as_function(nb::handle h, const char* what = "a function");

Shape as_shape(nb::handle h, const std::string& what = "a shape");
nb::tuple wrap(const Shape& s);
nb::tuple dims(const Shape& s);  // of data: a tuple that may be called as well
DType as_dtype(nb::handle h);    // NumPy's types and their names, CNTK's numbers, None for unknown
nb::object wrap(DType t);        // numpy.float32
Axes as_axes(nb::handle h);      // an axis or a list of them, in the order batch, sequence
Axis as_axis(nb::handle h);
nb::tuple wrap(const Axes& a);
Initializer as_initializer(nb::handle h, DType dtype);  // an initializer, a number, an array
std::string class_name(nb::handle h);

// Sets where the user's program builds what is being built: the first frame outside the package.
class CallSite {
 public:
  CallSite();

 private:
  OriginScope scope_;
};

// Raises an ArgumentError of this text, as a Python error.
void set_argument_error(const std::string& text);
// To be called when all is bound.
void explain_refusals(nb::module_&);

void bind_errors(nb::module_&);
void bind_types(nb::module_&);
void bind_axis(nb::module_&);
void bind_device(nb::module_&);
void bind_tensor(nb::module_&);
void bind_value(nb::module_&);
void bind_initializer(nb::module_&);
void bind_variable(nb::module_&);
void bind_function(nb::module_&);
void bind_evaluate(nb::module_&);
void bind_streams(nb::module_&);
void bind_operators(nb::module_&);
void bind_native(nb::module_&);
void bind_layers(nb::module_&);
void bind_losses(nb::module_&);
void bind_profile(nb::module_&);
void bind_decode(nb::module_&);
void bind_inspect(nb::module_&);
void bind_files(nb::module_&);
void bind_user_function(nb::module_&);

}  // namespace cantik::python
