#include "graph/object.h"

#include <algorithm>
#include <atomic>

#include "base/text.h"
#include "graph/node.h"
#include "graph/types.h"

namespace cantik {
namespace {

void fill(Operator& op, const std::string& name, UserOperator* object,
          cantik_status (*prepare)(void*, cantik_prepare*)) {
  op.name = name;
  op.signature = name + "(...)";
  op.user = op.object = object;
  op.traits = CANTIK_HIDDEN | CANTIK_TAKES_SPARSE | CANTIK_TAKES_HALF | CANTIK_OBSERVED;
  op.kernels.push_back({sizeof(cantik_kernel), "object", prepare});
  op.kernel_names.push_back("object");
}

// Numbers that say which results or operands are meant.
void take_lists(Operator& op, std::initializer_list<const char*> names) {
  for (const char* name : names)
    op.fields.push_back({name, "", "", CANTIK_PLAIN, false, Attribute(std::vector<int64_t>())});
}

std::atomic<UserFunctionReader> reader{nullptr};

Error without_override(const UserOperator& op, const std::string& what) {
  return op.at_node(unsupported(cat(op.name(), " has no ", what)));
}

}  // namespace

UserOperator::UserOperator(const std::string& name, size_t operands, const std::string& printed)
    : reads_x(operands), reads_y(1), parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.passes_gradient = {true};
  fill(p.op, name, this, &object_kernels::forward);
  p.op.names["cntk"] = printed.empty() ? name : printed;
  p.op.inputs_min = p.op.inputs_max = static_cast<int>(operands);
  p.op.traits = (p.op.traits & ~uint64_t{CANTIK_HIDDEN}) | CANTIK_IN_STEPS;
  p.op.facts.saves = CANTIK_SAVES_FOR_GRADIENT;
  p.op.facts.sizes = &object_rules::sizes;
  p.op.gradient = &object_rules::gradient;
  fill(p.backward, name + ".backward", this, &object_kernels::backward);
  p.backward.traits |= CANTIK_IN_STEPS | CANTIK_READS_SAVED;
  take_lists(p.backward, {"given", "wanted", "x", "y"});
  fill(p.call, name + ".call", this, &object_kernels::call);
  p.call.facts.saves = CANTIK_SAVES_FOR_READERS;
  take_lists(p.call, {"results"});
  fill(p.part, name + ".part", this, &object_kernels::part);
  p.part.traits |= CANTIK_OWN_AXIS | CANTIK_READS_SAVED;
  take_lists(p.part, {"results"});
  p.op.relatives = {&p.backward, &p.call, &p.part};
}

UserOperator::~UserOperator() = default;

const std::string& UserOperator::name() const { return parts_->op.name; }

void UserOperator::backward(const UserCall&) const { throw without_override(*this, "backward"); }
std::shared_ptr<const void> UserOperator::make(const UserCall&) const {
  throw unsupported(
      cat(name(), " cannot run here: the size of its result is known only after it has been computed"));
}
void UserOperator::sizes(const UserCall& call, std::span<Shape>) const { make(call); }
void UserOperator::lengths(const UserCall& call, size_t, std::span<int64_t>) const { make(call); }
void UserOperator::part(const UserCall& call, size_t) const { make(call); }
Function UserOperator::clone(const std::vector<Variable>&, const std::string&) const {
  throw without_override(*this, "clone: a network with it cannot be copied");
}
Dictionary UserOperator::saved() const {
  throw without_override(*this, "saved: a network with it cannot be written to a file");
}
void UserOperator::lose_node(std::span<const Variable>) {}

bool is_of_batch(const UserOperator& object, size_t operand) {
  const std::vector<Variable> all = object.operands();
  return operand < all.size() && all[operand].axes().has_batch() && !all[operand].axes().has_sequence();
}

void lose_node(UserOperator& object, const std::vector<Edge>& operands) {
  std::vector<Variable> left;
  for (const Edge& e : operands) {
    std::shared_ptr<Node> n = e.handle();
    left.push_back(n ? Variable(std::move(n), e.index()) : Variable());
  }
  object.lose_node(left);
}

std::vector<Type> types_of(UserOperator& object, std::span<const Type> in, bool building) {
  UserOperator::Parts& p = object.parts();
  {
    std::lock_guard lock(p.mutex);
    const bool open = std::any_of(p.known.begin(), p.known.end(),
                                  [](const Type& t) { return !t.is_known() || !t.shape.is_static(); });
    if (!p.known.empty() &&
        (std::equal(in.begin(), in.end(), p.known_in.begin(), p.known_in.end()) || (!building && !open)))
      return p.known;
  }
  const bool known = std::all_of(in.begin(), in.end(), [](const Type& t) { return t.is_known(); });
  const bool sized =
      known && std::all_of(in.begin(), in.end(), [](const Type& t) { return t.shape.is_static(); });
  std::vector<UserResult> results;
  try {
    results = object.infer(in);
    if (results.empty()) throw object.at_node(value_error(object.name() + " has no results"));
  } catch (...) {
    if (known) throw;
    return std::vector<Type>(static_cast<size_t>(p.op.outputs), Type::unknown());
  }
  std::vector<Type> out;
  for (const UserResult& r : results) out.push_back(r.type);
  for (const Type& t : out)
    if (sized && !object.tells_sizes && !t.shape.is_static())
      throw object.at_node(
          shape_error(cat("the type rule of ", object.name(), " returned the type ", t.text(),
                          " with an unknown size, although all operand shapes are known"))
              .remedy("compute it from the operands' shapes"));
  if (!building) return out;
  const auto counts = [&](const Type& t) {  // samples of an axis that no operand has
    return t.axes.has_batch() && !t.axes.has_sequence() &&
           std::none_of(in.begin(), in.end(),
                        [&](const Type& x) { return x.axes.has_batch() && x.axes[0] == t.axes[0]; });
  };
  if (known && object.tells_sizes && std::any_of(out.begin(), out.end(), counts)) object.tells_samples = true;
  std::lock_guard lock(p.mutex);
  p.known_in.assign(in.begin(), in.end());
  p.known = out;
  p.op.outputs = static_cast<int>(out.size());
  object.reads_y.resize(out.size());
  p.output_names.clear();
  p.passes_gradient.clear();
  for (UserResult& r : results) {
    p.output_names.push_back(std::move(r.name));
    p.passes_gradient.push_back(r.passes_gradient);
  }
  auto own = [&](const Type& t) {
    return t.axes.has_sequence() &&
           std::none_of(in.begin(), in.end(), [&](const Type& x) { return x.axes == t.axes; });
  };
  if (known && std::any_of(out.begin(), out.end(), own)) {
    if (std::none_of(in.begin(), in.end(), [](const Type& x) { return x.axes.has_batch(); }))
      throw object
          .at_node(value_error(
              cat(object.name(),
                  " returns sequences, but none of its operands has a batch axis that counts them")))
          .remedy("give it an operand with a batch axis");
    p.op.traits |= CANTIK_OWN_AXIS;
    p.op.finish = &object_rules::finish;
  }
  return out;
}

Function user_function(std::shared_ptr<UserOperator> object, const std::vector<Variable>& operands,
                       const std::string& name) {
  if (!object) throw value_error("a user function needs an operator");
  UserOperator::Parts& p = object->parts();
  if (static_cast<int>(operands.size()) != p.op.inputs_max)
    throw value_error(
        cat(object->name(), " has ", p.op.inputs_max, " operands, ", operands.size(), " were given"));
  if (object->function())
    throw value_error(object->name() + " is the operator of another function already")
        .remedy("make a new object of the class");
  for (Operator* op : {&p.op, &p.backward, &p.call, &p.part}) {
    op->facts.lock = object->lock;
    if (object->lends) op->traits |= CANTIK_LENDS;
  }
  auto n = make_node();
  n->id = next_id();
  n->name = name;
  n->made_at = Origin::current();
  n->uid = cat("UserDefinedFunction", n->id);
  n->op = &p.op;
  n->inputs.assign(operands.begin(), operands.end());
  n->types.assign(static_cast<size_t>(p.op.outputs), Type::unknown());
  p.node = n;
  n->object = std::move(object);
  infer(*n);
  return Function(n, nullptr);
}

std::shared_ptr<UserOperator> user_operator_of(const Function& f) { return f ? f.node()->object : nullptr; }

std::shared_ptr<Lease> UserRun::borrow(const void* data) {
  const char* at = static_cast<const char*>(data);
  if (std::none_of(lent_.begin(), lent_.end(),
                   [&](const auto& range) { return at >= range.first && at < range.second; }))
    return nullptr;
  if (!lease_) lease_ = std::make_shared<Lease>();
  return lease_;
}

Function UserOperator::function() const {
  std::shared_ptr<Node> n = parts_->node.lock();
  return n ? Function(std::move(n), nullptr) : Function();
}

std::vector<Variable> UserOperator::operands() const {
  std::shared_ptr<Node> n = parts_->node.lock();
  return n ? resolved_inputs(*n) : std::vector<Variable>();
}

std::vector<Variable> UserOperator::results() const {
  std::shared_ptr<Node> n = parts_->node.lock();
  return n ? outputs_of(n) : std::vector<Variable>();
}

Error UserOperator::at_node(Error e) const {
  std::shared_ptr<Node> n = parts_->node.lock();
  if (!n) return e;
  try {
    rethrow_with(e, *n);
  } catch (const Error& located) {
    return located;
  }
}

void set_user_function_reader(UserFunctionReader r) { reader = r; }
UserFunctionReader user_function_reader() { return reader; }

}  // namespace cantik
