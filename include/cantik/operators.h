// The registry of operators: each operator's name, signature and attributes, as its file states them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/api.h>
#include <cantik/attribute.h>
#include <cantik/error.h>
#include <cantik/plugin.h>

namespace cantik {

// An attribute of an operator.
struct AttributeInfo {
  std::string name, key, doc;   // its name in signatures; its key in CNTK's files; a line of documentation
  int32_t role = CANTIK_PLAIN;  // how numbers are meant: an axis, a shape, a seed (plugin.h)
  bool live = false;            // it may change after the function is made
  Attribute value;              // the default
};

// One parameter of a signature: an operand, or an attribute.
struct ParameterInfo {
  std::string name, value;  // value: the default as Python spells it; empty if there is none
  int field = -1;           // the place among the attributes; -1: an operand
  bool variadic = false;    // any number of operands
};

// An operator, as programs that call it see it.
struct CANTIK_API OperatorInfo {
  std::string name, signature, doc;                 // as the registry has them
  std::vector<ParameterInfo> parameters;            // operands and attributes in the order of the signature
  int inputs_min = 0, inputs_max = 0, outputs = 1;  // how many operands and results it has
  uint64_t traits = 0;                              // bits of plugin.h
  std::vector<AttributeInfo> fields;                // its attributes
  std::map<std::string, std::string> names;  // by key: what "cntk" calls it; any key of a library's own
  std::string library;                       // the file that it comes from; empty: built in

  // Whether it has a trait of plugin.h.
  bool has(uint64_t trait) const { return (traits & trait) != 0; }
  // The name under a key; empty where there is none.
  const std::string& named(const std::string& key) const;
  // The place of an attribute; -1 where there is none of this name.
  int field(std::string_view attribute) const;
};

// All operators, in the order of their names.
CANTIK_API std::vector<const OperatorInfo*> operators();
// The operator with this name; a KeyError names one that is close.
CANTIK_API const OperatorInfo& operator_info(std::string_view name);
// Operators of a program's own, stated in its files as those of a library are; their names. A second call
// changes nothing.
//
//   CANTIK_OP(cube) { op.signature("cube(x, name='')").expression([](Real x) { return x * x * x; }); }
//   CANTIK_LIBRARY(cube)
//   ...
//   register_operators(cantik_library);
//   Function f = call("cube", {x});
CANTIK_API std::vector<std::string> register_operators(cantik_library_function* library);
// The TypeError for a value that an attribute cannot have; `given`: the value as its user wrote it.
CANTIK_API Error wrong_attribute(const OperatorInfo& op, const AttributeInfo& attribute,
                                 const std::string& given);

}  // namespace cantik
