// Dictionaries as JSON, for files of formats that hold texts: other programs read it, too.
#pragma once

#include <string>
#include <string_view>

#include <cantik/dictionary.h>

namespace cantik {

// A ValueError names the entry that JSON has no form for: a tensor, an axis, a number that is not finite, a
// text that is not UTF-8, what is nested more than 64 deep. A shape is written as a list.
std::string to_json(const Dictionary& dictionary);
// The dictionary of such a text. Whole numbers are as Python's are kept: size_t, or int below 0. A
// RuntimeError says at which byte the text is something else.
Dictionary dictionary_from_json(std::string_view text);

}  // namespace cantik
