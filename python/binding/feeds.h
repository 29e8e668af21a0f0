// What users give as data, as the values a run wants.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <cantik/feeds.h>

#include "binding/common.h"

namespace cantik::python {

// Arrays whose memory values point into while a run lasts.
using Kept = std::vector<nb::object>;

// Any data for the variable: arrays, lists, numbers, CSR matrices, tensors, values. Errors are CNTK's.
// The result has rows as the variable's type says: [rows, shape...]. Without `kept` it owns what it points
// to.
Value feed_of(const Variable& v, nb::handle data, Kept* kept = nullptr,
              nb::handle sequence_starts = nb::none());
// The same, but the shape stays as CNTK shows it: [batch, shape...] or [batch, steps, shape...].
Value value_of(const Variable& v, nb::handle data, nb::handle sequence_starts = nb::none(),
               bool copy = false);
// A value's rows under the variable's type.
Value fit(const Variable& v, const Value& given);

// CNTK's warning about data for variables that nothing reads.
void warn_of_unused(const std::vector<Variable>& unused);
// The data of an arguments object, each for its input: take(place, input, data). The object is None, a
// dictionary by variables or names, or the data of the only argument.
template <class Take>
void match(FeedMatcher& matcher, nb::handle given, const Take& take) {
  auto give = [&](const Variable& v, nb::handle data) {
    if (const std::optional<size_t> place = matcher.place(v)) take(*place, v, data);
  };
  if (PyDict_Check(given.ptr())) {
    PyObject *key, *data;
    Py_ssize_t at = 0;
    while (PyDict_Next(given.ptr(), &at, &key, &data)) {
      if (const Variable* v = variable_in(key))
        give(*v, data);
      else
        give(PyUnicode_Check(key) ? matcher.named(nb::cast<std::string>(nb::handle(key)))
                                  : as_variable(key, "a variable or a name"),
             data);
    }
  } else if (!given.is_none()) {
    give(matcher.only(), given);
  }
  warn_of_unused(matcher.unread());
  matcher.check_complete();
}
// An arguments object for these inputs of a function.
Feeds feeds_of(const Function& f, const std::vector<Variable>& inputs, nb::handle given, Kept* kept);
// Of an arguments object (data, markers) with one list of markers for the whole minibatch: the markers, and
// `given` becomes the data.
nb::object common_starts(nb::handle& given);

}  // namespace cantik::python
