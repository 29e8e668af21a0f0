// Operators of libraries: what Python's functions of them are made of; CNTK's native user functions.
#include <cantik/native.h>
#include <cantik/operators.h>

#include "binding/dictionary.h"
#include "binding/common.h"

namespace cantik::python {
namespace {

const char* role_name(int32_t role) {
  switch (role) {
    case CANTIK_AXIS:
    case CANTIK_BOUNDARY:
    case CANTIK_NEW_AXIS: return "axis";
    case CANTIK_AXES:
    case CANTIK_PERMUTATION: return "axes";
    case CANTIK_SHAPE_OF: return "shape";
    case CANTIK_DTYPE: return "dtype";
    case CANTIK_SEED: return "seed";
    case CANTIK_FLAGS: return "flags";
    default: return "";
  }
}
const char* kind_name(const Attribute& a) {
  constexpr const char* kNames[] = {"none", "bool", "int", "real", "text", "ints", "reals"};
  return kNames[a.storage().index()];
}

nb::dict describe(const OperatorInfo& op) {
  nb::dict d;
  d["name"] = op.name;
  d["signature"] = op.signature;
  d["doc"] = op.doc;
  d["library"] = op.library;
  d["outputs"] = op.outputs;
  d["hidden"] = op.has(CANTIK_HIDDEN);
  nb::list fields, parameters;
  for (const AttributeInfo& f : op.fields) {
    nb::dict field;
    field["name"] = f.name;
    field["key"] = f.key;
    field["doc"] = f.doc;
    field["kind"] = kind_name(f.value);
    field["role"] = role_name(f.role);
    field["default"] = wrap(f.value);
    field["live"] = f.live;
    fields.append(field);
  }
  for (const ParameterInfo& p : op.parameters) {
    nb::dict parameter;
    parameter["name"] = p.name;
    parameter["default"] = p.value;  // as Python spells it; empty: there is none
    parameter["field"] = p.field;    // its place among the attributes; -1: an operand
    parameter["variadic"] = p.variadic;
    parameters.append(parameter);
  }
  d["attributes"] = fields;
  d["parameters"] = parameters;
  nb::dict names;
  for (const auto& [key, value] : op.names) names[key.c_str()] = value;
  d["names"] = names;
  return d;
}

}  // namespace

void bind_native(nb::module_& m) {
  m.def(
      "operators",
      [] {
        nb::list all;
        for (const OperatorInfo* op : operators()) all.append(describe(*op));
        return all;
      },
      "All registered operators, as dictionaries.");
  m.def(
      "operator", [](const std::string& name) { return describe(operator_info(name)); }, nb::arg("name"),
      "One of them.");
  m.def(
      "load_operators",
      [](const std::string& path) {
        Unlocked free;  // constructors of the library may take their time
        return load_operators(path);
      },
      nb::arg("path"), "Loads a library of operators and returns their names.");
  m.def("register_native_user_function", &register_native_function, nb::arg("op_id"), nb::arg("module_name"),
        nb::arg("factory_method_name"));
  m.def("is_native_user_function_registered", &is_native_function_registered, nb::arg("op_id"));
  m.def(
      "native_user_function",
      [](const std::string& op_id, nb::object operands, nb::object attributes, const std::string& name) {
        CallSite here;
        return wrap(native_function(op_id, as_variables(operands, "the operands of a native user function"),
                                    attributes.is_none() ? Dictionary() : dictionary_from(attributes), name));
      },
      nb::arg("op_id"), nb::arg("operands"), nb::arg("attributes").none(), nb::arg("name"));
}

}  // namespace cantik::python
