// Composite operators in the user's graph: a block whose inside is built by the operator's body.
#include <optional>
#include <unordered_map>

#include "graph/compose.h"
#include "graph/types.h"

namespace cantik {
namespace {

// Operators that are one opcode over their inputs, to spell an expression out as a graph.
const Operator* operator_of(int32_t opcode) {
  static const auto* table = [] {
    auto* t = new std::unordered_map<int32_t, const Operator*>;
    for (const Operator* op : Registry::global().all()) {
      const Expression& e = op->expression;
      if (e.empty() || op->has(CANTIK_HIDDEN) || !op->fields.empty()) continue;
      const Code& last = e.codes.back();
      bool plain = static_cast<int>(e.codes.size()) == arity(last.op) + 1 && e.results[0] == arity(last.op);
      for (int i = 0; plain && i < arity(last.op); ++i) plain = e.codes[static_cast<size_t>(i)].op == CANTIK_X_INPUT && e.codes[static_cast<size_t>(i)].a == i;
      plain &= last.a == 0 && (arity(last.op) < 2 || last.b == 1) && (arity(last.op) < 3 || last.c == 2);
      if (plain) t->emplace(last.op, op);
    }
    return t;
  }();
  auto it = table->find(opcode);
  return it == table->end() ? nullptr : it->second;
}

struct Host {
  std::vector<Variable> values;
  std::optional<Error> error;
  Type typed;

  int32_t add(Variable v) {
    values.push_back(std::move(v));
    return static_cast<int32_t>(values.size() - 1);
  }
  std::vector<Variable> take(const cantik_value* in, int32_t count) const {
    std::vector<Variable> list;
    for (int32_t i = 0; i < count; ++i) list.push_back(values.at(static_cast<size_t>(in[i])));
    return list;
  }
  template <class F>
  static cantik_status guard(void* self, F&& f) {
    Host& h = *static_cast<Host*>(self);
    try {
      f(h);
      return CANTIK_OK;
    } catch (const Error& e) {
      h.error = e;
      return CANTIK_VALUE;
    }
  }
  static cantik_status call(void* self, const char* name, const cantik_value* in, int32_t count, const cantik_argument* arguments, int32_t argument_count,
                            cantik_value* out, int32_t out_count) {
    return guard(self, [&](Host& h) {
      std::vector<NamedAttribute> given;
      for (int32_t i = 0; i < argument_count; ++i) given.push_back({arguments[i].name, from_c(arguments[i].value)});
      Function f = cantik::call(name, h.take(in, count), given);
      std::vector<Variable> outs = f.outputs();
      for (int32_t i = 0; i < out_count && i < static_cast<int32_t>(outs.size()); ++i) out[i] = h.add(outs[static_cast<size_t>(i)]);
    });
  }
  static cantik_status expression(void* self, cantik_expression e, const cantik_value* in, int32_t count, cantik_value* out) {
    return guard(self, [&](Host& h) { *out = h.add(spell_out(Expression::from_c(e), h.take(in, count), {})); });
  }
  static cantik_status constant(void* self, double value, cantik_value like, cantik_value* out) {
    return guard(self, [&](Host& h) {
      DType dtype = h.values.at(static_cast<size_t>(like)).dtype();
      *out = h.add(cantik::constant(Shape(), Initializer(value), dtype));
    });
  }
  static cantik_status type(void* self, cantik_value v, cantik_type* out) {
    return guard(self, [&](Host& h) {
      h.typed = h.values.at(static_cast<size_t>(v)).type();
      *out = to_c(h.typed);
    });
  }
  static void fail(void* self, int32_t, const char* text) {
    Host& h = *static_cast<Host*>(self);
    if (!h.error) h.error = value_error(text);
  }
};

}  // namespace

Variable spell_out(const Expression& e, const std::vector<Variable>& in, std::span<const Attribute> attributes) {
  std::vector<Variable> made(e.codes.size());
  DType dtype = in.empty() ? DType::float32 : in[0].dtype();
  for (size_t i = 0; i < e.codes.size(); ++i) {
    const Code& k = e.codes[i];
    if (k.op == CANTIK_X_INPUT) made[i] = in[static_cast<size_t>(k.a)];
    else if (k.op == CANTIK_X_CONSTANT) made[i] = constant(Shape(), Initializer(k.value), dtype);
    else if (k.op == CANTIK_X_ATTRIBUTE) made[i] = constant(Shape(), Initializer(attributes[static_cast<size_t>(k.a)].real()), dtype);
    else {
      const Operator* op = operator_of(k.op);
      if (!op) throw unsupported(std::string("no operator is ") + opcode_name(k.op) + " alone: the expression cannot be written as a graph");
      std::vector<Variable> arguments;
      for (int32_t a : {k.a, k.b, k.c})
        if (a >= 0) arguments.push_back(made[static_cast<size_t>(a)]);
      made[i] = make_function(*op, op->defaults(), arguments, {});
    }
  }
  return made[static_cast<size_t>(e.results[0])];
}

Function make_block(const Operator& op, std::vector<Attribute> attributes, const std::vector<Variable>& inputs, const std::string& name) {
  // Inside, placeholders stand for the operands, under their names.
  std::vector<std::pair<Variable, Variable>> arguments;
  Host host;
  std::vector<cantik_value> x;
  std::vector<Variable> places;
  std::vector<Type> types = operand_types(op, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Variable p = placeholder(inputs[i].name(), types[i]);
    arguments.emplace_back(p, inputs[i]);
    places.push_back(p);
    x.push_back(host.add(p));
  }
  Function composite;
  if (op.compose) {
    std::vector<cantik_value> result(static_cast<size_t>(op.outputs), -1);
    std::vector<cantik_attribute> c_attributes = to_c(attributes);
    cantik_builder c{};
    c.size = sizeof c;
    c.self = &host;
    c.inputs = static_cast<int32_t>(inputs.size());
    c.outputs = op.outputs;
    c.x = x.data();
    c.result = result.data();
    c.attributes = c_attributes.data();
    c.call = &Host::call;
    c.expression = &Host::expression;
    c.constant = &Host::constant;
    c.type = &Host::type;
    c.fail = &Host::fail;
    cantik_status status = op.compose(op.user, &c);
    if (host.error) throw *host.error;
    if (status) throw runtime_error("the body of " + op.name + " failed with status " + std::to_string(status));
    std::vector<Variable> outs;
    for (cantik_value v : result) outs.push_back(host.values.at(static_cast<size_t>(v)));
    composite = outs.size() == 1 && outs[0].is_output() ? wrap(outs[0].node()) : combine(outs);
  } else {
    composite = wrap(spell_out(op.expression, places, attributes).node());
  }
  Function block = as_block(composite, arguments, op.cntk_name(), name);
  block.node()->op = &op;
  block.node()->attributes = std::move(attributes);
  return block;
}

}  // namespace cantik
