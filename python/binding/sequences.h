// Lists of sequences as values, and values as lists.
#pragma once

#include "binding/common.h"

namespace cantik::python {

// A list with an array, CSR matrix, NDArrayView or nested list for each sequence, as rows side by side. An
// item in the shape of a sample is one step. Copied once into one block; a single item keeps its memory,
// unless `copy` asks otherwise.
Value value_of_list(const Variable& v, nb::handle list, bool copy = false);

// The same data under markers of sequences (true: it begins, false: it goes on with that of the last
// minibatch).
Value with_starts(Value value, nb::handle starts);
// Whether it is a list of truth values.
bool are_starts(nb::handle h);

// What data for the variable look like: the remedy of an error.
std::string expected_data(const Variable& v);
// An error with the variable and where it was made.
Error about(Error e, const Variable& v);
// Whether the trailing dimensions are those of a sample.
bool fits_sample(const Variable& v, const Shape& s);

Shape shape_of(const Value& v);         // as CNTK shows it: [batch, shape...] or [batch, longest, shape...]
nb::list sequences_of(const Value& v);  // an array or CSR matrix for each sequence: views of one block
// an array or CSR matrix; where there is a sequence axis a list of them
nb::object result_of(const Value& v);

}  // namespace cantik::python
