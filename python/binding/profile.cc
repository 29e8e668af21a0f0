// The profiler, and the switches of the compiler's passes.
#include <cantik/function.h>
#include <cantik/memory.h>

#include "binding/common.h"
#include "compile/pipeline.h"
#include "plan/plan.h"
#include "execute/profiler.h"

namespace cantik::python {

void bind_profile(nb::module_& m) {
  m.def("profile_start", &runtime::Profiler::start);
  m.def("profile_stop", [] {
    nb::list list;
    for (const runtime::ProfileEvent& e : runtime::Profiler::stop())
      list.append(nb::make_tuple(e.name, e.begin_ns, e.end_ns, e.thread));
    return list;
  });
  m.def("set_checked_mode", &set_checked_mode, nb::arg("on"));
  m.def("time_nodes", &runtime::Profiler::time_nodes, nb::arg("on"));
  m.def(
      "node_times",
      [] {
        nb::list list;
        for (const auto& [key, t] : runtime::Profiler::node_times())
          list.append(nb::make_tuple(key.first, key.second, t.calls, t.nanoseconds));
        return list;
      },
      "What kernels took while nodes were timed: (uid of the function, kernel, calls, nanoseconds).");
  m.def("memory_in_use", &memory_in_use, "Bytes that tensors, results and runs hold now.");
  m.def("memory_peak", &memory_peak, "The most bytes they have held since the last reset.");
  m.def("reset_memory_peak", &reset_memory_peak);
  m.def(
      "cache_use",
      [] {
        const CacheUse use = cache_use();
        return nb::make_tuple(use.bytes, use.budget, use.dropped);
      },
      "What is kept from run to run: bytes, the budget for them, how many things have been dropped so far.");
  m.def("set_cache_budget", &set_cache_budget, nb::arg("bytes"));
  m.def("plans_compiled", &runtime::plans_compiled, "How many plans this process has made.");
  m.def("programs_made", &runtime::programs_made,
        "How many programs this process has made of its plans: one each, and one for each combination of "
        "free dimensions.");
  m.def("pass_names", &ir::pass_names, "The compiler's passes in their order.");
  m.def("switch_pass", &ir::switch_pass, nb::arg("name"), nb::arg("on"),
        "Switches an optional pass off or on.");
  m.def("set_verification", &ir::set_verification, nb::arg("on"), "Verifies the graph after each pass.");
  m.def(
      "plan_reports",
      [](nb::object function, nb::object gradients) {
        Function f = as_function(function).as_composite();
        ir::Request r{f.outputs(), {}, {}, ir::Mode::evaluation};
        if (!gradients.is_none())
          r = {f.outputs(), {f.output()}, as_variables(gradients), ir::Mode::training};
        ir::Graph g = ir::imported(r);
        nb::list list;
        for (const ir::PassReport& p : ir::run_passes_reported(g, r))
          list.append(nb::make_tuple(p.name, p.microseconds, p.text));
        return list;
      },
      nb::arg("function"), nb::arg("gradients") = nb::none(),
      "What each pass makes of a function's graph: (pass, microseconds, text).");
}

}  // namespace cantik::python
