// Functions: what they are, what they read and make, graphs from graphs.
#include <cantik/inspect.h>
#include <cantik/native.h>

#include "binding/arguments.h"
#include "binding/dictionary.h"
#include "binding/user_function.h"

namespace cantik::python {
namespace {

// set_global_option('python_operand_order', False): arguments in the order that CNTK's C++ has, products from
// the right.
bool python_operand_order = true;

std::vector<Variable> arguments_of(const Function& f) {
  return python_operand_order ? f.arguments() : arguments_in_file_order(f);
}

CloneMethod method_named(const std::string& name) {
  if (name == "share") return CloneMethod::share;
  if (name == "clone") return CloneMethod::clone;
  if (name == "freeze") return CloneMethod::freeze;
  throw value_error("the clone method must be 'share', 'clone' or 'freeze', not '" + name + "'");
}

// {placeholder: variable}, keys and values also functions of one output.
Replacements replacements_in(nb::handle h) {
  Replacements r;
  if (h.is_none()) return r;
  if (!PyDict_Check(h.ptr())) throw type_error("substitutions must be a dictionary, not " + class_name(h));
  auto one = [](nb::handle item) {
    if (item.is_none())
      throw nb::attribute_error("'NoneType' object is no variable: the node to substitute was not found");
    return as_variable(item);
  };
  for (auto [from, to] : nb::borrow<nb::dict>(h)) r.emplace(one(from), one(to));
  return r;
}

// The same function, or its only output.
bool is_same(const Function& f, nb::handle other) {
  if (const Variable* v = variable_in(other)) return is_only_output(*v, f);
  const std::optional<Function> g = function_in(other);
  return g && *g == f;
}

// Pairs, a list of them or a dictionary.
std::vector<std::pair<Variable, Variable>> argument_map(nb::handle h) {
  std::vector<std::pair<Variable, Variable>> list;
  if (!PyDict_Check(h.ptr()) && !PySequence_Check(h.ptr()))
    throw not_of_kind("block_arguments_map", "a list of pairs of a placeholder and a variable", h);
  nb::object pairs = PyDict_Check(h.ptr()) ? nb::borrow(h).attr("items")() : nb::borrow(h);
  for (nb::handle p : pairs) {
    if (!PySequence_Check(p.ptr()) || PySequence_Size(p.ptr()) != 2)
      throw type_error("a block's arguments must be pairs of a placeholder and a variable");
    list.emplace_back(as_variable(nb::borrow(p)[0]), as_variable(nb::borrow(p)[1]));
  }
  return list;
}

// Functions and leaves as Python's objects.
nb::list shown_nodes(const std::vector<GraphNode>& nodes) {
  nb::list list;
  for (const GraphNode& n : nodes) list.append(n.function ? wrap(n.function) : wrap(n.leaf));
  return list;
}

bool renaming_allowed = false;

// As CNTK shows them: under the names and in the order that its files have.
nb::dict attributes_of(const Function& f) {
  nb::dict d;
  if (f.is_composite()) return d;
  if (user_operator_of(f)) return user_attributes(f);
  if (const std::optional<Dictionary> file = file_attributes(f)) {
    for (const auto& [key, value] : *file) {
      const DictionaryVector* list = value.get<DictionaryVector>();
      // CNTK shows flags in the order of shapes
      bool flags = list && !list->empty() && list->front().get<bool>();
      d[key.c_str()] = flags ? to_python(DictionaryVector(list->rbegin(), list->rend())) : to_python(value);
    }
  } else {
    for (const auto& [key, value] : f.attributes()) d[key.c_str()] = wrap(value);
  }
  for (const auto& [key, value] : further_attributes(f)) d[key.c_str()] = to_python(value);
  return d;
}

}  // namespace

void bind_function(nb::module_& m) {
  nb::class_<FunctionBox> c(
      m, "Function", nb::dynamic_attr(),
      "A graph that can be called: an operator applied to variables, a block of such, or a whole network.");
  c.def_prop_ro(
       "inputs", [](const FunctionBox& b) { return wrap_all(b.function().inputs()); },
       "What it reads: of a network the leaves of its graph, of one of its functions the operands.")
      .def_prop_ro("outputs", [](const FunctionBox& b) { return wrap_all(b.function().outputs()); })
      .def_prop_ro(
          "output", [](const FunctionBox& b) { return wrap(b.function().output()); }, "Its only output.")
      .def_prop_ro(
          "arguments", [](const FunctionBox& b) { return wrap_all(arguments_of(b.function())); },
          "Inputs to be fed: input variables and placeholders.")
      .def_prop_ro(
          "signature", [](const FunctionBox& b) { return wrap_all(b.function().signature_arguments()); },
          "The arguments in the order in which a call takes them; without those of functions that are being "
          "traced around it.")
      .def_prop_ro("parameters", [](const FunctionBox& b) { return wrap_all(b.function().parameters()); })
      .def_prop_ro("constants", [](const FunctionBox& b) { return wrap_all(b.function().constants()); })
      .def_prop_ro("placeholders", [](const FunctionBox& b) { return wrap_all(b.function().placeholders()); })
      .def_prop_ro(
          "uid", [](const FunctionBox& b) { return b.function().uid(); },
          "A name that no other function of the process has.")
      .def_prop_ro("op_name", [](const FunctionBox& b) { return b.function().op_name(); })
      .def_prop_rw(
          "name", [](const FunctionBox& b) { return b.function().name(); },
          [](const FunctionBox& b, const std::string& name) {
            if (!b.function().name().empty() && !renaming_allowed)
              throw value_error("the function has the name '" + b.function().name() + "' already")
                  .node(b.function().text())
                  .remedy("name the function where it is made");
            b.function().set_name(name);
          })
      .def(
          "set_name", [](const FunctionBox& b, const std::string& name) { b.function().set_name(name); },
          nb::arg("name"))
      .def_prop_ro(
          "root_function", [](const FunctionBox& b) { return wrap(b.function().root()); },
          "The function that makes the output.")
      .def_prop_ro(
          "is_primitive", [](const FunctionBox& b) { return !b.function().is_composite(); },
          "Whether it is one operator or block.")
      .def_prop_ro(
          "is_composite", [](const FunctionBox& b) { return b.function().is_composite(); },
          "Whether it is a network.")
      .def_prop_ro(
          "is_block", [](const FunctionBox& b) { return b.function().is_block(); },
          "Whether it is a network seen as one function.")
      .def_prop_ro(
          "block_root", [](const FunctionBox& b) { return wrap(b.function().block_root()); },
          "The root of what is inside a block.")
      .def_prop_ro(
          "block_arguments_mapping",
          [](const FunctionBox& b) {
            nb::list l;
            for (const auto& [inside, outside] : b.function().block_arguments())
              l.append(nb::make_tuple(wrap(inside), wrap(outside)));
            return nb::tuple(l);
          },
          "Pairs of a placeholder inside a block and what it stands for outside.")
      .def_prop_ro("attributes", [](const FunctionBox& b) { return attributes_of(b.function()); })
      .def(
          "set_attribute",
          [](const FunctionBox& b, const std::string& name, nb::object value) {
            Attribute a;
            if (PyLong_Check(value.ptr()))
              a = Attribute(static_cast<int64_t>(PyLong_AsUnsignedLongLongMask(value.ptr())));
            else
              a = Attribute(number_in(value, "the attribute " + name));
            b.function().set_attribute(name, a);
          },
          nb::arg("name"), nb::arg("value"),
          "Changes an attribute that may change at any time: dropoutRate, rngSeed.")
      .def(
          "_clone",
          [](const FunctionBox& b, const std::string& method, nb::object substitutions) {
            CallSite here;
            return wrap(b.function().clone(method_named(method), replacements_in(substitutions)));
          },
          nb::arg("method"), nb::arg("substitutions").none())
      .def(
          "_clone_flattened",
          [](const FunctionBox& b, const std::string& method) {
            CallSite here;
            return wrap(b.function().clone_flattened(method_named(method)));
          },
          nb::arg("method"))
      .def(
          "_replace_placeholders",
          [](const FunctionBox& b, nb::object substitutions) {
            CallSite here;
            return wrap(b.function().replace_placeholders(replacements_in(substitutions)));
          },
          nb::arg("substitutions"))
      .def("_signature", [](const FunctionBox& b) { return b.function().signature(); })
      .def(
          "as_string", [](const FunctionBox& b, bool) { return b.function().text(); },
          nb::arg("do_not_infer_outputs") = true)
      .def("current_version",
           [](const FunctionBox& b) {
             uint64_t sum = 0;
             for (const Variable& v : b.function().parameters()) sum += v.version();
             return sum;
           })
      .def("__str__", [](const FunctionBox& b) { return b.function().signature(); })
      .def("__repr__", [](const FunctionBox& b) { return b.function().text(); })
      .def("__hash__", [](const FunctionBox& b) { return std::hash<Function>()(b.function()); })
      .def(
          "__eq__", [](const FunctionBox& a, nb::handle b) { return is_same(a.function(), b); },
          nb::arg().none())
      .def(
          "__ne__", [](const FunctionBox& a, nb::handle b) { return !is_same(a.function(), b); },
          nb::arg().none());

  m.def(
      "combine",
      [](nb::object operands, const std::string& name) {
        CallSite here;
        return wrap(combine(as_variables(operands, "the operands of combine"), name));
      },
      nb::arg("operands"), nb::arg("name") = "");
  m.def(
      "as_block",
      [](nb::object composite, nb::object arguments, const std::string& op_name, const std::string& name) {
        CallSite here;
        return wrap(as_block(as_function(composite).as_composite(), argument_map(arguments), op_name, name));
      },
      nb::arg("composite"), nb::arg("block_arguments_map"), nb::arg("block_op_name"),
      nb::arg("block_instance_name") = "");
  m.def(
      "as_composite",
      [](nb::object root, const std::string& name) {
        if (const Variable* v = variable_in(root)) return wrap(function_of({*v}, name).as_composite(name));
        return wrap(as_function(root).as_composite(name));
      },
      nb::arg("root_function"), nb::arg("name") = "");
  auto body = [](nb::object code) {
    return [code](const std::vector<Variable>& in) {
      nb::object result = code(*wrap_all(in));
      if (std::optional<Function> f = function_in(result)) return f->as_composite();
      return function_of(as_variables(result, "the results of a function"));
    };
  };
  m.def(
      "trace",
      [body](nb::object code, const std::vector<std::string>& arguments, const std::string& what) {
        CallSite here;
        return wrap(trace(arguments, body(code), what));
      },
      nb::arg("code"), nb::arg("arguments"), nb::arg("what"),
      "The network of what code does with placeholders of these names.");
  m.def(
      "trace_block",
      [body](nb::object code, const std::vector<std::string>& arguments, const std::string& op_name,
             const std::string& name) {
        CallSite here;
        return wrap(trace_block(arguments, body(code), op_name, name));
      },
      nb::arg("code"), nb::arg("arguments"), nb::arg("op_name"), nb::arg("name"));
  m.def(
      "traverse", [](nb::object root, int depth) { return shown_nodes(walk(as_function(root), depth)); },
      nb::arg("root"), nb::arg("depth"));
  m.def("set_operand_order", [](bool python) { python_operand_order = python; }, nb::arg("python"));
  m.def("allow_renaming_functions", [] { renaming_allowed = true; });
}

}  // namespace cantik::python
