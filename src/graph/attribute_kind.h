// One conversion for all attributes: a given value gets the kind of its field, or is refused with one error.
#pragma once

#include <string>

#include <cantik/attribute.h>
#include <cantik/operators.h>

namespace cantik {

struct Operator;

// A whole real number becomes an integer, and one number a list of one. An undefined value stands for the
// default. A value of another kind is a TypeError, in programs, libraries and files.
Attribute fitted(const Operator& op, const AttributeInfo& field, const Attribute& given);

}  // namespace cantik
