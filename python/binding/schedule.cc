// Schedules of rates, momenta and minibatch sizes.
#include <cantik/schedules.h>

#include "binding/options.h"
#include "binding/training.h"

namespace cantik::python {
namespace {

using Schedule = TrainingParameterSchedule;

Error not_a_schedule(nb::handle h) {
  return type_error("schedule must be either a float or a list, not " + quoted(h));
}

bool is_number(nb::handle h) {
  return PyFloat_Check(h.ptr()) || PyLong_Check(h.ptr()) ||
         (nb::hasattr(h, "__float__") && !nb::hasattr(h, "__len__"));
}

// None stands for "nobody said".
Schedule schedule_of(nb::handle values, nb::handle minibatch_size, nb::handle epoch_size) {
  std::optional<int64_t> size, epoch;
  if (!minibatch_size.is_none()) size = count_in(minibatch_size, "a schedule's minibatch_size");
  if (!epoch_size.is_none()) epoch = count_in(epoch_size, "a schedule's epoch_size");
  if (is_number(values)) {
    double v = number_in(values, "the value of a schedule");
    return size ? Schedule(v, *size) : Schedule(v);
  }
  if (!PyList_Check(values.ptr()) && !PyTuple_Check(values.ptr())) throw not_a_schedule(values);
  std::vector<Schedule::Counted> entries;
  for (nb::handle item : nb::borrow(values)) {
    if (PyTuple_Check(item.ptr()) && NB_TUPLE_GET_SIZE(item.ptr()) == 2) {
      nb::handle count = NB_TUPLE_GET_ITEM(item.ptr(), 0), v = NB_TUPLE_GET_ITEM(item.ptr(), 1);
      entries.emplace_back(count_in(count, "how often an entry of a schedule holds"),
                           number_in(v, "an entry of a schedule"));
    } else if (is_number(item)) {
      entries.emplace_back(1, number_in(item, "an entry of a schedule"));
    } else {
      throw not_a_schedule(item);
    }
  }
  int64_t every = epoch.value_or(Schedule::kFullSweep);
  return size ? Schedule(entries, every, *size) : Schedule(entries, every);
}

}  // namespace

TrainingParameterSchedule as_schedule(nb::handle h, const char* what) {
  Schedule* s = nullptr;
  if (nb::try_cast(h, s) && s) return *s;
  if (*what && !is_number(h) && !PyList_Check(h.ptr()) && !PyTuple_Check(h.ptr()))
    throw not_of_kind(what, "a number, a list of numbers or a schedule", h);
  return schedule_of(h, nb::none(), nb::none());
}

void bind_schedule(nb::module_& m) {
  nb::class_<Schedule>(m, "TrainingParameterSchedule", nb::dynamic_attr(),
                       "A rate that changes as samples, or sweeps over the data, go by: s[n] is its value "
                       "once n have been seen.")
      .def(
          "__init__",
          [](Schedule* self, nb::object values, nb::object minibatch_size, nb::object epoch_size) {
            new (self) Schedule(schedule_of(values, minibatch_size, epoch_size));
          },
          nb::arg("values"), nb::arg("minibatch_size") = nb::none(), nb::arg("epoch_size") = nb::none())
      .def("__getitem__",
           [](const Schedule& s, int64_t count) {
             if (count < 0) throw nb::index_error("a schedule is indexed by numbers from 0");
             return s[count];
           })
      .def_prop_rw("minibatch_size", &Schedule::minibatch_size, &Schedule::set_minibatch_size,
                   "The size of minibatch that its values are meant for; 0 stands for any.")
      .def_prop_ro("epoch_size", &Schedule::epoch_size)
      .def_prop_ro("is_minibatch_size_explicitly_specified", &Schedule::has_own_minibatch_size)
      .def_prop_ro_static("full_data_sweep", [](nb::handle) { return Schedule::kFullSweep; })
      .def_prop_ro_static("ignored_minibatch_size", [](nb::handle) { return Schedule::kAnyMinibatchSize; })
      .def("__repr__", [](const Schedule& s) { return "<TrainingParameterSchedule: " + s.text() + ">"; })
      .def("is_sweep_based", &Schedule::is_sweep_based)
      .def(
          "steps",
          [](const Schedule& s) {
            nb::list list;
            for (const Schedule::Step& step : s.steps()) list.append(nb::make_tuple(step.end, step.value));
            return list;
          },
          "Pairs of the count up to which a value holds, and the value.")
      .def(
          "transform",
          [](const Schedule& s, nb::callable f) {
            return s.transform([&](double v) {
              return number_in(f(v), "the result of the function that transforms a schedule");
            });
          },
          nb::arg("f"))
      .def("__eq__",
           [](const Schedule& a, nb::handle b) {
             Schedule* other = nullptr;
             return nb::try_cast(b, other) && other && a == *other;
           })
      .def("__hash__", [](const Schedule& s) { return std::hash<double>()(s[0]); });
  m.def(
      "cosine_schedule",
      [](nb::handle rate, nb::handle samples, nb::dict options) {
        return cosine_schedule(number_in(rate, "rate"), endless_in(samples, "samples"),
                               options_in<CosineOptions>(options));
      },
      nb::arg("rate").none(), nb::arg("samples").none(), nb::arg("options"));
  m.def(
      "warm_up",
      [](nb::handle schedule, nb::handle samples, nb::dict options) {
        return warm_up(as_schedule(schedule, "schedule"), endless_in(samples, "samples"),
                       options_in<WarmUpOptions>(options));
      },
      nb::arg("schedule").none(), nb::arg("samples").none(), nb::arg("options"));
  m.def("momentum_as_time_constant", &momentum_as_time_constant, nb::arg("constants"));
}

}  // namespace cantik::python
