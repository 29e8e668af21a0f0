// The error of a compiled function whose arguments do not fit, in the library's words.
//
// Python calls a function of nanobind's through a pointer (the vectorcall protocol). A pointer of this file
// takes its place: it calls the first one and looks at its error. A call that succeeds does nothing else.
// nanobind keeps the pointer behind the head of the object; the stable interface of Python has no way to ask.
#include <array>
#include <stdexcept>
#include <string_view>

#include "binding/common.h"

namespace cantik::python {
namespace {

constexpr size_t kMost =
    16;  // different pointers: nanobind has one for each form of signature, six altogether
std::array<vectorcallfunc, kMost> originals{};

vectorcallfunc& pointer_of(nb::handle function) {
  constexpr size_t kOffset = sizeof(PyVarObject);
#ifndef Py_LIMITED_API
  if (Py_TYPE(function.ptr())->tp_vectorcall_offset != kOffset)
    throw std::logic_error("this nanobind keeps the pointers of functions in another place");
#endif
  return *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function.ptr()) + kOffset);
}

size_t count_of(size_t n) {
  constexpr size_t kFlags = size_t{7} << (8 * sizeof(size_t) - 3);  // Python's flag and nanobind's
  return n & ~kFlags;
}

// The error is set already; where it is nanobind's, another one with the same cause takes its place.
void explain(PyObject* function, PyObject* const* arguments, size_t n, PyObject* names) {
  if (PyErr_Occurred() != PyExc_TypeError) return;
  nb::python_error refused;
  if (std::string_view(refused.what()).find("incompatible function arguments") == std::string_view::npos) {
    refused.restore();
    return;
  }
  nb::list positional;
  nb::dict keywords;
  n = count_of(n);
  for (size_t i = 0; i < n; ++i) positional.append(nb::handle(arguments[i]));
  if (names)
    for (Py_ssize_t i = 0; i < NB_TUPLE_GET_SIZE(names); ++i)
      keywords[nb::handle(NB_TUPLE_GET_ITEM(names, i))] = nb::handle(arguments[n + static_cast<size_t>(i)]);
  nb::object text =
      nb::module_::import_("cantik._refusals").attr("explained")(nb::handle(function), positional, keywords);
  set_argument_error(nb::cast<std::string>(text));
}

template <size_t I>
PyObject* called(PyObject* function, PyObject* const* arguments, size_t n, PyObject* names) {
  PyObject* result = originals[I](function, arguments, n, names);
  if (result) return result;
  try {
    explain(function, arguments, n, names);
  } catch (nb::python_error& e) {
    e.restore();
  }
  return nullptr;
}

template <size_t... I>
constexpr std::array<vectorcallfunc, kMost> callers(std::index_sequence<I...>) {
  return {&called<I>...};
}
constexpr std::array<vectorcallfunc, kMost> kCallers = callers(std::make_index_sequence<kMost>());

void take(nb::handle function) {
  vectorcallfunc& pointer = pointer_of(function);
  for (size_t i = 0; i < kMost; ++i) {
    if (pointer == kCallers[i]) return;
    if (!originals[i]) originals[i] = pointer;
    if (originals[i] == pointer) {
      pointer = kCallers[i];
      return;
    }
  }
}

// Functions, methods and the setters of properties, in classes and submodules too.
void take_all(nb::handle scope) {
  for (nb::handle name : nb::list(nb::handle(scope).attr("__dict__").attr("keys")())) {
    nb::object item = nb::borrow(scope.attr("__dict__")[name]);
    const std::string kind = class_name(item);
    if (kind == "nb_func" || kind == "nb_method")
      take(item);
    else if (kind == "property" && !item.attr("fset").is_none())
      take(item.attr("fset"));
    else if (PyModule_Check(item.ptr()))
      take_all(item);
    else if (PyType_Check(item.ptr()) && nb::type_check(item))
      take_all(item);
  }
}

}  // namespace

void explain_refusals(nb::module_& m) { take_all(m); }

}  // namespace cantik::python
