// Gradients, bodies and late sizes of operators that are objects of the user's program.
#include <algorithm>
#include <memory>
#include <vector>

#include <cantik/op/facts.h>

#include "graph/object.h"
#include "graph/types.h"

namespace cantik {
namespace {

using Numbers = std::vector<int64_t>;

template <class Question, class F>
cantik_status answered(Question* question, F&& f) {
  return guarded(f, [&](int32_t kind, const char* text, const char* remedy) {
    question->fail(question->self, kind, text, remedy);
  });
}

bool same_axes(const TypeView& a, const TypeView& b) {
  return a.axes == b.axes && a.sequence_axis == b.sequence_axis;
}

}  // namespace

cantik_status object_rules::gradient(void* object, cantik_builder* b) {
  return answered(b, [&] {
    const UserOperator& op = *static_cast<UserOperator*>(object);
    Gradient g(b);
    Numbers given, wanted, x, y;
    std::vector<Term> in{g.saved()}, like;
    for (int i = 0; i < b->outputs; ++i)
      if (g.dy(i) && op.parts().passes_gradient[i]) given.push_back(i), in.push_back(g.dy(i));
    if (given.empty()) return;
    if (!op.differentiable)
      throw Failure(
          CANTIK_UNSUPPORTED, op.name() + " has no gradient",
          "give it one, as @" + op.name() + ".gradient does in Python, or put stop_gradient around it");
    for (int i = 0; i < b->inputs; ++i)
      if (op.reads_x[i]) x.push_back(i), in.push_back(g.x(i));
    for (int i = 0; i < b->outputs; ++i)
      if (op.reads_y[i]) y.push_back(i), in.push_back(g.y(i));
    for (int i = 0; i < b->inputs; ++i)
      if (g.wanted(i)) wanted.push_back(i), like.push_back(g.x(i));
    const std::vector<Term> dx = g.call_like(op.parts().backward.name.c_str(), in, like,
                                             {{"given", given}, {"wanted", wanted}, {"x", x}, {"y", y}});
    for (size_t k = 0; k < wanted.size(); ++k) g.dx(static_cast<int>(wanted[k]), dx[k]);
  });
}

cantik_status object_rules::finish(void* object, cantik_builder* b) {
  return answered(b, [&] {
    const UserOperator::Parts& parts = static_cast<UserOperator*>(object)->parts();
    Builder body(b);
    std::vector<Term> in, like;
    Numbers here, own;
    for (int i = 0; i < b->inputs; ++i) in.push_back(body.x(i));
    for (int i = 0; i < b->outputs; ++i) {
      const TypeView y = body.y(i).type();
      const bool is_own = y.has_sequence() && std::none_of(in.begin(), in.end(), [&](const Term& x) {
                            return same_axes(x.type(), y);
                          });
      (is_own ? own : here).push_back(i);
      if (!is_own) like.push_back(body.y(i));
    }
    if (own.empty()) return;
    like.push_back(Term());
    const std::vector<Term> made = body.call_like(parts.call.name.c_str(), in, like, {{"results", here}});
    for (size_t k = 0; k < here.size(); ++k) body.result(static_cast<int>(here[k]), made[k]);
    body.saved(made.back());
    for (int64_t i : own) {
      const Numbers which{i};
      body.result(static_cast<int>(i),
                  body.call_like(parts.part.name.c_str(), {made.back()}, {body.y(static_cast<int>(i))},
                                 {{"results", which}})[0]);
    }
  });
}

// Python's exceptions pass: this is called by the host alone.
cantik_status object_rules::sizes(void* object, cantik_sizes* s) {
  const UserOperator& op = *static_cast<UserOperator*>(object);
  std::vector<Type> types;
  for (int32_t i = 0; i < s->inputs; ++i) types.push_back(from_c(s->in[i]));
  for (int32_t i = 0; i < s->outputs; ++i) types.push_back(from_c(s->out[i]));
  std::vector<UserRows> rows;
  const size_t operands = static_cast<size_t>(s->inputs), results = static_cast<size_t>(s->outputs);
  for (size_t i = 0; i < types.size(); ++i) rows.push_back({&types[i], i < operands ? s->rows + i : nullptr});
  UserCall call;
  call.x = {rows.data(), operands};
  call.y = {rows.data() + operands, results};
  call.training = s->training != 0;
  call.run = static_cast<UserRun*>(s->keeper->self);
  call.made = op.make(call);
  Keeper(s->keeper).keep(std::make_unique<std::shared_ptr<const void>>(call.made));
  std::vector<Shape> shapes(results);
  op.sizes(call, shapes);
  for (size_t i = 0; i < results; ++i)
    if (cantik_status status = s->set(s->self, static_cast<int32_t>(i), shapes[i].rank(), shapes[i].data()))
      return status;
  return CANTIK_OK;
}

}  // namespace cantik
