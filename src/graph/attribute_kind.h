// One conversion for all attributes: a given value gets the kind of its field, or is refused with one error.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <cantik/attribute.h>
#include <cantik/operators.h>
#include <cantik/plugin.h>

namespace cantik {

struct Operator;

// A whole real number becomes an integer, and one number a list of one. An undefined value stands for the
// default. A value of another kind is a TypeError, in programs, libraries and files.
Attribute fitted(const Operator& op, const AttributeInfo& field, const Attribute& given);

// All attributes of a call that a body makes, of which it gives some by name; "name" is the function's.
std::vector<Attribute> attributes_of(const Operator& op, std::span<const cantik_argument> given);

}  // namespace cantik
