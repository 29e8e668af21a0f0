// What users give as data, as the values a run wants.
#pragma once

#include <vector>

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

// An arguments object (None, a dictionary by variables or names, the data of the only argument) for these
// variables.
Feeds feeds_of(const std::vector<Variable>& arguments, nb::handle given, Kept* kept);
// CNTK's warning about data for variables that nothing reads.
void warn_of_unused(const std::vector<Variable>& unused);
// Of an arguments object (data, markers) with one list of markers for the whole minibatch: the markers, and
// `given` becomes the data.
nb::object common_starts(nb::handle& given);

}  // namespace cantik::python
