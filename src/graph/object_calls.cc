// Kernels of operators that are objects of the user's program: rows of the run, handed to the object.
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include <cantik/op/keeper.h>

#include "base/denormals.h"
#include "base/small_vector.h"
#include "graph/node.h"
#include "graph/object.h"
#include "graph/types.h"

namespace cantik {
namespace {

constexpr size_t kFew = 4;
using RowsList = SmallVector<UserRows, kFew>;
using Numbers = std::vector<int64_t>;

// A node made for its types.
struct PreparedCall {
  std::shared_ptr<const UserOperator> object;
  // as the object sees them: an operand without steps has none in a step either
  std::vector<Type> in, out;
  size_t operands = 0, results = 0;
  Numbers makes;                // of forward: which results; of a part: which one
  Numbers given, wanted, x, y;  // of backward
};

using State = std::shared_ptr<const void>;

UserRun& run_of(const cantik_run& r) { return *static_cast<UserRun*>(r.keeper->self); }

std::span<const UserRows> view(const RowsList& list) { return {list.data(), list.size()}; }

RowsList rows_of(const std::vector<Type>& types, const cantik_operand* operands, size_t count) {
  RowsList list;
  for (size_t i = 0; i < count; ++i) list.push_back({&types[i], operands + i});
  return list;
}

// Each at its place among so many; those that are not there are empty.
RowsList placed(const std::vector<Type>& types, const cantik_operand* operands, size_t first,
                const Numbers& places, size_t count) {
  RowsList list;
  for (size_t i = 0; i < count; ++i) list.push_back({});
  for (size_t k = 0; k < places.size(); ++k) list[places[k]] = {&types[first + k], operands + first + k};
  return list;
}

// ---- forward

cantik_status run_forward(const void* state, const cantik_run* r, char*, size_t) {
  const PreparedCall& p = *static_cast<const PreparedCall*>(state);
  const Keeper keeper(r->keeper);
  const RowsList x = rows_of(p.in, r->in, p.operands), y = placed(p.out, r->out, 0, p.makes, p.results);
  const bool saves = p.out.size() > p.makes.size(), own_axes = p.makes.size() < p.results;
  UserCall call;
  call.x = view(x), call.y = view(y);
  call.training = r->training != 0 && saves;
  call.run = &run_of(*r);
  const KeepDenormals usual;
  // What sizes were told of, or what was made before the run began anew with more memory: the object is not
  // asked twice.
  if (own_axes && !keeper.kept<State>()) keeper.keep(std::make_unique<State>(p.object->make(call)));
  if (const State* made = keeper.kept<State>()) call.made = *made;
  State left = p.object->forward(call);
  if (call.training) keeper.save(std::make_unique<State>(std::move(left)));
  return CANTIK_OK;
}

// ---- results on axes of their own, after forward

UserCall call_of_part(const cantik_run& r, const RowsList& y) {
  UserCall call;
  call.y = view(y);
  call.training = r.training != 0;
  call.run = &run_of(r);
  call.made = *Keeper(r.keeper).kept<State>();
  return call;
}

cantik_status find_lengths(const void* state, const cantik_run* r, int64_t* lengths, char*, size_t) {
  const PreparedCall& p = *static_cast<const PreparedCall*>(state);
  const RowsList y = placed(p.out, r->out, 0, p.makes, p.results);
  const cantik_operand& saved = r->in[0];
  const KeepDenormals usual;
  p.object->lengths(call_of_part(*r, y), static_cast<size_t>(p.makes[0]),
                    {lengths, static_cast<size_t>(saved.offsets ? saved.sequences : saved.rows)});
  return CANTIK_OK;
}

cantik_status run_part(const void* state, const cantik_run* r, char*, size_t) {
  const PreparedCall& p = *static_cast<const PreparedCall*>(state);
  const RowsList y = placed(p.out, r->out, 0, p.makes, p.results);
  const KeepDenormals usual;
  p.object->part(call_of_part(*r, y), static_cast<size_t>(p.makes[0]));
  return CANTIK_OK;
}

// ---- backward

cantik_status run_backward(const void* state, const cantik_run* r, char*, size_t) {
  const PreparedCall& p = *static_cast<const PreparedCall*>(state);
  const Keeper keeper(r->keeper);
  size_t at = 1;
  const RowsList dy = placed(p.in, r->in, at, p.given, p.results);
  const RowsList x = placed(p.in, r->in, at += p.given.size(), p.x, p.operands);
  const RowsList y = placed(p.in, r->in, at += p.x.size(), p.y, p.results);
  const RowsList dx = placed(p.out, r->out, 0, p.wanted, p.operands);
  State kept;
  if (const State* left = keeper.saved<State>()) kept = *left;
  keeper.let_go();
  UserCall call;
  call.x = view(x), call.y = view(y), call.dy = view(dy), call.dx = view(dx);
  call.training = true;
  call.state = &kept;
  call.run = &run_of(*r);
  const KeepDenormals usual;
  p.object->backward(call);
  return CANTIK_OK;
}

// ---- made for their types

Numbers list_in(const cantik_attribute& a) {
  return a.count ? Numbers(a.as.integers, a.as.integers + a.count) : Numbers();
}

std::unique_ptr<PreparedCall> prepared(void* user, const cantik_prepare& p) {
  auto& object = *static_cast<UserOperator*>(user);
  auto made = std::make_unique<PreparedCall>();
  made->object = object.shared_from_this();
  for (int32_t i = 0; i < p.inputs; ++i) made->in.push_back(from_c(p.in[i]));
  for (int32_t i = 0; i < p.outputs; ++i) made->out.push_back(from_c(p.out[i]));
  made->operands = static_cast<size_t>(object.parts().op.inputs_max);
  made->results = static_cast<size_t>(object.parts().op.outputs);
  return made;
}

cantik_status finish(std::unique_ptr<PreparedCall> made, cantik_prepare* p,
                     cantik_status (*run)(const void*, const cantik_run*, char*, size_t)) {
  p->release = [](void* s) { delete static_cast<PreparedCall*>(s); };
  p->units = [](const void*, int64_t) -> int64_t { return 1; };
  p->run = run;
  p->state = made.release();
  return CANTIK_OK;
}

// Spread over the steps of a recurrence it is still an operand without steps to the object.
void without_steps(const PreparedCall& p, Type& t, int64_t operand) {
  if (t.axes.has_sequence() && is_of_batch(*p.object, static_cast<size_t>(operand)))
    t.axes = Axes({t.axes[0]});
}

cantik_status prepare_forward(void* object, cantik_prepare* p, Numbers makes) {
  std::unique_ptr<PreparedCall> made = prepared(object, *p);
  made->makes = std::move(makes);
  for (size_t i = 0; i < made->in.size(); ++i) without_steps(*made, made->in[i], static_cast<int64_t>(i));
  return finish(std::move(made), p, &run_forward);
}

}  // namespace

cantik_status object_kernels::forward(void* object, cantik_prepare* p) {
  Numbers all(static_cast<size_t>(static_cast<UserOperator*>(object)->parts().op.outputs));
  std::iota(all.begin(), all.end(), 0);
  return prepare_forward(object, p, std::move(all));
}

cantik_status object_kernels::call(void* object, cantik_prepare* p) {
  return prepare_forward(object, p, list_in(p->attributes[0]));
}

cantik_status object_kernels::part(void* object, cantik_prepare* p) {
  std::unique_ptr<PreparedCall> made = prepared(object, *p);
  made->makes = list_in(p->attributes[0]);
  p->lengths = &find_lengths;
  p->most_rows_per_row = 1;
  return finish(std::move(made), p, &run_part);
}

cantik_status object_kernels::backward(void* object, cantik_prepare* p) {
  std::unique_ptr<PreparedCall> made = prepared(object, *p);
  PreparedCall& m = *made;
  m.given = list_in(p->attributes[0]), m.wanted = list_in(p->attributes[1]);
  m.x = list_in(p->attributes[2]), m.y = list_in(p->attributes[3]);
  for (size_t k = 0; k < m.x.size(); ++k) without_steps(m, m.in[1 + m.given.size() + k], m.x[k]);
  for (size_t k = 0; k < m.wanted.size(); ++k) without_steps(m, m.out[k], m.wanted[k]);
  return finish(std::move(made), p, &run_backward);
}

}  // namespace cantik
