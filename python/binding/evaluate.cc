// eval, grad, forward, backward: from Python's dictionaries to a run, without Python code in between.
#include <algorithm>

#include "binding/feeds.h"
#include "binding/numpy.h"
#include "binding/sequences.h"
#include "runtime/bound_plans.h"
#include "runtime/feeds.h"
#include "runtime/run.h"

namespace cantik::python {
namespace {

using runtime::BoundPlan;
using runtime::Outputs;

// What eval asks for again and again: the same outputs of the same function.
struct Ready {
  std::vector<Variable> outputs;
  std::shared_ptr<BoundPlan> plan;
  std::vector<int32_t> inputs;  // leaves to be fed
};

std::string names_of(const std::vector<Variable>& list) {
  std::string s;
  for (const Variable& v : list) s += (s.empty() ? "" : ", ") + (v.name().empty() ? v.uid() : v.name());
  return s;
}

Ready ready_for(std::shared_ptr<BoundPlan> plan, std::vector<Variable> outputs) {
  Ready r{std::move(outputs), std::move(plan), {}};
  for (size_t i = 0; i < r.plan->leaves().size(); ++i)
    if (r.plan->wants(i)) r.inputs.push_back(static_cast<int32_t>(i));
  return r;
}

// Values for the leaves, in memory that outlives the run.
class Arranged {
 public:
  Arranged(const Function& f, const Ready& r, nb::handle given)
      : leaves_(r.plan->leaves()),
        inputs_(r.inputs),
        values_(inputs_.size()),
        given_(inputs_.size()),
        lends_(r.plan->plan().lends()) {
    list.assign(leaves_.size(), nullptr);
    starts_ = common_starts(given);
    if (PyDict_Check(given.ptr()))
      take(f, given);
    else if (!given.is_none())
      take_only(f, given);
    for (size_t k = 0; k < inputs_.size(); ++k)
      if (!given_[k]) missing(f);
  }
  std::vector<const Value*> list;

 private:
  void take(const Function& f, nb::handle dictionary) {
    PyObject *key, *data;
    Py_ssize_t at = 0;
    std::vector<Variable> unused;
    while (PyDict_Next(dictionary.ptr(), &at, &key, &data)) {
      if (const Variable* v = variable_in(key)) {
        if (!put(*v, data)) unused.push_back(*v);
      } else {
        Variable found = PyUnicode_Check(key) ? named(f, nb::cast<std::string>(nb::handle(key)))
                                              : as_variable(key, "a variable or a name");
        if (!put(found, data)) unused.push_back(found);
      }
    }
    warn_of_unused(unused);
  }
  void take_only(const Function& f, nb::handle data) {
    std::vector<Variable> arguments = f.arguments();
    if (arguments.size() != 1)
      throw value_error("function expects " + std::to_string(arguments.size()) + " arguments").node(f.text());
    put(arguments[0], data);
  }
  // Whether anything reads it.
  bool put(const Variable& v, nb::handle data) {
    bool read = false;
    for (size_t k = 0; k < inputs_.size(); ++k) {
      size_t leaf = static_cast<size_t>(inputs_[k]);
      if (!(leaves_[leaf] == v)) continue;
      values_[k] = feed_of(v, data, lends_ ? nullptr : &kept_, starts_);
      runtime::check_feed(v, values_[k]);
      list[leaf] = &values_[k];
      given_[k] = true;
      read = true;
    }
    return read;
  }
  static Variable named(const Function& f, const std::string& name) {
    std::vector<Variable> arguments = f.arguments();
    for (const Variable& v : arguments)
      if (v.name() == name || v.uid() == name) return v;
    throw value_error("variable with name \"" + name +
                      "\" does not exist in the network. Available variable names: " + names_of(arguments));
  }
  [[noreturn]] void missing(const Function& f) const {
    std::vector<Variable> wanted, absent;
    for (size_t k = 0; k < inputs_.size(); ++k) {
      wanted.push_back(leaves_[static_cast<size_t>(inputs_[k])]);
      if (!given_[k]) absent.push_back(wanted.back());
    }
    throw value_error("function expects " + std::to_string(wanted.size()) + " arguments")
        .node(f.text())
        .remedy("give data for " + names_of(absent));
  }

  const std::vector<Variable>& leaves_;
  const std::vector<int32_t>& inputs_;
  std::vector<Value> values_;
  std::vector<char> given_;
  bool lends_;         // user functions may hold on to what was fed
  nb::object starts_;  // markers of sequences for all inputs
  Kept kept_;
};

// Values that a run lends: those of the run before are over.
std::shared_ptr<const bool> lend(FunctionBox& box) {
  if (box.lent) *box.lent = false;
  box.lent = std::make_shared<bool>(true);
  return box.lent;
}

nb::object shown(const Value& v, bool as_numpy, const std::shared_ptr<const bool>& valid) {
  return as_numpy ? result_of(v) : wrap(v, valid);
}

// A dictionary; its keys are the caller's own objects where he gave a list of variables.
nb::object all_shown(const std::vector<Variable>& keys, nb::handle given, const std::vector<Value>& values,
                     size_t first, bool as_numpy, const std::shared_ptr<const bool>& valid) {
  nb::dict d;
  PyObject** own = nullptr;
  if ((PyList_CheckExact(given.ptr()) || PyTuple_CheckExact(given.ptr())) &&
      PySequence_Fast_GET_SIZE(given.ptr()) == static_cast<Py_ssize_t>(keys.size()))
    own = PySequence_Fast_ITEMS(given.ptr());
  for (size_t i = 0; i < keys.size(); ++i) {
    nb::object key = own && variable_in(own[i]) ? nb::borrow(own[i]) : wrap(keys[i]);
    d[key] = shown(values[first + i], as_numpy, valid);
  }
  return d;
}

nb::object single_or_all(const std::vector<Variable>& keys, nb::handle given,
                         const std::vector<Value>& values, size_t first, bool as_numpy,
                         const std::shared_ptr<const bool>& valid) {
  return keys.size() == 1 ? shown(values[first], as_numpy, valid)
                          : all_shown(keys, given, values, first, as_numpy, valid);
}

std::vector<Value> run(const Function& f, const Ready& r, nb::handle arguments, bool check_nan) {
  Arranged feeds(f, r, arguments);
  Outputs out;
  {
    Unlocked unlock;
    runtime::GraphRun run(*r.plan, feeds.list, out);
    run.options.check_nan = check_nan;
    run.go();
  }
  return out.values();
}

std::vector<Variable> wanted_of(const Function& f, nb::handle outputs) {
  if (outputs.is_none()) return f.outputs();
  std::vector<Variable> wanted = as_variables(outputs, "outputs");
  if (wanted.empty())
    throw value_error("At least one output has to be specified")
        .remedy("leave outputs out to get all outputs");
  return wanted;
}

nb::object eval(FunctionBox& box, nb::handle arguments, nb::handle outputs, const std::optional<Device>&,
                bool as_numpy, bool check_nan) {
  const Interruptible compiling;
  Function f = box.function().as_composite();
  std::vector<Variable> wanted = wanted_of(f, outputs);
  Ready r =
      ready_for(runtime::bound_plans_of(f).of({wanted, {}, {}, ir::Mode::evaluation, {}, check_nan}), wanted);
  std::vector<Value> values = run(f, r, arguments, check_nan);
  return single_or_all(wanted, outputs, values, 0, as_numpy, as_numpy ? nullptr : lend(box));
}

std::vector<Variable> differentiable(const Function& f) {
  std::vector<Variable> list;
  for (const Variable& v : f.arguments())
    if (v.needs_gradient() && v.is_input()) list.push_back(v);
  return list;
}

nb::object grad(FunctionBox& box, nb::handle at, nb::handle wrt, nb::handle outputs,
                const std::optional<Device>&, bool as_numpy, nb::handle grad_root, bool check_nan) {
  const Interruptible compiling;
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
  std::vector<FewRows> few_rows(with.size(), as_numpy ? FewRows::none : FewRows::all);
  Ready r = ready_for(
      runtime::bound_plans_of(f).of({wanted, {root}, with, ir::Mode::training, few_rows, check_nan}), wanted);
  std::vector<Value> values = run(f, r, at, check_nan);
  std::shared_ptr<const bool> valid = as_numpy ? nullptr : lend(box);
  nb::object gradients = single_or_all(with, wrt, values, wanted.size(), as_numpy, valid);
  if (outputs.is_none()) return gradients;
  return nb::make_tuple(gradients, single_or_all(wanted, outputs, values, 0, as_numpy, valid));
}

// The state of a forward run, for backward.
struct StateBox {
  std::shared_ptr<BackPropState> state;
};

nb::object forward(FunctionBox& box, nb::handle arguments, nb::handle outputs, nb::handle keep,
                   const std::optional<Device>&, bool as_numpy) {
  const Interruptible compiling;
  Function f = box.function().as_composite();
  std::vector<Variable> wanted = wanted_of(f, outputs);
  std::vector<Variable> roots =
      keep.is_none() ? std::vector<Variable>() : as_variables(keep, "the outputs to keep the state of");
  Feeds feeds = feeds_of(f.arguments(), arguments, nullptr);
  std::vector<Value> values;
  std::shared_ptr<BackPropState> state;
  {
    Unlocked unlock;
    state = f.forward(feeds, wanted, roots, values);
  }
  nb::object shown_values = all_shown(wanted, outputs, values, 0, as_numpy, as_numpy ? nullptr : lend(box));
  return nb::make_tuple(state ? nb::cast(StateBox{state}) : nb::none(), shown_values);
}

nb::object backward(FunctionBox& box, const StateBox& state, nb::handle root_gradients, nb::handle variables,
                    bool as_numpy) {
  const Interruptible compiling;
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
  return all_shown(wrt, variables, values, 0, as_numpy, as_numpy ? nullptr : lend(box));
}

}  // namespace

void bind_evaluate(nb::module_& m) {
  nb::class_<StateBox>(m, "BackPropState", "What a forward run leaves for backward.");
  auto function = nb::borrow<nb::class_<FunctionBox>>(m.attr("Function"));
  function
      .def("eval", &eval, nb::arg("arguments") = nb::none(), nb::arg("outputs") = nb::none(),
           nb::arg("device") = nb::none(), nb::arg("as_numpy") = true, nb::arg("check_nan") = false,
           "Evaluates the function.\n\nArgs:\n    arguments: a dictionary from input variables or their "
           "names to data, or the data of the only argument\n"
           "    outputs: the outputs wanted, all by default\n    device: where to run\n    as_numpy: False "
           "gives Values, which are over with the function's next run\n"
           "    check_nan: an error names the first operator that makes a NaN; slower\n\n"
           "Returns:\n    an array [batch, shape...] (a list of arrays where there is a sequence axis); of "
           "several outputs a dictionary")
      .def("grad", &grad, nb::arg("at"), nb::arg("wrt") = nb::none(), nb::arg("outputs") = nb::none(),
           nb::arg("device") = nb::none(), nb::arg("as_numpy") = true, nb::arg("grad_root") = nb::none(),
           nb::arg("check_nan") = false,
           "Gradients of the function's summed output.\n\nArgs:\n    at: the arguments, as eval takes them\n "
           "   wrt: variables to differentiate by; by default the inputs that need a gradient\n"
           "    outputs: outputs to compute with them\n    device: where to run\n    as_numpy: False gives "
           "Values\n    grad_root: the output to differentiate where there are several\n"
           "    check_nan: an error names the first operator that makes a NaN; slower\n\n"
           "Returns:\n    an array, of several variables a dictionary; a pair with the outputs if those were "
           "asked for")
      .def("forward", &forward, nb::arg("arguments"), nb::arg("outputs") = nb::none(),
           nb::arg("keep_for_backward") = nb::none(), nb::arg("device") = nb::none(),
           nb::arg("as_numpy") = true,
           "Evaluates the function and keeps what backward needs.\n\nReturns:\n    the state for backward "
           "(None where nothing was to be kept), and a dictionary from outputs to values")
      .def("backward", &backward, nb::arg("state"), nb::arg("root_gradients"), nb::arg("variables").none(),
           nb::arg("as_numpy") = true,
           "Gradients with respect to `variables`, from the state of a forward run and the gradients of its "
           "roots.\n\nReturns:\n    a dictionary from variables to gradients");
}

}  // namespace cantik::python
