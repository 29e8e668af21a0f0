// Kernels of operators that are objects of the user's program: rows of the run, handed to the object.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

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

// Of an operand without rows, in a recurrence: its gradient is the sum of what backward gives step by step.
struct Summed {
  int64_t operand;
  Type type;
};

// A node made for its types.
struct PreparedCall {
  std::shared_ptr<const UserOperator> object;
  // as the object sees them: an operand without steps has none in a step either
  std::vector<Type> in, out;
  std::vector<bool> in_rows, out_rows;  // whether there is a row for each row of the node
  size_t operands = 0, results = 0;
  bool stepped = false;
  Numbers makes;                // of forward: which results; of part and sum: which one
  Numbers given, wanted, x, y;  // of backward
  std::vector<Summed> summed;
  const Summed* summed_as(int64_t operand) const {
    auto at =
        std::find_if(summed.begin(), summed.end(), [&](const Summed& s) { return s.operand == operand; });
    return at == summed.end() ? nullptr : &*at;
  }
};

// What stands for a call's state, for each of its rows: which call of the run, and in a recurrence which row
// of it. Rows come back in another order where backward is no recurrence.
constexpr double kRows = 1 << 26;

// What runs hand to operators that remember something; to those that draw it is their stream.
UserStates& states_of(const cantik_run& r) { return *static_cast<UserStates*>(r.draws); }

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
  for (size_t k = 0; k < places.size(); ++k)
    list[static_cast<size_t>(places[k])] = {&types[first + k], operands + first + k};
  return list;
}

// ---- forward

cantik_status run_forward(const void* state, const cantik_run* r, char*, size_t) {
  const PreparedCall& p = *static_cast<const PreparedCall*>(state);
  const RowsList x = rows_of(p.in, r->in, p.operands), y = placed(p.out, r->out, 0, p.makes, p.results);
  const bool has_token = p.out.size() > p.makes.size(), apart = p.makes.size() < p.results;
  UserStates& states = states_of(*r);
  UserCall call;
  call.x = view(x), call.y = view(y);
  call.training = r->training != 0 && has_token;
  call.run = &states;
  const KeepDenormals usual;
  // What sizes were told of, or what was made before the run began anew with more memory: the object is not
  // asked twice.
  auto at = std::find_if(states.made.begin(), states.made.end(),
                         [&](const auto& m) { return m.first == p.object.get(); });
  if (apart && at == states.made.end()) at = states.made.insert(at, {p.object.get(), p.object->make(call)});
  if (at != states.made.end()) call.made = at->second;
  std::shared_ptr<const void> kept = p.object->forward(call);
  if (!has_token) return CANTIK_OK;
  const cantik_operand& tokens = r->out[p.makes.size()];
  double* token = static_cast<double*>(tokens.data);
  std::fill_n(token, tokens.rows,
              call.training ? kRows * static_cast<double>(states.keep(std::move(kept))) : 0.0);
  for (int64_t i = 0; p.stepped && i < tokens.rows; ++i) token[i] += static_cast<double>(i);
  return CANTIK_OK;
}

// ---- results on axes of their own, after forward

UserCall call_of_part(const PreparedCall& p, const cantik_run& r, const RowsList& y) {
  UserCall call;
  call.y = view(y);
  call.training = r.training != 0;
  call.run = &states_of(r);
  for (const auto& [of, made] : states_of(r).made)
    if (of == p.object.get()) call.made = made;
  return call;
}

cantik_status find_lengths(const void* state, const cantik_run* r, int64_t* lengths, char*, size_t) {
  const PreparedCall& p = *static_cast<const PreparedCall*>(state);
  const RowsList y = placed(p.out, r->out, 0, p.makes, p.results);
  const cantik_operand& tokens = r->in[0];
  const KeepDenormals usual;
  p.object->lengths(call_of_part(p, *r, y), static_cast<size_t>(p.makes[0]),
                    {lengths, static_cast<size_t>(tokens.offsets ? tokens.sequences : tokens.rows)});
  return CANTIK_OK;
}

cantik_status run_part(const void* state, const cantik_run* r, char*, size_t) {
  const PreparedCall& p = *static_cast<const PreparedCall*>(state);
  const RowsList y = placed(p.out, r->out, 0, p.makes, p.results);
  const KeepDenormals usual;
  p.object->part(call_of_part(p, *r, y), static_cast<size_t>(p.makes[0]));
  return CANTIK_OK;
}

// ---- backward

// Memory of its own, for rows that lie apart and for sums.
struct ObjectMemory {
  std::vector<double> memory;
  cantik_operand operand{};
  ObjectMemory(const Type& t, int64_t rows, const cantik_operand& like)
      : memory(static_cast<size_t>(rows * t.shape.elements())), operand(like) {
    operand.data = memory.data(), operand.rows = rows, operand.stride = t.shape.elements();
    operand.map = nullptr, operand.offsets = nullptr;
  }
};

int64_t call_of(double token) { return static_cast<int64_t>(token / kRows); }

void call_backward(const PreparedCall& p, const cantik_run& r, const cantik_operand* in,
                   const cantik_operand* out) {
  size_t at = 1;
  const RowsList dy = placed(p.in, in, at, p.given, p.results);
  const RowsList x = placed(p.in, in, at += p.given.size(), p.x, p.operands);
  const RowsList y = placed(p.in, in, at += p.x.size(), p.y, p.results);
  RowsList dx = placed(p.out, out, 0, p.wanted, p.operands);
  UserStates& states = states_of(r);
  std::vector<ObjectMemory> sums;
  sums.reserve(p.summed.size());
  for (const Summed& s : p.summed)
    dx[static_cast<size_t>(s.operand)] = {&s.type, &sums.emplace_back(s.type, 1, cantik_operand{}).operand};
  std::shared_ptr<const void> kept = states.take(call_of(*static_cast<const double*>(in[0].data)));
  UserCall call;
  call.x = view(x), call.y = view(y), call.dy = view(dy), call.dx = view(dx);
  call.training = true;
  call.state = &kept;
  call.run = &states;
  {
    const KeepDenormals usual;
    p.object->backward(call);
  }
  for (size_t i = 0; i < sums.size(); ++i)
    states.add(p.object.get(), p.summed[i].operand, p.summed[i].type.dtype, sums[i].memory.data(),
               p.summed[i].type.shape.elements());
  for (size_t k = 0; k < p.wanted.size(); ++k)
    if (p.summed_as(p.wanted[k])) std::fill_n(static_cast<double*>(out[k].data), out[k].rows, 0.0);
}

void copy_row(const Type& t, const void* from, void* to) {
  std::memcpy(to, from, static_cast<size_t>(t.shape.elements()) * size_of(t.dtype));
}
char* row(const cantik_operand& o, const Type& t, int64_t i) {
  return static_cast<char*>(o.data) +
         (o.map ? o.map[i] : i) * o.stride * static_cast<int64_t>(size_of(t.dtype));
}

// Forward was called step by step, and here are the rows of all steps, for no gradient goes back from step to
// step: those of each call for themselves and in their order, the last one first.
void call_apart(const PreparedCall& p, const cantik_run& r, const double* tokens, int64_t rows) {
  Numbers order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int64_t of_a = call_of(tokens[a]), of_b = call_of(tokens[b]);
    return of_a != of_b ? of_a > of_b : tokens[a] < tokens[b];
  });
  for (size_t first = 0, last; first < order.size(); first = last) {
    for (last = first; last < order.size() && call_of(tokens[order[last]]) == call_of(tokens[order[first]]);)
      ++last;
    const std::span<const int64_t> mine = std::span(order).subspan(first, last - first);
    const int64_t count = static_cast<int64_t>(mine.size());
    std::vector<ObjectMemory> in, out;
    std::vector<cantik_operand> in_operands, out_operands;
    for (size_t k = 0; k < p.in.size(); ++k) {
      if (!p.in_rows[k]) {
        in_operands.push_back(r.in[k]);
        continue;
      }
      ObjectMemory& b = in.emplace_back(p.in[k], count, r.in[k]);
      for (int64_t i = 0; i < count; ++i)
        copy_row(p.in[k], row(r.in[k], p.in[k], mine[static_cast<size_t>(i)]), row(b.operand, p.in[k], i));
      in_operands.push_back(b.operand);
    }
    for (size_t k = 0; k < p.out.size(); ++k)
      out_operands.push_back(out.emplace_back(p.out[k], count, r.out[k]).operand);
    call_backward(p, r, in_operands.data(), out_operands.data());
    for (size_t k = 0; k < p.out.size(); ++k)
      for (int64_t i = 0; i < count; ++i)
        copy_row(p.out[k], row(out_operands[k], p.out[k], i),
                 row(r.out[k], p.out[k], mine[static_cast<size_t>(i)]));
  }
}

cantik_status run_backward(const void* state, const cantik_run* r, char*, size_t) {
  const PreparedCall& p = *static_cast<const PreparedCall*>(state);
  const cantik_operand& tokens = r->in[0];
  if (tokens.rows == 0) {
    for (size_t k = 0; k < p.wanted.size(); ++k)
      if (!p.out_rows[k])
        std::memset(r->out[k].data, 0,
                    static_cast<size_t>(p.out[k].shape.elements()) * size_of(p.out[k].dtype));
    return CANTIK_OK;
  }
  const double* of = static_cast<const double*>(tokens.data);
  bool apart = false;
  for (int64_t i = 1; p.stepped && i < tokens.rows && !apart; ++i)
    apart = of[i] != *of + static_cast<double>(i);
  if (apart)
    call_apart(p, *r, of, tokens.rows);
  else
    call_backward(p, *r, r->in, r->out);
  return CANTIK_OK;
}

cantik_status run_sum(const void* state, const cantik_run* r, char*, size_t) {
  const PreparedCall& p = *static_cast<const PreparedCall*>(state);
  states_of(*r).take_sum(p.object.get(), p.makes[0], p.out[0].dtype, r->out[0].data,
                         p.out[0].shape.elements());
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
  for (const Type& t : made->in) made->in_rows.push_back(t.axes.has_batch());
  for (const Type& t : made->out) made->out_rows.push_back(t.axes.has_batch());
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
  if (p.stepped && t.axes.has_sequence() && is_of_batch(*p.object, static_cast<size_t>(operand)))
    t.axes = Axes({t.axes[0]});
}

}  // namespace

cantik_status object_kernels::forward(void* object, cantik_prepare* p) {
  std::unique_ptr<PreparedCall> made = prepared(object, *p);
  made->makes = list_in(p->attributes[object_code::kResults]);
  made->stepped = p->attributes[object_code::kStepped].count > 0;
  for (size_t i = 0; i < made->in.size(); ++i) without_steps(*made, made->in[i], static_cast<int64_t>(i));
  return finish(std::move(made), p, &run_forward);
}

cantik_status object_kernels::part(void* object, cantik_prepare* p) {
  std::unique_ptr<PreparedCall> made = prepared(object, *p);
  made->makes = list_in(p->attributes[object_code::kWhich]);
  p->lengths = &find_lengths;
  p->most_rows_per_row = 1;
  return finish(std::move(made), p, &run_part);
}

cantik_status object_kernels::backward(void* object, cantik_prepare* p) {
  std::unique_ptr<PreparedCall> made = prepared(object, *p);
  PreparedCall& m = *made;
  m.given = list_in(p->attributes[object_code::kGiven]),
  m.wanted = list_in(p->attributes[object_code::kWanted]);
  m.x = list_in(p->attributes[object_code::kX]), m.y = list_in(p->attributes[object_code::kY]);
  m.stepped = p->attributes[object_code::kBackStepped].count > 0;
  for (size_t k = 0; k < m.x.size(); ++k) without_steps(m, m.in[1 + m.given.size() + k], m.x[k]);
  for (size_t k = 0; k < m.wanted.size(); ++k) without_steps(m, m.out[k], m.wanted[k]);
  for (int64_t i = 0; m.stepped && i < *p->attributes[object_code::kBackStepped].as.integers; ++i) {
    const Numbers as = list_in(p->attributes[object_code::kSummed + i]);  // operand, element type, shape
    m.summed.push_back(
        {as[0], {static_cast<DType>(as[1]), Shape(as.data() + 2, as.size() - 2), Axes(), Storage::dense, 0}});
  }
  return finish(std::move(made), p, &run_backward);
}

cantik_status object_kernels::sum(void* object, cantik_prepare* p) {
  std::unique_ptr<PreparedCall> made = prepared(object, *p);
  made->makes = list_in(p->attributes[object_code::kWhich]);
  return finish(std::move(made), p, &run_sum);
}

}  // namespace cantik
