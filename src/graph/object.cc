#include "graph/object.h"

#include <algorithm>
#include <atomic>

#include "base/small_vector.h"
#include "base/text.h"
#include "graph/node.h"
#include "graph/types.h"

namespace cantik {
namespace {

constexpr size_t kFew = 4;
using RowsList = SmallVector<ObjectRows, kFew>;

// A forward or backward made for its types.
struct Prepared {
  std::shared_ptr<const ObjectOperator> object;
  std::vector<Type> in, out;
  // Of backward, as differentiate.cc writes them: which results have gradients, which operands want one, whose numbers come along.
  std::vector<int64_t> given, wanted, x, y;
  size_t operands = 0, results = 0;
};

// What runs hand to operators that remember something; to those that draw it is their stream.
ObjectStates& states_of(const cantik_run& r) { return *static_cast<ObjectStates*>(r.draws); }

RowsList rows_of(const std::vector<Type>& types, const cantik_operand* operands, size_t count) {
  RowsList list;
  for (size_t i = 0; i < count; ++i) list.push_back({&types[i], operands + i});
  return list;
}

// Each at its place among so many; those that are not there are empty.
RowsList placed(const std::vector<Type>& types, const cantik_operand* operands, size_t first, const std::vector<int64_t>& places, size_t count) {
  RowsList list;
  for (size_t i = 0; i < count; ++i) list.push_back({});
  for (size_t k = 0; k < places.size(); ++k) list[static_cast<size_t>(places[k])] = {&types[first + k], operands + first + k};
  return list;
}

std::span<const ObjectRows> view(const RowsList& list) { return {list.data(), list.size()}; }

ObjectCall forward_call(const Prepared& p, const cantik_run& r, const RowsList& x, const RowsList& y) {
  ObjectCall call;
  call.x = view(x);
  call.y = view(y);
  call.training = r.training != 0 && p.out.size() > p.results;
  call.states = &states_of(r);
  return call;
}

cantik_status run_forward(const void* state, const cantik_run* r, char*, size_t) {
  const Prepared& p = *static_cast<const Prepared*>(state);
  const RowsList x = rows_of(p.in, r->in, p.operands), y = rows_of(p.out, r->out, p.results);
  ObjectCall call = forward_call(p, *r, x, y);
  ObjectStates& states = *call.states;
  for (auto& [of, made] : states.made)
    if (of == p.object.get()) call.made = made;
  std::shared_ptr<const void> kept = p.object->forward(call);
  if (!call.training) return CANTIK_OK;
  const double token = static_cast<double>(states.keep(std::move(kept)));
  const cantik_operand& tokens = r->out[p.results];
  std::fill_n(static_cast<double*>(tokens.data), tokens.rows, token);
  return CANTIK_OK;
}

cantik_status find_lengths(const void* state, const cantik_run* r, int64_t* lengths, char*, size_t) {
  const Prepared& p = *static_cast<const Prepared*>(state);
  const size_t count = static_cast<size_t>(r->in[0].offsets ? r->in[0].sequences : r->in[0].rows);
  const RowsList x = rows_of(p.in, r->in, p.operands), y = rows_of(p.out, r->out, p.results);
  ObjectCall call = forward_call(p, *r, x, y);
  ObjectStates& states = *call.states;
  auto at = std::find_if(states.made.begin(), states.made.end(), [&](const auto& m) { return m.first == p.object.get(); });
  if (at != states.made.end()) call.made = at->second;  // the run began anew with more memory: the object is not asked twice
  std::shared_ptr<const void> made = p.object->lengths(call, {lengths, count});
  if (at == states.made.end()) states.made.emplace_back(p.object.get(), std::move(made));
  return CANTIK_OK;
}

cantik_status run_backward(const void* state, const cantik_run* r, char*, size_t) {
  const Prepared& p = *static_cast<const Prepared*>(state);
  size_t at = 1;
  const RowsList dy = placed(p.in, r->in, at, p.given, p.results);
  const RowsList x = placed(p.in, r->in, at += p.given.size(), p.x, p.operands);
  const RowsList y = placed(p.in, r->in, at += p.x.size(), p.y, p.results);
  const RowsList dx = placed(p.out, r->out, 0, p.wanted, p.operands);
  const cantik_operand& tokens = r->in[0];
  if (tokens.rows == 0) {
    for (size_t k = 0; k < p.wanted.size(); ++k)
      if (!p.out[k].axes.has_batch()) std::fill_n(static_cast<char*>(r->out[k].data), static_cast<size_t>(p.out[k].shape.elements()) * size_of(p.out[k].dtype), char{0});
    return CANTIK_OK;
  }
  std::shared_ptr<const void> kept = states_of(*r).take(static_cast<int64_t>(*static_cast<const double*>(tokens.data)));
  ObjectCall call;
  call.x = view(x), call.y = view(y), call.dy = view(dy), call.dx = view(dx);
  call.training = true;
  call.state = &kept;
  call.states = &states_of(*r);
  p.object->backward(call);
  return CANTIK_OK;
}

std::vector<int64_t> list_in(const cantik_attribute& a) { return a.count ? std::vector<int64_t>(a.as.integers, a.as.integers + a.count) : std::vector<int64_t>(); }

cantik_status prepare(void* user, cantik_prepare* p, bool backward) {
  auto& object = *static_cast<ObjectOperator*>(user);
  auto made = std::make_unique<Prepared>();
  made->object = object.shared_from_this();
  for (int32_t i = 0; i < p->inputs; ++i) made->in.push_back(from_c(p->in[i]));
  for (int32_t i = 0; i < p->outputs; ++i) made->out.push_back(from_c(p->out[i]));
  made->operands = static_cast<size_t>(object.op.inputs_max);
  made->results = static_cast<size_t>(object.op.outputs);
  if (backward) made->given = list_in(p->attributes[0]), made->wanted = list_in(p->attributes[1]), made->x = list_in(p->attributes[2]), made->y = list_in(p->attributes[3]);
  p->release = [](void* s) { delete static_cast<Prepared*>(s); };
  p->units = [](const void*, int64_t) -> int64_t { return 1; };
  p->run = backward ? &run_backward : &run_forward;
  p->lengths = &find_lengths;
  p->most_rows_per_row = 1;
  p->state = made.release();
  return CANTIK_OK;
}

cantik_status prepare_forward(void* user, cantik_prepare* p) { return prepare(user, p, false); }
cantik_status prepare_backward(void* user, cantik_prepare* p) { return prepare(user, p, true); }

void fill(Operator& op, const std::string& name, ObjectOperator* object, cantik_status (*prepare)(void*, cantik_prepare*)) {
  op.name = name;
  op.signature = name + "(...)";
  op.user = op.object = object;
  op.kernels.push_back({sizeof(cantik_kernel), "object", prepare});
  op.kernel_names.push_back("object");
}

std::atomic<ObjectReader> reader{nullptr};

}  // namespace

ObjectOperator::ObjectOperator(std::string name, size_t inputs) : reads_x(inputs), reads_y(1), passes_gradient(1, true) {
  fill(op, name, this, &prepare_forward);
  fill(adjoint, name + ".backward", this, &prepare_backward);
  op.names["cntk"] = op.name;
  op.inputs_min = op.inputs_max = static_cast<int>(inputs);
  op.traits = CANTIK_TAKES_SPARSE;
  adjoint.traits = CANTIK_HIDDEN | CANTIK_TAKES_SPARSE;
}

std::shared_ptr<const void> ObjectOperator::lengths(const ObjectCall&, std::span<int64_t>) const {
  throw runtime_error(op.name + " does not say how long the sequences of its result are");
}

std::shared_ptr<const void> ObjectOperator::sizes(const ObjectCall&, std::span<Shape>) const {
  throw runtime_error(op.name + " does not say how large its results are");
}

std::vector<Type> ObjectOperator::types(std::span<const Type> in, bool building) {
  {
    std::lock_guard lock(mutex_);
    const bool open = std::any_of(known_.begin(), known_.end(), [](const Type& t) { return !t.is_known() || !t.shape.is_static(); });
    if (!known_.empty() && (std::equal(in.begin(), in.end(), known_in_.begin(), known_in_.end()) || (!building && !open))) return known_;
  }
  const bool known = std::all_of(in.begin(), in.end(), [](const Type& t) { return t.is_known(); });
  const bool sized = known && std::all_of(in.begin(), in.end(), [](const Type& t) { return t.shape.is_static(); });
  std::vector<Type> out;
  try {
    out = infer(in);
  } catch (...) {
    if (known) throw;
    return std::vector<Type>(static_cast<size_t>(op.outputs), Type::unknown());
  }
  for (const Type& t : out)
    if (sized && !tells_sizes && !t.shape.is_static())
      throw at_node(shape_error(cat(op.name, " leaves the size of a result open, ", t.text(), ", though those of its operands are known")).remedy("compute it from the operands' shapes"));
  if (!building) return out;
  std::lock_guard lock(mutex_);
  known_in_.assign(in.begin(), in.end());
  known_ = out;
  op.outputs = static_cast<int>(out.size());
  reads_y.resize(out.size());
  passes_gradient.resize(out.size(), true);
  const Axes& own = out.empty() ? Axes() : out[0].axes;
  if (known && own.has_sequence() && std::none_of(in.begin(), in.end(), [&](const Type& t) { return t.axes == own; })) op.traits |= CANTIK_OWN_AXIS;
  return out;
}

std::shared_ptr<Node> object_node(std::shared_ptr<ObjectOperator> object, std::vector<Variable> inputs, const std::string& name) {
  auto n = std::make_shared<Node>();
  n->id = next_id();
  n->name = name;
  n->made_at = Origin::current();
  n->uid = cat("UserDefinedFunction", n->id);
  n->op = &object->op;
  n->inputs = std::move(inputs);
  n->types.assign(static_cast<size_t>(object->op.outputs), Type::unknown());
  object->node = n;
  n->object = std::move(object);
  return n;
}

std::shared_ptr<Lease> ObjectStates::borrow(const void* data) {
  const char* at = static_cast<const char*>(data);
  if (std::none_of(lent_.begin(), lent_.end(), [&](const auto& range) { return at >= range.first && at < range.second; })) return nullptr;
  if (!lease_) lease_ = std::make_shared<Lease>();
  return lease_;
}

std::shared_ptr<Lease> ObjectStates::escaped() {
  lent_.clear();
  base.reset();
  if (once) states_.clear(), made.clear(), sizes.clear();
  std::shared_ptr<Lease> lease = std::move(lease_);
  return lease && lease.use_count() > 1 ? lease : nullptr;
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
