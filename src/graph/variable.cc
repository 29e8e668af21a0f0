// Variables: leaves of graphs, and outputs of functions.
#include <cantik/variable.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <cantik/seed.h>

#include "base/text.h"
#include "graph/node.h"
#include "graph/object.h"
#include "graph/unresolved.h"

namespace cantik {
namespace {

std::shared_ptr<Node> make_leaf(Node::Kind kind, Type type, std::string name) {
  auto n = make_node();
  n->kind = kind;
  n->id = next_id();
  n->name = std::move(name);
  n->made_at = Origin::current();
  n->types.push_back(std::move(type));
  return n;
}

// A dimension is a number of at least `least`, or unknown.
void check_shape(const Variable& v, int64_t least, bool may_be_free) {
  const Shape& s = v.shape();
  if (!s.is_known()) return;
  for (int64_t d : s) {
    if (d >= least || d == kInferred || (d == kFree && may_be_free)) continue;
    const char* why = d == kFree ? "; it is illegal for a Parameter/Constant to have a FreeDimension" : "";
    throw value_error(cat("Variable '", v.text(), "' has invalid shape '", s.text(" x "), "'", why, "."))
        .made_at(v.made_at().text())
        .remedy(cat("dimensions are numbers of at least ", least, ", or InferredDimension",
                    may_be_free ? ", or FreeDimension" : ""));
  }
}

Variable stored_leaf(Node::Kind kind, Shape shape, Initializer init, DType dtype, std::string name) {
  if (init.kind == Initializer::Kind::values) {
    if (!shape.is_known()) shape = init.tensor.shape();
    if (dtype == DType::unknown) dtype = init.tensor.dtype();
  }
  auto n = make_leaf(kind, {dtype, std::move(shape), Axes(), Storage::dense}, std::move(name));
  n->needs_gradient = kind == Node::Kind::parameter;
  n->stored = std::make_shared<Stored>();
  n->stored->init = std::move(init);
  n->stored->pending = true;
  // The seed is asked for now, so that the order of construction decides, not that of first use.
  if (n->stored->init.draws() && n->stored->init.seed == kAutoSeed) {
    n->stored->init.seed = next_seed();
    n->has_automatic_seed = true;
  }
  check_shape(Variable(n), 0, false);
  n->stored->init.check(n->types[0].shape);
  return Variable(n);
}

Stored& stored_of(const Variable& v) {
  if (!v.node()->stored) throw value_error("only parameters and constants have a value, not " + v.text());
  return *v.node()->stored;
}

Tensor first_value(const Variable& v, const Initializer& init) {
  const Type& t = v.type();
  if (!t.shape.is_static()) throw unresolved_shape(v);
  try {
    return init.make(t.dtype, t.shape);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::memory) throw;
    throw Error(e).node(v.text()).made_at(v.made_at().text());
  }
}

}  // namespace

Error unresolved_shape(const Variable& v) {
  return value_error("Cannot create an NDArrayView using a view shape '" + v.shape().text(" x ") +
                     "' that has unknown dimensions for any of its axes.")
      .line("node", v.text())
      .made_at(v.made_at().text())
      .remedy("apply the function to an input first, or give the shape in full");
}

int64_t next_id() {
  static std::atomic<int64_t> counter{0};
  return counter++;
}

Origin& Origin::current() {
  static thread_local Origin origin;
  return origin;
}

void detail::OutputHandle::throw_empty() {
  throw value_error("the variable is empty: it was default-constructed, or moved from")
      .made_at(Origin::current().text())
      .remedy("give a variable that input, parameter, constant or an operator made");
}

Variable::Variable(const Function& f) { *this = f.output(); }

VariableKind Variable::kind() const {
  switch (node()->kind) {
    case Node::Kind::input: return VariableKind::input;
    case Node::Kind::parameter: return VariableKind::parameter;
    case Node::Kind::constant: return VariableKind::constant;
    case Node::Kind::placeholder: return VariableKind::placeholder;
    case Node::Kind::function: break;
  }
  return VariableKind::output;
}

const Type& Variable::type() const {
  const std::shared_ptr<Node>& n = node();
  if (index() >= n->types.size())
    throw value_error(cat("the function has ", n->types.size(), " outputs; there is no output ", index(),
                          " (outputs count from 0)"));
  return n->types[index()];
}

const std::string& Variable::name() const {
  if (!node()->object) return node()->name;
  const std::vector<std::optional<std::string>>& names = node()->object->parts().output_names;
  return index() < names.size() && names[index()] ? *names[index()] : node()->name;
}

bool Variable::needs_gradient() const {
  if (node()->is_leaf()) return node()->needs_gradient;
  const std::vector<Variable> all = leaves(node());
  return std::any_of(all.begin(), all.end(), [](const Variable& v) { return v.needs_gradient(); });
}

std::string Variable::uid() const {
  std::string s = uid_of(*node());
  return is_output() ? s + "_Output_" + std::to_string(index()) : s;
}

Function Variable::owner() const {
  if (!is_output()) throw runtime_error(text() + " has no owner: only the output of a function has one");
  return Function(node(), nullptr);
}

std::string Variable::text() const {
  if (!*this) return "Variable()";
  static constexpr const char* kKinds[] = {"Input", "Output", "Parameter", "Constant", "Placeholder"};
  const Type& t = type();
  return cat(kKinds[static_cast<int>(kind())], "('", name().empty() ? uid() : name(), "', ", t.axes.text(),
             ", ", t.shape.text(" x "), ")");
}

Tensor Variable::value() const {
  Stored& s = stored_of(*this);
  Initializer init;
  {
    std::lock_guard lock(s.mutex);
    if (!s.pending) return s.tensor;
    init = s.init;
  }
  const Tensor made = first_value(*this, init);  // without the lock: that may take long, and be ended
  std::lock_guard lock(s.mutex);
  if (s.pending) s.tensor = made, s.pending = false;
  return s.tensor;
}

void Variable::set_value(const Tensor& value) const {
  Stored& s = stored_of(*this);
  std::lock_guard lock(s.mutex);
  Type& t = node()->types[0];
  bool fits = value.shape().rank() == t.shape.rank() || !t.shape.is_known();
  for (int i = 0; fits && t.shape.is_known() && i < t.shape.rank(); ++i)
    fits = t.shape[i] < 0 || t.shape[i] == value.shape()[i];
  if (!fits)
    throw shape_error("the value for " + text() + " has the shape " + value.shape().text() +
                      ", but the variable has the shape " + t.shape.text())
        .made_at(node()->made_at.text());
  if (s.pending) {
    // Plans point into the tensor: from now on its memory stays.
    t.shape = value.shape();
    s.tensor = Tensor(t.dtype, t.shape);
    s.pending = false;
  }
  s.tensor.copy_from(value);
  s.version.fetch_add(1, std::memory_order_release);
}

Origin Variable::made_at() const { return node()->made_at; }

uint64_t Variable::version() const {
  return node()->stored ? node()->stored->version.load(std::memory_order_acquire) : 0;
}

void Variable::add_to_version() const {
  if (!node()->stored) throw value_error("only parameters and constants have a value, not " + text());
  node()->stored->version.fetch_add(1, std::memory_order_release);
}

Variable input(Shape shape, InputOptions o) {
  auto n = make_leaf(Node::Kind::input,
                     {o.dtype, std::move(shape), o.axes, o.sparse ? Storage::csr : Storage::dense},
                     std::move(o.name));
  n->needs_gradient = o.needs_gradient;
  check_shape(Variable(n), 1, true);
  return Variable(n);
}

Variable parameter(Shape shape, Initializer init, DType dtype, std::string name) {
  return stored_leaf(Node::Kind::parameter, std::move(shape), std::move(init), dtype, std::move(name));
}

Variable constant(Tensor value, std::string name) {
  DType dtype = value.dtype();
  Shape shape = value.shape();
  return stored_leaf(Node::Kind::constant, std::move(shape), Initializer(std::move(value)), dtype,
                     std::move(name));
}

Variable constant(Shape shape, Initializer init, DType dtype, std::string name) {
  return stored_leaf(Node::Kind::constant, std::move(shape), std::move(init), dtype, std::move(name));
}

Variable placeholder(std::string name, Type type, bool needs_gradient) {
  std::shared_ptr<Node> n = make_leaf(Node::Kind::placeholder, std::move(type), std::move(name));
  n->needs_gradient = needs_gradient;
  return Variable(std::move(n));
}

}  // namespace cantik
