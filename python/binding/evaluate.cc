// eval, grad, forward, backward: from Python's dictionaries to a run, without Python code in between.
#include <algorithm>
#include <utility>

#include <cantik/evaluation.h>

#include "binding/feeds.h"
#include "binding/numpy.h"
#include "binding/sequences.h"

namespace cantik::python {
namespace {

// The answer for an arguments object. Memory that values point into outlives the run.
Answer answer_of(const Evaluation& ask, nb::handle given) {
  Kept kept;
  Kept* const keep = ask.may_keep_inputs() ? nullptr : &kept;
  const nb::object starts = common_starts(given);
  FeedMatcher matcher(ask.network(), ask.inputs());
  std::vector<Value> values(ask.inputs().size());
  match(matcher, given, [&](size_t place, const Variable& v, nb::handle data) {
    values[place] = feed_of(v, data, keep, starts);
  });
  Unlocked unlock;
  return ask.run(values);
}

// Values that a run lends: those of the run before are over.
std::shared_ptr<const bool> lend(FunctionBox& box) {
  if (box.lent) *box.lent = false;
  box.lent = std::make_shared<bool>(true);
  return box.lent;
}

// Values of a run that goes on with the function's last one, and ends none: they are over with those of it.
std::shared_ptr<const bool> lend_further(FunctionBox& box) {
  if (!box.lent) box.lent = std::make_shared<bool>(true);
  return box.lent;
}

nb::object shown_value(const Value& v, bool as_numpy, const std::shared_ptr<const bool>& valid) {
  return as_numpy ? result_of(v) : wrap(v, valid);
}

// A dictionary; its keys are the caller's own objects where he gave a list of variables.
nb::object all_shown(const std::vector<Variable>& keys, nb::handle given, const std::vector<Value>& values,
                     bool as_numpy, const std::shared_ptr<const bool>& valid) {
  nb::dict d;
  const std::vector<nb::object> named = names_of(given, keys);
  for (size_t i = 0; i < keys.size(); ++i) d[named[i]] = shown_value(values[i], as_numpy, valid);
  return d;
}

// The value itself where there is one only, however often it was asked for.
nb::object single_or_all(const std::vector<Variable>& keys, nb::handle given,
                         const std::vector<Value>& values, bool as_numpy,
                         const std::shared_ptr<const bool>& valid) {
  const auto other = [&](const Variable& v) { return v != keys[0]; };
  const bool single = !keys.empty() && std::none_of(keys.begin(), keys.end(), other);
  return single ? shown_value(values[0], as_numpy, valid) : all_shown(keys, given, values, as_numpy, valid);
}

std::vector<Variable> wanted_of(const Function& f, nb::handle outputs) {
  if (outputs.is_none()) return f.outputs();
  std::vector<Variable> wanted = as_variables(outputs, "outputs");
  if (wanted.empty())
    throw value_error("At least one output has to be specified")
        .remedy("leave outputs out to get all outputs");
  return wanted;
}

nb::object eval(FunctionBox& box, nb::handle arguments, nb::handle outputs_given,
                const std::optional<Device>& device, bool as_numpy, bool check_nan) {
  const Interruptible compiling;
  const nb::object outputs = listed(outputs_given);
  Function f = box.function().as_composite();
  const Evaluation ask(
      f, {.outputs = wanted_of(f, outputs), .check_nan = check_nan, .device = device, .share_states = true});
  const Answer answer = answer_of(ask, arguments);
  return single_or_all(ask.question().outputs, outputs, answer.outputs, as_numpy,
                       as_numpy ? nullptr : lend(box));
}

std::vector<Variable> differentiable(const Function& f) {
  std::vector<Variable> list;
  for (const Variable& v : f.arguments())
    if (v.needs_gradient() && v.is_input()) list.push_back(v);
  return list;
}

nb::object grad(FunctionBox& box, nb::handle at, nb::handle wrt_given, nb::handle outputs_given,
                const std::optional<Device>& device, bool as_numpy, nb::handle grad_root, bool check_nan) {
  const Interruptible compiling;
  const nb::object wrt = listed(wrt_given), outputs = listed(outputs_given);
  Function f = box.function().as_composite();
  std::vector<Variable> with =
      wrt.is_none() ? differentiable(f) : as_variables(wrt, "the variables to differentiate by");
  std::vector<Variable> wanted =
      outputs.is_none() ? std::vector<Variable>() : as_variables(outputs, "outputs");
  Variable root = grad_root.is_none() ? f.output() : as_variable(grad_root, "the root of the gradient");
  if (with.empty())
    throw value_error("the function has no arguments that need a gradient")
        .node(f.text())
        .remedy("declare inputs with needs_gradient=True, or name parameters in wrt");
  for (const Variable& v : with)
    if (!v.needs_gradient())
      throw value_error("the gradient of " + v.text() + " is not computed: it does not need one")
          .node(f.text())
          .remedy("declare the input with needs_gradient=True");
  const Evaluation ask(f, {.outputs = std::move(wanted),
                           .wrt = std::move(with),
                           .root = std::move(root),
                           .row_sparse = !as_numpy,
                           .check_nan = check_nan,
                           .device = device,
                           .share_states = true});
  const Answer answer = answer_of(ask, at);
  std::shared_ptr<const bool> valid = as_numpy ? nullptr : lend(box);
  nb::object gradients = single_or_all(ask.question().wrt, wrt, answer.gradients, as_numpy, valid);
  if (outputs.is_none()) return gradients;
  return nb::make_tuple(gradients,
                        single_or_all(ask.question().outputs, outputs, answer.outputs, as_numpy, valid));
}

// The state of a forward run, for backward.
struct StateBox {
  std::shared_ptr<BackPropState> state;
  Function function;
  Device device;
};

nb::object forward(FunctionBox& box, nb::handle arguments, nb::handle outputs_given, nb::handle keep,
                   const std::optional<Device>& device, bool as_numpy) {
  const Interruptible compiling;
  const nb::object outputs = listed(outputs_given);
  Function f = box.function().as_composite();
  std::vector<Variable> wanted = wanted_of(f, outputs);
  std::vector<Variable> roots =
      keep.is_none() ? std::vector<Variable>() : as_variables(keep, "the outputs to keep the state of");
  Feeds feeds = feeds_of(f, f.arguments(), arguments, nullptr);
  // backward may read them after the caller has written the next minibatch into the arrays
  for (auto& [input, value] : feeds)
    if (!roots.empty()) value.data = value.data.clone();
  ForwardPass pass;
  {
    Unlocked unlock;
    pass = f.forward(feeds, wanted, roots, {.device = device});
  }
  nb::object values = all_shown(wanted, outputs, pass.outputs, as_numpy, as_numpy ? nullptr : lend(box));
  return nb::make_tuple(
      pass.state ? nb::cast(StateBox{pass.state, f, device.value_or(Device::used())}) : nb::none(), values);
}

nb::object backward(FunctionBox& box, const StateBox& state, nb::handle root_gradients,
                    nb::handle variables_given, bool as_numpy) {
  const Interruptible compiling;
  const nb::object variables = listed(variables_given);
  Function f = box.function().as_composite();
  std::vector<Variable> wrt = as_variables(variables, "the variables to differentiate by");
  Feeds roots;
  if (PyDict_Check(root_gradients.ptr())) {
    for (auto [key, data] : nb::borrow<nb::dict>(root_gradients)) {
      Variable v = as_variable(key, "a root");
      roots.emplace_back(v, feed_of(v, data));
    }
  } else {
    roots.emplace_back(f.output(), feed_of(f.output(), root_gradients));
  }
  std::vector<Value> values;
  {
    Unlocked unlock;
    values = f.backward(state.state, roots, wrt);
  }
  return all_shown(wrt, variables, values, as_numpy, as_numpy ? nullptr : lend_further(box));
}

}  // namespace

void bind_evaluate(nb::module_& m) {
  nb::class_<StateBox>(m, "BackPropState", "What a forward run leaves for backward.")
      .def("function", [](const StateBox& b) { return wrap(b.function); })
      .def("device", [](const StateBox& b) { return b.device; });
  auto function = nb::borrow<nb::class_<FunctionBox>>(m.attr("Function"));
  function
      .def("eval", &eval, nb::arg("arguments") = nb::none(), nb::arg("outputs") = nb::none(),
           nb::arg("device") = nb::none(), nb::arg("as_numpy") = true, nb::arg("check_nan") = false,
           "Evaluates the function.\n\nArgs:\n    arguments: a dictionary from input variables or their "
           "names to data, or the data of the only argument\n"
           "    outputs: the outputs wanted, all by default\n    device: where to run, by default where "
           "try_set_default_device says\n    as_numpy: False "
           "gives Values, which are over with the function's next run\n"
           "    check_nan: an error names the first operator that makes a NaN; slower\n\n"
           "Returns:\n    an array [batch, shape...] (a list of arrays where there is a sequence axis); of "
           "several different outputs a dictionary")
      .def("grad", &grad, nb::arg("at").none(), nb::arg("wrt") = nb::none(), nb::arg("outputs") = nb::none(),
           nb::arg("device") = nb::none(), nb::arg("as_numpy") = true, nb::arg("grad_root") = nb::none(),
           nb::arg("check_nan") = false,
           "Gradients of the function's summed output.\n\nArgs:\n    at: the arguments, as eval takes them\n "
           "   wrt: variables to differentiate by; by default the inputs that need a gradient\n"
           "    outputs: outputs to compute with them\n    device: where to run, by default where "
           "try_set_default_device says\n    as_numpy: False gives "
           "Values\n    grad_root: the output to differentiate where there are several\n"
           "    check_nan: an error names the first operator that makes a NaN; slower\n\n"
           "Returns:\n    an array, of several different variables a dictionary; a pair with the outputs if "
           "those were asked for")
      .def("forward", &forward, nb::arg("arguments").none(), nb::arg("outputs") = nb::none(),
           nb::arg("keep_for_backward") = nb::none(), nb::arg("device") = nb::none(),
           nb::arg("as_numpy") = true,
           "Evaluates the function and keeps what backward needs.\n\nReturns:\n    the state for backward "
           "(None where nothing was to be kept), and a dictionary from outputs to values")
      .def("backward", &backward, nb::arg("state"), nb::arg("root_gradients"), nb::arg("variables").none(),
           nb::arg("as_numpy") = true,
           "Gradients with respect to `variables`, from the state of a forward run and the gradients of its "
           "roots.\n\nArgs:\n    as_numpy: False gives Values, which are over with the function's next "
           "forward run\n\nReturns:\n    a dictionary from variables to gradients");
}

}  // namespace cantik::python
