#include "binding/options.h"

#include <cantik/initializer.h>
#include <cantik/layers/argument.h>
#include <cantik/layers/step.h>

#include "binding/arguments.h"
#include "binding/layers.h"
#include "binding/numpy.h"
#include "binding/text.h"
#include "binding/training.h"

namespace cantik::python {
namespace {

using layers::InitialState;
using layers::PerAxis;

bool is_list_of_options(nb::handle h) { return PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()); }

template <class T, class One>
std::vector<T> one_or_several(nb::handle h, const std::string& name, One&& one) {
  std::vector<T> values;
  if (is_list_of_options(h) && nb::len(h) == 0) throw not_of_kind(name, "a value or several of them", h);
  if (is_list_of_options(h))
    for (nb::handle item : nb::borrow(h)) values.push_back(one(item));
  else
    values.push_back(one(h));
  return values;
}

// Whatever Python takes for true or false.
bool truth_of(nb::handle h) {
  const int truth = PyObject_IsTrue(h.ptr());
  if (truth < 0) nb::raise_python_error();
  return truth != 0;
}

// Several numbers; one alone does not say how many axes there are.
Shape shape_in(nb::handle h, const std::string& name) {
  if (is_list_of_options(h) || (is_array(h) && rank_of_array(h) == 1)) return as_shape(h, name);
  const std::string size = PyLong_Check(h.ptr()) && !PyBool_Check(h.ptr()) ? quoted(h) : "2";
  throw not_of_kind(name, "a tuple with a number for each axis", h)
      .remedy(cat("give (", size, ", ", size, ") for a window on images"));
}

layers::Extents extents_in(nb::handle h, const std::string& name) {
  if (h.is_none()) throw not_of_kind(name, "a whole number or a tuple of them", h);
  return as_shape(h, name);
}

Initializer initializer_in(const OptionDescription& option, nb::handle h, DType dtype) {
  const auto* usual = option.value.as<Initializer>();
  const bool is_zero = usual && usual->kind == Initializer::Kind::constant && usual->scale == 0;
  return h.is_none() && is_zero ? *usual : as_initializer(h, dtype);
}

layers::Activation activation_in(nb::handle h) {
  if (h.is_none())
    throw type_error("an activation must be a function or the name of an operator, not NoneType");
  return as_activation(h);
}

// A number for all elements, numbers, or a variable. None stands for 0.
InitialState state_in(nb::handle h, DType dtype) {
  if (h.is_none()) return constant(Shape{1}, 0.0, dtype);
  if (PyFloat_Check(h.ptr()) || PyLong_Check(h.ptr()))
    return constant(Shape{1}, number_in(h, "an initial state"), dtype);
  return as_operand(h, dtype);
}

}  // namespace

layers::Activation as_activation(nb::handle h) {
  if (h.is_none()) return {};
  if (PyUnicode_Check(h.ptr())) return layers::Activation(nb::cast<std::string>(h));
  if (!PyCallable_Check(h.ptr()))
    throw type_error("an activation must be a function or the name of an operator, not " + class_name(h));
  if (std::optional<Function> f = function_in(h); f && !layers::Activation(*f)) return {};  // the identity
  nb::object f = nb::borrow(h);
  return layers::Activation(
      [f](const Variable& x) { return as_variable(f(wrap(x)), "the result of an activation"); });
}

std::optional<OptionValue> default_of(const OptionDescription& option, DType dtype) {
  auto typed = [dtype](const InitialState& s) { return InitialState(constant(Shape{1}, s.number(), dtype)); };
  if (option.kind == OptionKind::dtype) return OptionValue(dtype);
  if (dtype == DType::unknown) return {};
  if (const auto* state = option.value.as<InitialState>()) return OptionValue(typed(*state));
  if (const auto* states = option.value.as<std::vector<InitialState>>()) {
    std::vector<InitialState> all;
    for (const InitialState& s : *states) all.push_back(typed(s));
    return OptionValue(all);
  }
  return {};
}

OptionValue option_in(const OptionDescription& option, nb::handle h, DType dtype) {
  const std::string& name = option.name;
  if (h.is_none() && (option.may_be_left || !option.default_call.empty())) return {};
  switch (option.kind) {
    case OptionKind::flag: return option.truth ? truth_of(h) : flag_in(h, name);
    case OptionKind::whole: return whole_in(h, name);
    case OptionKind::number: return number_in(h, name);
    case OptionKind::text: return h.is_none() && !option.required ? std::string() : text_in(h, name);
    case OptionKind::seed: return seed_in(h);
    case OptionKind::dtype: return as_dtype(h);
    case OptionKind::schedule: return as_schedule(h, name.c_str());
    case OptionKind::shape: return shape_in(h, name);
    case OptionKind::extents: return extents_in(h, name);
    case OptionKind::flags:
      return PerAxis<bool>(one_or_several<bool>(h, name, [&](nb::handle one) { return flag_in(one, name); }));
    case OptionKind::counts:
      return PerAxis<int64_t>(
          one_or_several<int64_t>(h, name, [&](nb::handle one) { return whole_in(one, name); }));
    case OptionKind::activation: return activation_in(h);
    case OptionKind::activations: return one_or_several<layers::Activation>(h, name, as_activation);
    case OptionKind::initializer: return initializer_in(option, h, dtype);
    case OptionKind::tensor: return tensor_of_array(array_of(h), dtype).clone();
    case OptionKind::variable: return as_variable(h, name.c_str());
    case OptionKind::step: return layers::Step(as_function(h, "a step"));
    case OptionKind::state: return state_in(h, dtype);
    case OptionKind::states:
      return one_or_several<InitialState>(h, name, [&](nb::handle one) {
        if (one.is_none() && is_list_of_options(h)) throw not_of_kind(name, "a state or several of them", h);
        return state_in(one, dtype);
      });
  }
  return {};
}

}  // namespace cantik::python
