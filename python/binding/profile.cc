// The profiler, the compiler's switches and reports, and what is kept from run to run.
#include <cantik/compiler.h>
#include <cantik/function.h>
#include <cantik/memory.h>
#include <cantik/profile.h>

#include "binding/common.h"

namespace cantik::python {
namespace {

void bind_recording(nb::module_& m) {
  nb::class_<Profile>(m, "Profile", "Records runs until it is paused.")
      .def(nb::init<>())
      .def("pause", &Profile::pause)
      .def("resume", &Profile::resume)
      .def_prop_ro(
          "events",
          [](const Profile& p) {
            nb::list list;
            for (const ProfileEvent& e : p.events())
              list.append(nb::make_tuple(e.name, e.begin, e.end, e.thread));
            return list;
          },
          "Calls of kernels: (name, begin, end, thread), in nanoseconds.")
      .def_prop_ro(
          "rows",
          [](const Profile& p) {
            nb::list list;
            for (const ProfileRow& r : p.rows()) list.append(nb::make_tuple(r.name, r.calls, r.nanoseconds));
            return list;
          },
          "Sums by kernel: (name, calls, nanoseconds), the most expensive first.")
      .def_prop_ro("memory", &Profile::memory)
      .def_prop_ro("kept", [](const Profile& p) { return p.kept().bytes; })
      .def_prop_ro("budget", [](const Profile& p) { return p.kept().budget; })
      .def("table", &Profile::table)
      .def("trace", &Profile::trace, "The events in Chrome's form, JSON.");
  m.def("time_functions", &time_functions, nb::arg("on"));
  m.def(
      "function_times",
      [] {
        nb::list list;
        for (const NodeTime& t : function_times())
          list.append(nb::make_tuple(t.uid, t.kernel, t.calls, t.nanoseconds));
        return list;
      },
      "What kernels took while functions were timed: (uid of the function, kernel, calls, nanoseconds).");
}

}  // namespace

void bind_profile(nb::module_& m) {
  bind_recording(m);
  m.def("set_checked_mode", &set_checked_mode, nb::arg("on"));
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
  m.def("plans_compiled", &plans_compiled, "How many plans this process has made.");
  m.def("programs_made", &programs_made,
        "How many programs this process has made of its plans: one each, and one for each combination of "
        "free dimensions.");
  m.def("pass_names", &pass_names, "The compiler's passes in their order.");
  m.def("switch_pass", &switch_pass, nb::arg("name"), nb::arg("on"), "Switches an optional pass off or on.");
  m.def("set_verification", &set_verification, nb::arg("on"), "Verifies the graph after each pass.");
  m.def(
      "plan_reports",
      [](nb::object function, nb::object gradients) {
        const std::vector<Variable> wrt =
            gradients.is_none() ? std::vector<Variable>() : as_variables(gradients);
        nb::list list;
        for (const PassReport& p : pass_reports(as_function(function), wrt))
          list.append(nb::make_tuple(p.name, p.microseconds, p.text));
        return list;
      },
      nb::arg("function"), nb::arg("gradients") = nb::none(),
      "What each pass makes of a function's graph: (pass, microseconds, text).");
}

}  // namespace cantik::python
