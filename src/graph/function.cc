// Functions: what they read, what they make, what they are called.
#include <cantik/function.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <cantik/dictionary.h>

#include "base/text.h"
#include "graph/attribute_kind.h"
#include "graph/node.h"

namespace cantik {
namespace {

std::string choices(const std::vector<Variable>& list) {
  return join(list, ", ", [](const Variable& v) { return v.name().empty() ? v.uid() : v.name(); });
}

// Those of a kind, each once: an operator may read a variable as several of its operands.
template <class P>
std::vector<Variable> only(const std::vector<Variable>& all, P&& p) {
  std::vector<Variable> list;
  std::unordered_set<Variable> seen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(list),
               [&](const Variable& v) { return p(v) && seen.insert(v).second; });
  return list;
}

}  // namespace

void detail::FunctionHandle::throw_empty() {
  throw value_error("the function is empty: it was default-constructed, or moved from")
      .made_at(Origin::current().text())
      .remedy("give a function that an operator, a layer or load made");
}

bool Function::is_block() const { return *this && !composite() && node()->block != nullptr; }
Function Function::root() const { return Function(node(), nullptr); }

bool operator==(const Function& a, const Function& b) {
  auto root = [](const Function& f) { return f ? f.node().get() : nullptr; };
  auto label = [](const Function& f) { return f.composite() ? f.composite()->label.get() : nullptr; };
  return root(a) == root(b) && label(a) == label(b);
}

size_t Function::hash() const noexcept {
  const void* what = nullptr;
  if (composite())
    what = composite()->label.get();
  else if (*this)
    what = node().get();
  return std::hash<const void*>()(what);
}

Function Function::block_composite() const {
  if (composite() || !node()->block)
    throw value_error("block_root needs a block; this function is " + text())
        .node(text())
        .remedy("ask its root_function");
  return node()->block->composite();
}
Function Function::block_root() const { return block_composite().root(); }

std::vector<std::pair<Variable, Variable>> Function::block_arguments() const {
  if (composite() || !node()->block)
    throw value_error("block_arguments needs a block; this function is " + text())
        .node(text())
        .remedy("ask its root_function");
  return shown_arguments(*node());
}

const std::string& Function::name() const {
  const bool own = composite() && composite()->label->name;
  return own ? *composite()->label->name : node()->name;
}

void Function::set_name(const std::string& name) const {
  if (composite())
    composite()->label->name = name;
  else
    node()->name = name;
}

std::string Function::uid() const {
  if (!composite()) return uid_of(*node());
  const Label& label = *composite()->label;
  return label.uid.empty() ? cat("CompositeFunction", label.id) : label.uid;
}

std::string Function::op_name() const {
  if (composite()) return "CompositeFunctionOpName";
  return node()->block ? node()->block->op_name : node()->op->cntk_name();
}

std::vector<std::pair<std::string, Attribute>> Function::attributes() const {
  std::vector<std::pair<std::string, Attribute>> list;
  if (!node()->op) return list;
  for (size_t i = 0; i < node()->op->fields.size(); ++i)
    list.emplace_back(node()->op->fields[i].name, node()->attributes[i]);
  return list;
}

void Function::set_attribute(std::string_view name, const Attribute& value) const {
  int i = node()->op ? node()->op->field(name) : -1;
  for (size_t k = 0; i < 0 && node()->op && k < node()->op->fields.size(); ++k)
    if (node()->op->fields[k].key == name) i = static_cast<int>(k);
  if (i < 0 || !node()->op->fields[i].live)
    throw runtime_error(cat(root().op_name(), " has no attribute ", name, " that can be changed"))
        .remedy("set dropoutRate or rngSeed of a dropout");
  const AttributeInfo& field = node()->op->fields[i];
  node()->attributes[i] = fitted(*node()->op, field, value);
}

Dictionary Function::custom_attributes() const {
  return node()->annotations ? *node()->annotations : Dictionary();
}

void Function::set_custom_attributes(const Dictionary& attributes) const {
  node()->annotations = std::make_shared<const Dictionary>(attributes);
}

std::vector<Variable> Function::inputs() const {
  if (composite()) return leaves(node());
  return resolved_inputs(*node());
}

std::vector<Variable> Function::outputs() const { return outputs_of(node()); }

Variable Function::output() const {
  std::vector<Variable> outs = outputs();
  if (outs.size() != 1)
    throw runtime_error(cat("A Function instance '", text(), "' with ", outs.empty() ? "no" : "more than one",
                            " output cannot be implicitly converted to a Variable."))
        .remedy(outs.empty() ? "combine at least one value" : "choose one of its outputs");
  return outs[0];
}

std::vector<Variable> Function::arguments() const {
  return only(inputs(),
              [](const Variable& v) { return v.is_input() || v.is_placeholder() || v.is_output(); });
}
std::vector<Variable> Function::parameters() const {
  return only(composite() ? leaves(node(), OperandOrder::kept) : operands_of(*node(), OperandOrder::kept),
              [](const Variable& v) { return v.is_parameter(); });
}
std::vector<Variable> Function::constants() const {
  return only(composite() ? leaves(node(), OperandOrder::kept) : operands_of(*node(), OperandOrder::kept),
              [](const Variable& v) { return v.is_constant(); });
}
std::vector<Variable> Function::placeholders() const {
  return only(inputs(), [](const Variable& v) { return v.is_placeholder(); });
}

Variable Function::parameter(std::string_view name) const {
  const std::vector<Variable> all = parameters();
  std::vector<Variable> found;
  for (const Variable& v : all)
    if (v.name() == name) found.push_back(v);
  if (found.size() > 1)
    throw key_error(cat("the function has ", found.size(), " parameters with the name ", name))
        .node(text())
        .remedy("choose among parameters(), or name the layers and ask find_by_name() for one of them");
  if (found.empty())
    throw key_error(cat("the function has no parameter ", name))
        .node(text())
        .remedy(all.empty() ? "it has no parameters at all" : "it has " + choices(all));
  return found[0];
}

Function Function::find_by_name(std::string_view name, int depth) const {
  std::vector<Function> all = find_all_with_name(name, depth);
  return all.empty() ? Function() : all[0];
}

std::vector<Function> Function::find_all_with_name(std::string_view name, int depth) const {
  std::vector<Function> found;
  preorder(node(), [&](const std::shared_ptr<Node>& n) {
    if (n->name == name) found.push_back(wrap(n));
    if (n->block && depth != 0)
      for (const Function& f : n->block->composite().find_all_with_name(name, depth - 1)) found.push_back(f);
    return false;
  });
  return found;
}

Function Function::as_composite(std::optional<std::string> name) const {
  if (composite() && (!name || name->empty())) return *this;
  return wrap(node(), std::move(name));
}

Function operator>>(const Function& f, const Function& g) { return g(f.output()); }

std::vector<std::string> load_operators(const std::string& path) {
  return Registry::global().load_library(path);
}

}  // namespace cantik
