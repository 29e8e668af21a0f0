#include "graph/object.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/text.h"
#include "graph/node.h"
#include "graph/types.h"

namespace cantik {
namespace {

void fill(Operator& op, const std::string& name, ObjectOperator* object,
          cantik_status (*prepare)(void*, cantik_prepare*)) {
  op.name = name;
  op.signature = name + "(...)";
  op.user = op.object = object;
  op.traits = CANTIK_HIDDEN;
  op.kernels.push_back({sizeof(cantik_kernel), "object", prepare});
  op.kernel_names.push_back("object");
}

std::atomic<ObjectReader> reader{nullptr};

}  // namespace

ObjectOperator::ObjectOperator(std::string name, size_t inputs)
    : reads_x(inputs), reads_y(1), passes_gradient(1, true) {
  fill(op, name, this, &object_kernels::forward);
  fill(apart, name, this, &object_kernels::forward);
  fill(part_of, name + ".part", this, &object_kernels::part);
  fill(adjoint, name + ".backward", this, &object_kernels::backward);
  fill(sum, name + ".sum", this, &object_kernels::sum);
  op.names["cntk"] = op.name;
  op.inputs_min = op.inputs_max = static_cast<int>(inputs);
  op.traits = CANTIK_TAKES_SPARSE;
  apart.traits |= CANTIK_TAKES_SPARSE;
  adjoint.traits |= CANTIK_TAKES_SPARSE;
  part_of.traits |= CANTIK_OWN_AXIS;
}

std::shared_ptr<const void> ObjectOperator::make(const ObjectCall&) const {
  throw unsupported(
      cat(op.name, " cannot run here: the size of its result is known only after it has been computed"));
}
void ObjectOperator::sizes(const ObjectCall& call, std::span<Shape>) const { make(call); }
void ObjectOperator::lengths(const ObjectCall& call, size_t, std::span<int64_t>) const { make(call); }
void ObjectOperator::part(const ObjectCall& call, size_t) const { make(call); }

bool ObjectOperator::is_of_batch(size_t operand) const {
  const std::vector<Variable> all = operands();
  return operand < all.size() && all[operand].axes().has_batch() && !all[operand].axes().has_sequence();
}

std::vector<Type> ObjectOperator::types(std::span<const Type> in, bool building) {
  {
    std::lock_guard lock(mutex_);
    const bool open = std::any_of(known_.begin(), known_.end(),
                                  [](const Type& t) { return !t.is_known() || !t.shape.is_static(); });
    if (!known_.empty() &&
        (std::equal(in.begin(), in.end(), known_in_.begin(), known_in_.end()) || (!building && !open)))
      return known_;
  }
  const bool known = std::all_of(in.begin(), in.end(), [](const Type& t) { return t.is_known(); });
  const bool sized =
      known && std::all_of(in.begin(), in.end(), [](const Type& t) { return t.shape.is_static(); });
  std::vector<Type> out;
  try {
    out = infer(in);
  } catch (...) {
    if (known) throw;
    return std::vector<Type>(static_cast<size_t>(op.outputs), Type::unknown());
  }
  for (const Type& t : out)
    if (sized && !tells_sizes && !t.shape.is_static())
      throw at_node(shape_error(cat("infer_outputs of ", op.name, " returned the type ", t.text(),
                                    " with an unknown size, although all operand shapes are known"))
                        .remedy("compute it from the operands' shapes"));
  if (!building) return out;
  std::lock_guard lock(mutex_);
  known_in_.assign(in.begin(), in.end());
  known_ = out;
  op.outputs = static_cast<int>(out.size());
  reads_y.resize(out.size());
  passes_gradient.resize(out.size(), true);
  auto own = [&](const Type& t) {
    return t.axes.has_sequence() &&
           std::none_of(in.begin(), in.end(), [&](const Type& x) { return x.axes == t.axes; });
  };
  if (known && std::any_of(out.begin(), out.end(), own)) {
    if (std::none_of(in.begin(), in.end(), [](const Type& x) { return x.axes.has_batch(); }))
      throw at_node(
          value_error(
              cat(op.name, " returns sequences, but none of its operands has a batch axis that counts them")))
          .remedy("give it an operand with a batch axis");
    op.traits |= CANTIK_OWN_AXIS;
  }
  return out;
}

std::shared_ptr<Node> object_node(std::shared_ptr<ObjectOperator> object, std::vector<Variable> inputs,
                                  const std::string& name) {
  auto n = make_node();
  n->id = next_id();
  n->name = name;
  n->made_at = Origin::current();
  n->uid = cat("UserDefinedFunction", n->id);
  n->op = &object->op;
  n->inputs.assign(inputs.begin(), inputs.end());
  n->types.assign(static_cast<size_t>(object->op.outputs), Type::unknown());
  object->node = n;
  n->object = std::move(object);
  return n;
}

std::shared_ptr<Lease> ObjectStates::borrow(const void* data) {
  const char* at = static_cast<const char*>(data);
  if (std::none_of(lent_.begin(), lent_.end(),
                   [&](const auto& range) { return at >= range.first && at < range.second; }))
    return nullptr;
  if (!lease_) lease_ = std::make_shared<Lease>();
  return lease_;
}

std::shared_ptr<Lease> ObjectStates::let_go() {
  lent_.clear();
  base.reset();
  std::shared_ptr<Lease> lease = std::move(lease_);
  return lease && lease.use_count() > 1 ? lease : nullptr;
}

void ObjectStates::add(const ObjectOperator* object, int64_t operand, DType dtype, const void* numbers,
                       int64_t count) {
  auto at = std::find_if(sums_.begin(), sums_.end(),
                         [&](const Sum& s) { return s.object == object && s.operand == operand; });
  if (at == sums_.end())
    at = sums_.insert(at, {object, operand, std::vector<double>(static_cast<size_t>(count))});
  std::vector<double> more(static_cast<size_t>(count));
  copy_numbers(dtype, numbers, DType::float64, more.data(), count);
  for (size_t i = 0; i < more.size(); ++i) at->total[i] += more[i];
}

void ObjectStates::take_sum(const ObjectOperator* object, int64_t operand, DType dtype, void* to,
                            int64_t count) {
  auto at = std::find_if(sums_.begin(), sums_.end(),
                         [&](const Sum& s) { return s.object == object && s.operand == operand; });
  if (at == sums_.end()) {  // no call: there were no sequences
    std::memset(to, 0, static_cast<size_t>(count) * size_of(dtype));
    return;
  }
  copy_numbers(DType::float64, at->total.data(), dtype, to, count);
  sums_.erase(at);
}

void infer_object(const std::shared_ptr<Node>& node) { infer(*node); }

std::vector<Variable> ObjectOperator::operands() const {
  std::shared_ptr<Node> n = node.lock();
  return n ? resolved_inputs(*n) : std::vector<Variable>();
}

std::vector<Variable> ObjectOperator::results() const {
  std::shared_ptr<Node> n = node.lock();
  return n ? outputs_of(n) : std::vector<Variable>();
}

Error ObjectOperator::at_node(Error e) const {
  std::shared_ptr<Node> n = node.lock();
  if (!n) return e;
  try {
    rethrow_with(e, *n);
  } catch (const Error& located) {
    return located;
  }
}

void set_object_reader(ObjectReader r) { reader = r; }
ObjectReader object_reader() { return reader; }

Type object_token(const Type& result) { return {DType::float64, Shape(), result.axes, Storage::dense, 0}; }

}  // namespace cantik
