// Networks as tables and pictures; checks of gradients.
#include <cantik/check.h>
#include <cantik/inspect.h>
#include <cantik/observe.h>

#include "binding/arguments.h"
#include "binding/feeds.h"

namespace cantik::python {
namespace {

nb::tuple rows_of(const NetworkSummary& s) {
  nb::list rows, inputs;
  for (const SummaryRow& r : s.rows) {
    nb::list shapes;
    for (const Shape& shape : r.outputs) shapes.append(wrap(shape));
    rows.append(nb::make_tuple(r.name, r.op_name, shapes, r.parameters));
  }
  for (const auto& [name, shape] : s.inputs) inputs.append(nb::make_tuple(name, wrap(shape)));
  return nb::make_tuple(rows, inputs, s.parameters, s.tensors, s.text());
}

nb::tuple costs_of(const NetworkCost& c) {
  nb::list operators;
  for (const OperatorCost& o : c.operators)
    operators.append(nb::make_tuple(o.op_name, o.functions, o.operations));
  return nb::make_tuple(operators, c.operations, c.parameter_bytes, c.value_bytes);
}

std::optional<double> number_or_none(nb::handle h, const char* what) {
  return h.is_none() ? std::optional<double>() : number_in(h, what);
}

nb::tuple checked(nb::handle function, nb::handle arguments, nb::handle wrt, nb::handle step,
                  nb::handle tolerance, int samples, uint64_t seed) {
  const Interruptible comparing;
  const Function f = as_function(function).as_composite();
  Kept kept;
  const Feeds feeds = feeds_of(f, f.arguments(), arguments, &kept);
  GradientCheck check{.step = number_or_none(step, "step"),
                      .tolerance = number_or_none(tolerance, "tolerance"),
                      .samples = samples,
                      .seed = seed};
  if (!wrt.is_none()) check.wrt = as_variables(wrt, "wrt");
  GradientReport report;
  {
    Unlocked unlock;
    report = check_gradient(f, feeds, check);
  }
  nb::dict errors;
  for (const GradientError& e : report.errors) errors[wrap(e.variable)] = e.error;
  return nb::make_tuple(errors, report.tolerance);
}

}  // namespace

void bind_inspect(nb::module_& m) {
  m.def(
      "summary", [](nb::handle network) { return rows_of(summary(as_function(network))); },
      nb::arg("network"), "A network's (rows, inputs, parameters, tensors, table).");
  m.def(
      "cost", [](nb::handle network) { return costs_of(cost(as_function(network))); }, nb::arg("network"),
      "For each row: (operators, operations, bytes of parameters, bytes of values); of each operator its "
      "name, how many functions it has, and their operations.");
  m.def(
      "plot_mermaid", [](nb::handle network) { return plot_mermaid(as_function(network)); },
      nb::arg("network"));
  m.def("plot_text", [](nb::handle network) { return plot_text(as_function(network)); }, nb::arg("network"));
  m.def("plot_dot", [](nb::handle network) { return plot_dot(as_function(network)); }, nb::arg("network"));
  m.def(
      "with_each_value",
      [](nb::handle network, nb::object after) {
        return wrap(with_each_value(as_function(network), [&](const Variable& v) {
          return as_function(after(wrap(v)), "the function after a value");
        }));
      },
      nb::arg("network"), nb::arg("after"), "A copy of a network with a function applied to each value.");
  m.def("check_gradient", &checked, nb::arg("function"), nb::arg("arguments"), nb::arg("wrt").none(),
        nb::arg("step").none(), nb::arg("tolerance").none(), nb::arg("samples"), nb::arg("seed"),
        "Gradients against differences: the largest error of each variable, and the tolerance.");
}

}  // namespace cantik::python
