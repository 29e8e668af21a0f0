// Building graphs: operators applied to variables, placeholders bound, blocks closed.
#include <algorithm>

#include "base/text.h"
#include "graph/compose.h"
#include "graph/node.h"
#include "graph/types.h"

namespace cantik {
namespace {

bool reaches(const Variable& from, const Node* target) {
  if (!from.is_output()) return false;
  bool found = false;
  preorder(from.node(), [&](const std::shared_ptr<Node>& n) {
    for (const Variable& v : n->block ? block_inputs(*n) : n->inputs)
      for (Variable at = v;;) {  // through placeholders, the target included
        if (at.node().get() == target) return found = true;
        if (at.node()->kind != Node::Kind::placeholder || !at.node()->bound || at.node()->is_block_argument) break;
        at = at.node()->bound;
      }
    return false;
  });
  return found;
}

std::string count_text(const Operator& op) {
  if (op.inputs_min == op.inputs_max) return std::to_string(op.inputs_min);
  if (op.inputs_max >= 1 << 20) return cat("at least ", op.inputs_min);
  return cat(op.inputs_min, " to ", op.inputs_max);
}

}  // namespace

void collect_keeps(const Variable& v, std::vector<std::shared_ptr<const void>>& keeps) {
  if (v.keep() && std::find(keeps.begin(), keeps.end(), v.keep()) == keeps.end()) keeps.push_back(v.keep());
}

Function wrap(std::shared_ptr<Node> root, const std::string& name) {
  auto c = std::make_shared<Composite>();
  c->id = next_id();
  c->name = name;
  for (const Variable& v : root->inputs) collect_keeps(v, c->keeps);
  return Function(std::move(root), std::move(c));
}

Function make_function(const Operator& op, std::vector<Attribute> attributes, std::vector<Variable> inputs, const std::string& name) {
  int count = static_cast<int>(inputs.size());
  if (count < op.inputs_min || count > op.inputs_max)
    throw value_error(cat(op.name, " takes ", count_text(op), " inputs, got ", count)).made_at(Origin::current().text()).remedy(op.signature);
  auto n = std::make_shared<Node>();
  n->op = &op;
  n->made_at = Origin::current();
  if (op.stands_as_block()) {
    if (op.infer) {  // the operator's own rule has the better words for what is wrong
      n->attributes = attributes;
      n->inputs = inputs;
      infer(*n);
    }
    return make_block(op, std::move(attributes), inputs, name);
  }
  n->id = next_id();
  n->name = name;
  n->attributes = std::move(attributes);
  n->inputs = std::move(inputs);
  infer(*n);
  return wrap(n);
}

Function call(std::string_view name_of_op, const std::vector<Variable>& inputs, const std::vector<NamedAttribute>& given, const std::string& name) {
  const Operator& op = Registry::global().get(name_of_op);
  std::vector<Attribute> attributes = op.defaults();
  for (const NamedAttribute& a : given) {
    int i = op.field(a.name);
    if (i < 0) throw type_error(cat(op.name, " has no attribute ", a.name)).remedy(op.signature);
    attributes[static_cast<size_t>(i)] = a.value;
  }
  return make_function(op, std::move(attributes), inputs, name);
}

Function call(std::string_view op, const std::vector<Variable>& inputs, std::initializer_list<NamedAttribute> given, const std::string& name) {
  return call(op, inputs, std::vector<NamedAttribute>(given), name);
}

Function combine(const std::vector<Variable>& operands, const std::string& name) { return call("combine", operands, {}, name); }

Function Function::replace_placeholders(const Replacements& bindings) const {
  for (const auto& [p, v] : bindings) {
    if (!p.is_placeholder()) throw value_error("only placeholders can be replaced, not " + p.text());
    std::vector<Variable> mine = placeholders();
    if (std::find(mine.begin(), mine.end(), p) == mine.end())
      throw value_error("the function has no " + p.text() + " to replace").node(text());
  }
  for (const auto& [p, given] : bindings) {
    Variable v = resolved(given);
    Node& n = *p.node();
    if (v == p) throw value_error("the placeholder " + p.text() + " cannot stand for itself");
    if (reaches(v, &n)) {
      n.loop = v.node();
      n.loop_index = v.index();
      if (composite_) composite_->loops.push_back(v.node());
    } else {
      n.bound = v;
      if (composite_) collect_keeps(v, composite_->keeps);
    }
    learn(n.types[0], v.type());
  }
  infer_graph(root_);
  return *this;
}

namespace {

// What a block reads comes in through its arguments; parameters and constants apart, it has nothing from outside.
void check_arguments(const Function& composite, const std::vector<std::pair<Variable, Variable>>& arguments, const std::string& name) {
  std::vector<Variable> open;
  for (const Variable& v : composite.arguments()) {
    if (!v.is_placeholder())
      throw value_error(cat("The composite implementing Block '", name, "' has an argument '", v.text(), "' which is not a placeholder. All arguments of the composite underlying a Block must be placeholders"))
          .made_at(Origin::current().text())
          .remedy("make it an argument of the block");
    if (std::none_of(arguments.begin(), arguments.end(), [&](const auto& a) { return a.first == v; })) open.push_back(v);
  }
  if (!open.empty())
    throw value_error(cat(open.size(), " of the arguments '", join(open, ", ", [](const Variable& v) { return v.text(); }),
                          "' of the underlying composite Function of Block '", name, "' have not been mapped when encapsulating the composite as a Block."))
        .made_at(Origin::current().text())
        .remedy("make it an argument of the block");
}

}  // namespace

Function as_block(const Function& composite, const std::vector<std::pair<Variable, Variable>>& arguments, const std::string& op_name, const std::string& name) {
  check_arguments(composite, arguments, name);
  for (const auto& [inside, outside] : arguments) {
    if (!inside.is_placeholder()) throw value_error("a block's argument must be a placeholder, not " + inside.text());
    Node& p = *inside.node();
    p.is_block_argument = true;
    p.bound = outside;
  }
  auto n = std::make_shared<Node>();
  n->id = next_id();
  n->name = name;
  n->made_at = Origin::current();
  n->block = std::make_unique<Block>(Block{op_name, composite, arguments});
  for (const auto& [inside, outside] : arguments) n->inputs.push_back(outside);
  for (const Variable& v : composite.outputs()) n->types.push_back(v.type());
  infer(*n);
  return wrap(n);
}

}  // namespace cantik
