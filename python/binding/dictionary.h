// Dictionaries of checkpoints and custom attributes, from and to Python's.
#pragma once

#include <cantik/dictionary.h>

#include "binding/common.h"

namespace cantik::python {

// Numbers, texts, None, lists, dictionaries and arrays; a TypeError names anything else.
DictionaryValue value_from(nb::handle h);
Dictionary dictionary_from(nb::handle h);
nb::object to_python(const DictionaryValue& v);
nb::dict to_python(const Dictionary& d);

}  // namespace cantik::python
