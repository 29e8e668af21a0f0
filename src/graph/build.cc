// Building graphs: operators applied to variables, placeholders bound, blocks closed.
#include <algorithm>
#include <memory>
#include <optional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "graph/attribute_kind.h"
#include "graph/compose.h"
#include "graph/cycle.h"
#include "graph/loops.h"
#include "graph/node.h"
#include "graph/presume.h"
#include "graph/retype.h"
#include "graph/types.h"
#include "graph/undo.h"
#include "tensor/function_seed.h"

namespace cantik {
namespace {

// Whether a value depends on a function, through bound placeholders and into blocks.
bool reaches(const Variable& from, const Node* target) {
  if (!from.is_output()) return false;
  bool found = false;
  preorder(from.node(), [&](const std::shared_ptr<Node>& n) {
    if (n.get() == target || (n->block && reaches(n->block->root, target))) found = true;
    return found;
  });
  return found;
}

std::string count_text(const Operator& op) {
  if (op.inputs_min == op.inputs_max) return std::to_string(op.inputs_min);
  if (op.inputs_max >= 1 << 20) return cat("at least ", op.inputs_min);
  return cat(op.inputs_min, " to ", op.inputs_max);
}

// Seeds are drawn when the function is made; what CNTK keeps in float32 is rounded to it. Returns whether a
// seed was drawn.
bool settle(const Operator& op, std::vector<Attribute>& attributes) {
  bool draws = false;
  for (size_t i = 0; i < op.fields.size(); ++i) {
    Attribute& a = attributes[i];
    if (op.fields[i].role == CANTIK_SEED && a.integer() == static_cast<int64_t>(kAutoSeed) &&
        !op.has(CANTIK_SPELLED_OUT)) {
      a = static_cast<int64_t>(next_function_seed());
      draws = true;
    }
    if (op.fields[i].role != CANTIK_SINGLE) continue;
    if (const double* x = a.get<double>()) a = static_cast<double>(static_cast<float>(*x));
    if (const std::vector<double>* list = a.get<std::vector<double>>()) {
      std::vector<double> rounded;
      for (double x : *list) rounded.push_back(static_cast<float>(x));
      a = rounded;
    }
  }
  return draws;
}

}  // namespace

Function wrap(std::shared_ptr<Node> root, std::optional<std::string> name) {
  auto c = std::make_shared<Composite>();
  c->label = std::make_shared<Label>(Label{next_id(), {}, std::move(name)});
  return Function(std::move(root), std::move(c));
}

void check_operand_count(const Operator& op, int32_t count) {
  if (count >= op.inputs_min && count <= op.inputs_max) return;
  throw value_error(cat(op.name, " takes ", count_text(op), " inputs, and was given ", count))
      .made_at(Origin::current().text())
      .remedy(op.signature);
}

Function make_function(const Operator& op, std::vector<Attribute> attributes, std::vector<Variable> inputs,
                       const std::string& name) {
  if (op.facts.instead_if >= 0 && attributes[op.facts.instead_if].integer())
    return make_function(Registry::global().get(op.facts.instead), std::move(attributes), std::move(inputs),
                         name);
  check_operand_count(op, static_cast<int32_t>(inputs.size()));
  auto n = make_node();
  n->op = &op;
  n->made_at = Origin::current();
  n->has_automatic_seed = settle(op, attributes);
  if (op.has(CANTIK_EFFECT) && !op.has(CANTIK_HIDDEN)) {
    Variable target = resolved(inputs[0]);
    if (!target.is_parameter() && !target.is_constant() && !target.is_placeholder())
      throw value_error(cat(op.name,
                            " assigns to its first operand, which must be a parameter or a constant and is ",
                            target.text()))
          .made_at(n->made_at.text())
          .remedy(op.signature);
  }
  if (op.has(CANTIK_SPELLED_OUT) || op.stands_as_block()) {
    n->attributes = attributes;
    n->inputs.assign(inputs.begin(), inputs.end());
    bool block = !op.has(CANTIK_SPELLED_OUT);
    refuse_batch_beside_sequences(*n);
    if (block && op.infer) infer(*n);  // the operator's own rule has the better words for what is wrong
    try {
      return block ? make_block(op, std::move(attributes), inputs, name)
                   : spell(op, attributes, inputs, name);
    } catch (const Error& e) {
      rethrow_with(e, *n);
    }
  }
  n->id = next_id();
  n->name = name;
  n->attributes = std::move(attributes);
  n->inputs.assign(inputs.begin(), inputs.end());
  infer(*n);
  presume(*n);
  return wrap(n);
}

Function call(std::string_view name_of_op, const std::vector<Variable>& inputs,
              const std::vector<NamedAttribute>& given, const std::string& name) {
  const Operator& op = Registry::global().get(name_of_op);
  std::vector<Attribute> attributes = op.defaults();
  for (const NamedAttribute& a : given) {
    int i = op.field(a.name);
    if (i < 0) throw type_error(cat(op.name, " has no attribute ", a.name)).remedy(op.signature);
    const AttributeInfo& field = op.fields[i];
    attributes[i] = fitted(op, field, a.value);
  }
  return make_function(op, std::move(attributes), inputs, name);
}

Function call(std::string_view op, const std::vector<Variable>& inputs,
              std::initializer_list<NamedAttribute> given, const std::string& name) {
  return call(op, inputs, std::vector<NamedAttribute>(given), name);
}

Function combine(const std::vector<Variable>& operands, const std::string& name) {
  return call("combine", operands, {}, name);
}

namespace {

// Functions below the root, inside blocks too, that read this placeholder.
std::vector<Node*> readers(const std::shared_ptr<Node>& root, const Variable& p) {
  std::vector<Node*> found;
  auto is_p = [&](const Variable& v) { return resolved(v) == p; };
  preorder(root, [&](const std::shared_ptr<Node>& n) {
    bool reads = std::any_of(n->inputs.begin(), n->inputs.end(), is_p);
    if (n->block)
      for (Node* inner : readers(n->block->root.handle(), p))
        if (std::find(found.begin(), found.end(), inner) == found.end()) found.push_back(inner);
    if (reads && std::find(found.begin(), found.end(), n.get()) == found.end()) found.push_back(n.get());
    return false;
  });
  return found;
}

// In one function: the placeholder gives way to what stands for it.
void replace(Node& n, const Variable& p, const Variable& by) {
  for (Edge& e : n.inputs)
    if (resolved(e) == p) e = by;
  if (!n.block) return;
  for (auto& [inside, outside] : n.block->arguments)
    if (resolved(outside) == p) {
      outside = by;
      inside.node()->bound = by;
    }
}

// What follows from these variables, and from what is open, is found again.
void infer_anew(const std::shared_ptr<Node>& root, const std::vector<Variable>& changed) {
  if (!changed.empty()) forget_types(root, changed);
  forget_presumed(root);
  infer_graph(root);
  presume_graph(root);
}

// Plans made before are of another graph.
void forget_plans(const Function& f) {
  if (!f.composite()) return;
  std::lock_guard lock(f.composite()->mutex);
  f.composite()->engine.reset();
}

}  // namespace

// Only this function's graph changes: whoever else reads the placeholder, or is built with it later, keeps
// it.
Function Function::replace_placeholders(const Replacements& bindings) const {
  std::vector<Variable> mine = placeholders();
  for (const auto& [p, v] : bindings) {
    if (!p.is_placeholder() || std::find(mine.begin(), mine.end(), p) == mine.end())
      throw value_error("the function has no placeholder " + p.text() + " to replace").node(text());
    if (resolved(v) == p) throw value_error("the placeholder " + p.text() + " cannot be replaced by itself");
  }
  Undo undo(node());
  // those that closed a loop, and the placeholders they took the place of
  std::vector<std::pair<Variable, Variable>> edges;
  std::vector<Variable> changed;  // of another type than the placeholder was said to have
  for (const auto& [p, given] : bindings) {
    Variable v = resolved(given);
    std::vector<Node*> sites = readers(node(), p);
    bool closes_loop = std::any_of(sites.begin(), sites.end(), [&](Node* n) {
      return v.is_output() && (v.node().get() == n || reaches(v, n));
    });
    if (closes_loop) {
      // The edge that closes a loop goes through a placeholder of its own, so that it can be opened again.
      Variable edge = placeholder(p.name(), v.node()->presumed ? Type::unknown() : v.type());
      edge.node()->bound = v;
      edges.emplace_back(edge, p);
      v = edge;
    } else if (contradicts(p.type(), v.type())) {
      changed.push_back(v);
    }
    for (Node* n : sites) {
      undo.keep_operands(*n);
      replace(*n, p, v);
    }
  }
  forget_plans(*this);
  try {
    if (!edges.empty()) check_loops(node());
    own_cycles(node());
    infer_anew(node(), changed);
  } catch (...) {  // of the library or of a user function
    for (const auto& [edge, p] : edges) edge.node()->bound = p;
    undo.take_back();
    std::vector<Variable> open;
    for (const auto& [p, v] : bindings) open.push_back(p);
    infer_anew(node(), open);
    throw;
  }
  return *this;
}

namespace {

// What a block reads comes in through its arguments; parameters and constants apart, it has nothing from
// outside.
void check_arguments(const Function& composite, const std::vector<std::pair<Variable, Variable>>& arguments,
                     const std::string& name) {
  std::vector<Variable> open;
  for (const Variable& v : composite.arguments()) {
    if (!v.is_placeholder())
      throw value_error(cat("The composite implementing Block '", name, "' has an argument '", v.text(),
                            "' which is not a placeholder. All arguments of the composite underlying a Block "
                            "must be placeholders"))
          .made_at(Origin::current().text())
          .remedy("make it an argument of the block");
    if (std::none_of(arguments.begin(), arguments.end(), [&](const auto& a) { return a.first == v; }))
      open.push_back(v);
  }
  if (!open.empty())
    throw value_error(cat(open.size(), " of the arguments '",
                          join(open, ", ", [](const Variable& v) { return v.text(); }),
                          "' of the underlying composite Function of Block '", name,
                          "' have not been mapped when encapsulating the composite as a Block."))
        .made_at(Origin::current().text())
        .remedy("make it an argument of the block");
}

}  // namespace

Function as_block(const Function& composite, const std::vector<std::pair<Variable, Variable>>& arguments,
                  const std::string& op_name, const std::string& name) {
  check_arguments(composite, arguments, name);
  for (const auto& [inside, outside] : arguments)
    if (!inside.is_placeholder())
      throw value_error("a block's argument must be a placeholder, not " + inside.text());
  // A caller's placeholder may stand on both sides, so the block has placeholders of its own inside, as in
  // CNTK.
  std::vector<std::pair<Variable, Variable>> own;
  std::vector<Variable> changed;
  for (const auto& [inside, outside] : arguments) {
    const bool keeps_type = !contradicts(inside.type(), resolved(outside).type());
    const Variable place = placeholder(outside.name(), keeps_type ? inside.type() : Type::unknown());
    for (Node* n : readers(composite.node(), inside)) replace(*n, inside, place);
    own.emplace_back(place, outside);
    if (!keeps_type) changed.push_back(place);
  }
  if (!changed.empty()) forget_types(composite.node(), changed);
  forget_presumed(composite.node());
  forget_plans(composite);
  return block_of(composite, own, op_name, name);
}

Function block_of(const Function& composite, const std::vector<std::pair<Variable, Variable>>& arguments,
                  const std::string& op_name, const std::string& name) {
  for (const auto& [inside, outside] : arguments) {
    inside.node()->is_block_argument = true;
    inside.node()->bound = outside;
  }
  auto n = make_node();
  n->id = next_id();
  n->name = name;
  n->made_at = Origin::current();
  n->block = std::make_unique<Block>(Block{op_name,
                                           Variable(composite.node()),
                                           composite.composite()->label,
                                           {arguments.begin(), arguments.end()},
                                           false});
  for (const auto& [inside, outside] : arguments) n->inputs.push_back(outside);
  for (const Variable& v : composite.outputs()) n->types.push_back(v.type());
  infer(*n);
  return wrap(n);
}

}  // namespace cantik
