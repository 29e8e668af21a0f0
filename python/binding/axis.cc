// Axis, with CNTK's names.
#include "binding/arguments.h"

namespace cantik::python {

Axis as_axis(nb::handle h) {
  if (nb::isinstance<Axis>(h)) return nb::cast<Axis>(h);
  if (PyLong_Check(h.ptr()) || PyIndex_Check(h.ptr())) return Axis(whole_in(h, "an axis"));
  throw not_of_kind("an axis", "an Axis or a whole number", h);
}

Axes as_axes(nb::handle h) {
  if (h.is_none()) return Axes();
  if (nb::isinstance<Axis>(h)) {
    Axis a = nb::cast<Axis>(h);
    return a == Axis::unknown() ? Axes::unknown() : Axes({a});
  }
  if (!PyList_Check(h.ptr()) && !PyTuple_Check(h.ptr()))
    throw not_of_kind("dynamic_axes", "an Axis or a list of them", h);
  Axes axes;
  for (nb::handle item : nb::borrow(h)) {
    if (!nb::isinstance<Axis>(item)) throw not_of_kind("an item of dynamic_axes", "an Axis", item);
    Axis a = nb::cast<Axis>(item);
    if (a == Axis::unknown()) return Axes::unknown();
    axes.push_back(a);
  }
  return axes;
}

nb::tuple wrap(const Axes& a) {
  if (!a.is_known()) return nb::make_tuple(Axis::unknown());
  nb::list l;
  for (int i = 0; i < a.size(); ++i) l.append(a[i]);
  return nb::tuple(l);
}

void bind_axis(nb::module_& m) {
  nb::class_<Axis>(
      m, "Axis", nb::dynamic_attr(),
      "An axis of a value: a static one by its index, a dynamic one (batch, sequence) by its name.")
      .def(nb::init<int32_t>(), nb::arg("static_axis_index"))
      .def(
          "__init__",
          [](Axis* self, const std::string& name, bool is_ordered) { new (self) Axis(name, is_ordered); },
          nb::arg("name"), nb::arg("is_ordered") = true)
      .def_prop_ro("name", &Axis::name)
      .def_prop_ro("is_static_axis", &Axis::is_static, "Whether it is one of the axes of a sample.")
      .def_prop_ro("is_ordered", &Axis::is_ordered,
                   "Whether the order along it means something, as of the steps of a sequence.")
      .def_prop_ro("is_sequence_axis", &Axis::is_sequence)
      // The axes of an open placeholder, which are not known, are neither, as in CNTK.
      .def_prop_ro("is_batch_axis", [](const Axis& a) { return a.is_batch() && a != Axis::unknown(); })
      .def("is_dynamic_axis", [](const Axis& a) { return a.is_dynamic() && a != Axis::unknown(); })
      .def(
          "static_axis_index",
          [](const Axis& a, bool checked) {
            if (checked && !a.is_static())
              throw value_error("the axis " + a.text() + " is not static and has no index");
            return a.static_index();
          },
          nb::arg("checked") = true)
      .def_static("default_batch_axis", &Axis::batch)
      .def_static("default_dynamic_axis", &Axis::sequence)
      .def_static("all_static_axes", &Axis::all_static)
      .def_static("all_axes", &Axis::all)
      .def_static("default_input_variable_dynamic_axes",
                  [] { return nb::make_tuple(Axis::batch(), Axis::sequence()); })
      .def_static("unknown_dynamic_axes", [] { return nb::make_tuple(Axis::unknown()); })
      .def_static("operand_sequence_axis", &Axis::operand_sequence)
      .def_static(
          "new_unique_dynamic_axis", [](const std::string& name) { return Axis::unique(name); },
          nb::arg("name"))
      .def_static("new_leading_axis", &Axis::new_leading)
      .def_static("end_static_axis", &Axis::new_leading)
      .def("as_string", &Axis::text)
      .def("__repr__", &Axis::text)
      .def(
          "__eq__",
          [](const Axis& a, nb::handle b) { return nb::isinstance<Axis>(b) && a == nb::cast<Axis>(b); },
          nb::arg().none())
      .def(
          "__ne__",
          [](const Axis& a, nb::handle b) { return !(nb::isinstance<Axis>(b) && a == nb::cast<Axis>(b)); },
          nb::arg().none())
      .def("__hash__",
           [](const Axis& a) { return std::hash<int64_t>()(a.static_index()) ^ static_cast<size_t>(a.id()); })
      .def("__reduce__", [](nb::handle self) {
        const Axis& a = nb::cast<const Axis&>(self);
        return a.is_dynamic() ? nb::make_tuple(self.type(), nb::make_tuple(a.name(), a.is_ordered()))
                              : nb::make_tuple(self.type(), nb::make_tuple(a.static_index()));
      });
}

}  // namespace cantik::python
