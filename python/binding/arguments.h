// Conversions of Python's values for arguments. An ArgumentError names the argument: "the rate is a number,
// not 'a'".
#pragma once

#include "binding/common.h"

namespace cantik::python {

std::string quoted(nb::handle h);  // a value as errors show it: its repr, if that is short and says something
Error not_of_kind(const std::string& what, const std::string& kind, nb::handle given);

bool is_complex(nb::handle h);                            // a complex number, Python's or NumPy's
bool is_scalar(nb::handle h);                             // what may be one real number, by its class
int64_t whole_in(nb::handle h, const std::string& what);  // an integer, or a whole real number
int64_t count_in(nb::handle h, const std::string& what);  // one that is not negative
// One of what may have no end: numbers that are too large stand for the largest.
int64_t endless_in(nb::handle h, const std::string& what);
double number_in(nb::handle h, const std::string& what);  // of any real type, NumPy's among them
bool flag_in(nb::handle h, const std::string& what);      // True, False, 1 or 0
std::string text_in(nb::handle h, const std::string& what);
std::string path_in(nb::handle h, const std::string& what);  // a text, or an object with __fspath__
uint64_t seed_in(nb::handle h);                              // None asks for an automatic one

}  // namespace cantik::python
