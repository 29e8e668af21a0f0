// Recurrences and their steps: options as arguments.
#include <cantik/recurrence.h>

#include "binding/arguments.h"
#include "binding/layers.h"
#include "binding/numpy.h"

namespace cantik::python {
namespace {

using layers::InitialState;

// A number for all elements, numbers, or a variable.
InitialState as_state(nb::handle h, DType dtype) {
  if (PyFloat_Check(h.ptr()) || PyLong_Check(h.ptr()))
    return constant(Shape{1}, number_in(h, "an initial state"), dtype);
  return as_operand(h, dtype);
}

layers::RecurrenceOptions options(bool go_backwards, nb::handle initial, bool return_full_state,
                                  nb::handle dtype, const std::string& name) {
  layers::RecurrenceOptions o;
  o.go_backwards = go_backwards;
  o.return_full_state = return_full_state;
  o.name = name;
  o.initial_state.clear();
  DType t = as_dtype(dtype);
  if (PyTuple_Check(initial.ptr()) || PyList_Check(initial.ptr()))
    for (nb::handle state : nb::borrow(initial)) o.initial_state.push_back(as_state(state, t));
  else
    o.initial_state.push_back(as_state(initial, t));
  return o;
}

layers::CellOptions cell_options(std::optional<int64_t> cell_shape, nb::handle activation, bool use_peepholes,
                                 nb::handle init, nb::handle init_bias, bool enable_self_stabilization,
                                 nb::handle dtype, const std::string& name) {
  if (activation.is_none())
    throw type_error("an activation must be a function or the name of an operator, not NoneType");
  DType t = as_dtype(dtype);
  return {cell_shape,
          as_activation(activation),
          use_peepholes,
          as_initializer(init, t),
          bias_in(init_bias, t),
          enable_self_stabilization,
          t,
          name};
}

}  // namespace

void bind_recurrences(nb::module_& m) {
  using Along = Function (*)(const layers::Step&, const layers::RecurrenceOptions&, SourceLocation);
  for (auto [name, make] : {std::pair<const char*, Along>{"recurrence", &layers::recurrence},
                            {"fold", &layers::fold},
                            {"recurrence_from", &layers::recurrence_from}})
    m.def(
        name,
        [make = make](nb::object step, bool go_backwards, nb::object initial_state, bool return_full_state,
                      nb::object dtype, const std::string& instance) {
          CallSite here;
          return wrap(make(as_function(step, "a step"),
                           options(go_backwards, initial_state, return_full_state, dtype, instance), {}));
        },
        nb::arg("step"), nb::arg("go_backwards"), nb::arg("initial_state"), nb::arg("return_full_state"),
        nb::arg("dtype"), nb::arg("name"));
  m.def(
      "unfold_from",
      [](nb::object generator, nb::object until_predicate, double length_increase, const std::string& name) {
        CallSite here;
        layers::UnfoldOptions o{{}, length_increase, name};
        if (!until_predicate.is_none())
          o.until_predicate = layers::Step(as_function(until_predicate, "a predicate"));
        return wrap(layers::unfold_from(as_function(generator, "a generator"), o, {}));
      },
      nb::arg("generator"), nb::arg("until_predicate").none(), nb::arg("length_increase"), nb::arg("name"));
  m.def(
      "delay",
      [](int64_t T, nb::object initial_state, nb::object dtype, const std::string& name) {
        CallSite here;
        return wrap(layers::delay(T, as_state(initial_state, as_dtype(dtype)), name, {}));
      },
      nb::arg("T"), nb::arg("initial_state"), nb::arg("dtype"), nb::arg("name"));
  m.def(
      "optimized_rnnstack",
      [](nb::object operand, nb::object weights, int64_t hidden_size, int64_t num_layers, bool bidirectional,
         const std::string& recurrent_op, const std::string& name) {
        CallSite here;
        return wrap(layers::optimized_rnnstack(as_variable(operand), as_variable(weights), hidden_size,
                                               num_layers, bidirectional, recurrent_op, name, {}));
      },
      nb::arg("operand"), nb::arg("weights"), nb::arg("hidden_size"), nb::arg("num_layers"),
      nb::arg("bidirectional"), nb::arg("recurrent_op"), nb::arg("name"));
  m.def(
      "past_value_window",
      [](int64_t window_size, int64_t axis, bool go_backwards, const std::string& name) {
        CallSite here;
        return wrap(layers::past_value_window(window_size, axis, go_backwards, name, {}));
      },
      nb::arg("window_size"), nb::arg("axis"), nb::arg("go_backwards"), nb::arg("name"));
  m.def(
      "attention_model",
      [](int64_t attention_dim, std::optional<int64_t> attention_span, std::optional<int64_t> attention_axis,
         nb::object init, bool go_backwards, bool enable_self_stabilization, nb::object dtype,
         const std::string& name) {
        CallSite here;
        DType t = as_dtype(dtype);
        return wrap(layers::attention_model(attention_dim,
                                            {attention_span, attention_axis, as_initializer(init, t),
                                             go_backwards, enable_self_stabilization, t, name},
                                            {}));
      },
      nb::arg("attention_dim"), nb::arg("attention_span").none(), nb::arg("attention_axis").none(),
      nb::arg("init"), nb::arg("go_backwards"), nb::arg("enable_self_stabilization"), nb::arg("dtype"),
      nb::arg("name"));
  using Cell = Function (*)(int64_t, const layers::CellOptions&, SourceLocation);
  for (auto [name, make] : {std::pair<const char*, Cell>{"rnn_step", &layers::rnn_step},
                            {"lstm", &layers::lstm},
                            {"gru", &layers::gru}})
    m.def(
        name,
        [make = make](int64_t shape, std::optional<int64_t> cell_shape, nb::object activation,
                      bool use_peepholes, nb::object init, nb::object init_bias,
                      bool enable_self_stabilization, nb::object dtype, const std::string& instance) {
          CallSite here;
          return wrap(make(shape,
                           cell_options(cell_shape, activation, use_peepholes, init, init_bias,
                                        enable_self_stabilization, dtype, instance),
                           {}));
        },
        nb::arg("shape"), nb::arg("cell_shape").none(), nb::arg("activation").none(),
        nb::arg("use_peepholes"), nb::arg("init"), nb::arg("init_bias").none(),
        nb::arg("enable_self_stabilization"), nb::arg("dtype"), nb::arg("name"));
}

}  // namespace cantik::python
