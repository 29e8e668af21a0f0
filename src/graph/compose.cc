// Composite operators in the user's graph: a block whose inside is built by the operator's body.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/text.h"
#include "graph/boundary.h"
#include "graph/compose.h"
#include "graph/cycle.h"
#include "graph/types.h"

namespace cantik {
namespace {

// Operators that are one opcode over their inputs, to spell an expression out as a graph.
const Operator* operator_of(int32_t opcode) {
  static const auto* table = [] {
    auto* t = new std::unordered_map<int32_t, const Operator*>;
    for (const Operator* op : Registry::global().all()) {
      const Expression& e = op->expression;
      if (e.empty() || op->has(CANTIK_HIDDEN) || !op->fields.empty() || !op->library.empty()) continue;
      const Code& last = e.codes.back();
      bool plain = static_cast<int>(e.codes.size()) == arity(last.op) + 1 && e.results[0] == arity(last.op);
      int32_t from[] = {last.a, last.b, last.c};
      for (int i = 0; plain && i < arity(last.op); ++i) {
        const Code& k = e.codes[from[i]];
        plain = k.op == CANTIK_X_INPUT && k.a == i;
      }
      if (plain) t->emplace(last.op, op);
    }
    return t;
  }();
  auto it = table->find(opcode);
  return it == table->end() ? nullptr : it->second;
}

// The builder that bodies see, over the user's graph.
struct Host {
  const Operator& op;
  std::vector<Variable> values;
  Boundary boundary;
  bool not_yet = false;
  Type typed;

  int32_t add(Variable v) {
    values.push_back(std::move(v));
    return static_cast<int32_t>(values.size() - 1);
  }
  const Variable& at(cantik_value v, const std::string& what, int32_t i) const {
    if (v < 0 || static_cast<size_t>(v) >= values.size())
      throw runtime_error(cat("the body of ", op.name, " passes an empty value as operand ", i, " of ", what))
          .remedy("use x(i) only for operands that were given: ask inputs() for their number");
    return values[v];
  }
  std::vector<Variable> take(const cantik_value* in, int32_t count, const std::string& what) const {
    std::vector<Variable> list;
    for (int32_t i = 0; i < count; ++i) list.push_back(at(in[i], what, i));
    return list;
  }
  template <class F>
  static cantik_status guard(void* self, F&& f) {
    Host& h = *static_cast<Host*>(self);
    return h.boundary.serve([&] { f(h); });
  }
  static cantik_status call(void* self, const char* op, const cantik_value* in, int32_t count,
                            const cantik_argument* arguments, int32_t argument_count, cantik_value* out,
                            int32_t out_count) {
    return guard(self, [&](Host& h) {
      std::vector<NamedAttribute> given;
      std::string name;
      for (int32_t i = 0; i < argument_count; ++i) {
        if (std::string_view(arguments[i].name) == "name")
          name = arguments[i].value.kind == CANTIK_TEXT ? arguments[i].value.as.text : "";
        else
          given.push_back({arguments[i].name, from_c(arguments[i].value)});
      }
      Function f = cantik::call(op, h.take(in, count, op), given, name);
      std::vector<Variable> outs = f.outputs();
      if (out_count > static_cast<int32_t>(outs.size()))
        throw runtime_error(
            cat(h.op.name, " asks ", op, " for ", out_count, " results, but ", op, " has ", outs.size()));
      for (int32_t i = 0; i < out_count; ++i) out[i] = h.add(outs[i]);
    });
  }
  static cantik_status expression(void* self, cantik_expression e, const cantik_value* in, int32_t count,
                                  cantik_value* out) {
    return guard(self, [&](Host& h) {
      const Expression parsed = Expression::from_c(e);
      if (parsed.inputs() > count)
        throw runtime_error(cat("an expression of ", h.op.name, " reads input ", parsed.inputs() - 1,
                                ", but it is given ", count, " inputs (counted from 0)"));
      *out = h.add(spell_out(parsed, h.take(in, count, "an expression"), {}));
    });
  }
  static cantik_status constant(void* self, double value, cantik_value like, int32_t rank,
                                const int64_t* dims, const char* name, cantik_value* out) {
    return guard(self, [&](Host& h) {
      DType dtype = h.at(like, "a constant", 0).dtype();
      *out = h.add(cantik::constant(Shape(dims, static_cast<size_t>(rank)), Initializer(value), dtype, name));
    });
  }
  static cantik_status type(void* self, cantik_value v, cantik_type* out) {
    return guard(self, [&](Host& h) {
      h.typed = h.at(v, "a question for its type", 0).type();
      *out = to_c(h.typed);
    });
  }
  static cantik_status later(void* self, cantik_value* out) {
    return guard(self, [&](Host& h) { *out = h.add(placeholder()); });
  }
  static cantik_status close(void* self, cantik_value place, cantik_value value) {
    return guard(self, [&](Host& h) {
      const Variable &open = h.at(place, "a loop", 0), &comes_back = h.at(value, "a loop", 1);
      if (!open.is_placeholder() || open.node()->is_block_argument || open.node()->bound)
        throw runtime_error(cat("the body of ", h.op.name, " closes what is not open"))
            .remedy("close(place, value) takes what later() gave, once");
      function_of({comes_back}).replace_placeholders({{open, comes_back}});
    });
  }
  static void fail(void* self, int32_t kind, const char* text, const char* remedy) {
    Host& h = *static_cast<Host*>(self);
    if (kind == CANTIK_NOT_YET)
      h.not_yet = true;
    else
      h.boundary.fail(kind, text, remedy);
  }
};

// What the body makes of these values; nothing while it waits for a shape.
std::vector<Variable> run_body(const Operator& op, std::span<const Attribute> attributes,
                               const std::vector<Variable>& x) {
  const auto body = op.compose ? op.compose : op.lower;
  if (!op.compose && !op.expression.empty()) return {spell_out(op.expression, x, attributes)};
  Host host{op, {}, {}, false, {}};
  std::vector<cantik_value> in, result(static_cast<size_t>(op.outputs) + kSpare, -1);
  for (const Variable& v : x) in.push_back(host.add(v));
  in.resize(x.size() + kSpare, -1);
  AttributesInC c_attributes = to_c(attributes);
  cantik_builder c{};
  c.size = sizeof c;
  c.self = &host;
  c.inputs = static_cast<int32_t>(x.size());
  c.outputs = op.outputs;
  c.x = in.data();
  c.result = result.data();
  c.attributes = c_attributes.data();
  c.call = &Host::call;
  c.expression = &Host::expression;
  c.constant = &Host::constant;
  c.type = &Host::type;
  c.later = &Host::later;
  c.close = &Host::close;
  c.fail = &Host::fail;
  try {
    host.boundary.call(op, "body", [&] { return body(op.user, &c); });
  } catch (const Error&) {
    if (!host.not_yet) throw;
  }
  if (host.not_yet) return {};
  std::vector<Variable> outs;
  for (size_t i = 0; i < result.size(); ++i) {
    const bool known = result[i] >= 0 && static_cast<size_t>(result[i]) < host.values.size(),
               wanted = i < static_cast<size_t>(op.outputs);
    if (known && wanted)
      outs.push_back(host.values[result[i]]);
    else if (wanted)
      Boundary::rethrow(runtime_error(cat("the body of ", op.name, " did not set result ", i)), op);
    else if (result[i] >= 0)
      Boundary::rethrow(
          runtime_error(cat("the body of ", op.name, " set result ", i, ", but the operator has ", op.outputs,
                            " outputs (counted from 0)")),
          op);
  }
  return outs;
}

// Stands inside a block until its body can be run.
Function open_body(const Operator& op, const std::vector<Attribute>& attributes,
                   const std::vector<Variable>& x) {
  auto n = make_node();
  n->id = next_id();
  n->made_at = Origin::current();
  n->op = &op;
  n->attributes = attributes;
  n->inputs.assign(x.begin(), x.end());
  n->types.assign(static_cast<size_t>(op.outputs), Type::unknown());
  return wrap(n);
}

}  // namespace

Variable spell_out(const Expression& e, const std::vector<Variable>& in,
                   std::span<const Attribute> attributes) {
  std::vector<Variable> made(e.codes.size());
  DType dtype = in.empty() ? DType::float32 : in[0].dtype();
  for (size_t i = 0; i < e.codes.size(); ++i) {
    const Code& k = e.codes[i];
    if (k.op == CANTIK_X_INPUT)
      made[i] = in[k.a];
    else if (k.op == CANTIK_X_CONSTANT)
      made[i] = constant(Shape(), Initializer(k.value), dtype);
    else if (k.op == CANTIK_X_ATTRIBUTE)
      made[i] = constant(Shape(), Initializer(attributes[k.a].real()), dtype);
    else {
      const Operator* op = operator_of(k.op);
      if (!op)
        throw unsupported(
            std::string("the expression cannot be written as a graph: there is no operator for ") +
            opcode_name(k.op) + " by itself");
      std::vector<Variable> arguments;
      for (int32_t a : {k.a, k.b, k.c})
        if (a >= 0) arguments.push_back(made[a]);
      made[i] = make_function(*op, op->defaults(), arguments, {});
    }
  }
  return made[e.results[0]];
}

Function spell(const Operator& op, std::span<const Attribute> attributes, const std::vector<Variable>& inputs,
               const std::string& name) {
  std::vector<Variable> outs = run_body(op, attributes, inputs);
  if (outs.empty())
    throw runtime_error("the body of " + op.name +
                        " asks for shapes that are not known yet, so that its graph cannot be made");
  for (const Variable& v : outs)
    // it makes nothing of its own
    if (std::find(inputs.begin(), inputs.end(), v) != inputs.end()) return combine(outs, name);
  Function f = function_of(outs, name);
  if (!name.empty()) f.node()->name = name;
  return f;
}

Function make_block(const Operator& op, std::vector<Attribute> attributes,
                    const std::vector<Variable>& inputs, const std::string& name) {
  // Inside, placeholders stand for the operands, under their names.
  std::vector<std::pair<Variable, Variable>> arguments;
  std::vector<Variable> places;
  std::vector<Type> types = operand_types(op, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    places.push_back(placeholder(inputs[i].name(), types[i]));
    // bound at once: axes inside are called after what stands outside
    places.back().node()->is_block_argument = true;
    places.back().node()->bound = inputs[i];
    arguments.emplace_back(places.back(), inputs[i]);
  }
  std::vector<Variable> outs = run_body(op, attributes, places);
  Function composite = outs.empty() ? open_body(op, attributes, places) : function_of(outs);
  Function block = block_of(composite, arguments, op.cntk_name(), name);
  block.node()->op = &op;
  block.node()->attributes = std::move(attributes);
  block.node()->block->provisional = outs.empty();
  return block;
}

void complete_block(Node& n) {
  std::vector<Variable> places;
  for (const auto& [inside, outside] : n.block->arguments) {
    if (!inside.node()->types[0].shape.is_known()) return;
    places.push_back(inside);
  }
  OriginScope origin(n.made_at);
  std::vector<Variable> outs;
  try {
    outs = run_body(*n.op, n.attributes, places);
  } catch (const Error& e) {
    rethrow_with(e, n);
  }
  if (outs.empty()) return;
  Function inside = function_of(outs);
  n.block->root = Variable(inside.node());
  n.block->label = inside.composite()->label;
  n.block->provisional = false;
  if (n.cycle) own_cycles(n.handle());
}

}  // namespace cantik
