// The builder that operators' bodies and gradients see, over the compiler's graph.
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "compile/graph.h"
#include "graph/boundary.h"
#include "graph/attribute_kind.h"
#include "graph/node.h"
#include "graph/types.h"

namespace cantik::ir {

struct GraphBuilder::Host {
  GraphBuilder& b;
  Boundary boundary;
  Type typed;  // the last type handed out lives here

  template <class F>
  static cantik_status guard(void* self, F&& f) {
    auto& h = *static_cast<Host*>(self);
    return h.boundary.serve([&] { f(h.b); });
  }
  // The values that the body hands over: some may be none.
  static Values values(const GraphBuilder& b, const cantik_value* in, int32_t count, std::string_view what) {
    Values list;
    for (int32_t i = 0; i < count; ++i) {
      list.push_back(ValueId(in[i]));
      if (list[i] && list[i] < b.graph_.values.end_id()) continue;
      throw runtime_error(cat(b.gradient_ ? "the gradient rule of " : "the body of ", b.op_.name,
                              " passes an empty value as operand ", i, " of ", what))
          .remedy(b.gradient_ ? "ask if (g.dy(i)) first: a result that nothing reads has no gradient"
                              : "use x(i) only for operands that were given: ask inputs() for their number");
    }
    return list;
  }
  // An object of the program's has operands of its own number.
  static void check_operands(const Operator& op, int32_t count) {
    if (op.inputs_max > 0) check_operand_count(op, count);
  }
  static cantik_status call(void* self, const char* name, const cantik_value* in, int32_t count,
                            const cantik_argument* arguments, int32_t argument_count, cantik_value* out,
                            int32_t out_count) {
    return guard(self, [&](GraphBuilder& b) {
      const Operator& op = b.operator_named(name);
      check_operands(op, count);
      const Values operands = values(b, in, count, op.name);
      std::vector<Attribute> attributes = attributes_of(op, {arguments, static_cast<size_t>(argument_count)});
      if (out_count > op.outputs + b.graph_.saves(op))
        throw runtime_error(cat(b.op_.name, " asks ", op.name, " for ", out_count, " results, but ", op.name,
                                " has ", op.outputs));
      Values v = b.graph_.call(op, std::move(attributes), operands, b.source_);
      for (int32_t i = 0; i < out_count; ++i) out[i] = v[i].number();
    });
  }
  static cantik_status call_like(void* self, const char* name, const cantik_value* in, int32_t count,
                                 const cantik_argument* arguments, int32_t argument_count,
                                 const cantik_value* like, cantik_value* out, int32_t out_count) {
    return guard(self, [&](GraphBuilder& b) {
      const Operator& op = b.operator_named(name);
      check_operands(op, count);
      const bool saved = out_count > 0 && like[out_count - 1] < 0 && b.graph_.saves(op);
      std::vector<Type> types;
      for (ValueId v : values(b, like, out_count - saved, op.name)) {
        types.push_back(b.graph_.type(v));
        types.back().storage = Storage::dense;
        types.back().entries = 0;
      }
      Values v = b.graph_.call_like(op, attributes_of(op, {arguments, static_cast<size_t>(argument_count)}),
                                    values(b, in, count, op.name), std::move(types), b.source_);
      for (int32_t i = 0; i < out_count; ++i) out[i] = v[i].number();
    });
  }
  static cantik_status expression(void* self, cantik_expression e, const cantik_value* in, int32_t count,
                                  cantik_value* out) {
    return guard(self, [&](GraphBuilder& b) {
      Expression parsed = Expression::from_c(e);
      if (parsed.inputs() > count)
        throw runtime_error(cat("an expression of ", b.op_.name, " reads input ", parsed.inputs() - 1,
                                ", but it is given ", count, " inputs (counted from 0)"));
      *out = b.graph_.map(std::move(parsed), values(b, in, count, "an expression"), b.source_).number();
    });
  }
  static cantik_status constant(void* self, double value, cantik_value like, int32_t rank,
                                const int64_t* dims, const char*, cantik_value* out) {
    return guard(self, [&](GraphBuilder& b) {
      DType dtype = b.graph_.type(values(b, &like, 1, "a constant")[0]).dtype;
      *out = b.graph_.number(value, dtype).number();
      if (rank == 0) return;
      Node n;
      n.kind = NodeKind::map;
      n.expression.results = {n.expression.constant(value)};
      Type t{dtype, Shape(dims, static_cast<size_t>(rank)), Axes(), Storage::dense};
      *out = b.graph_.node(b.graph_.add(std::move(n), {&t, 1})).out[0].number();
    });
  }
  static cantik_status type(void* self, cantik_value v, cantik_type* out) {
    return guard(self, [&](GraphBuilder& b) {
      auto& h = *static_cast<Host*>(self);
      h.typed = b.graph_.type(values(b, &v, 1, "a question for its type")[0]);
      *out = to_c(h.typed);
    });
  }
  static cantik_status close(void* self, cantik_value, cantik_value) {
    return guard(self, [](GraphBuilder& b) {
      throw runtime_error(cat("the body of ", b.op_.name, " closes what is not open"))
          .remedy("make recurrences in the composite of an operator, with later() and close()");
    });
  }
  static void fail(void* self, int32_t kind, const char* text, const char* remedy) {
    static_cast<Host*>(self)->boundary.fail(kind, text, remedy);
  }
};

GraphBuilder::Handles GraphBuilder::handles(std::span<const ValueId> values) {
  Handles list;
  for (ValueId v : values) list.push_back(v.number());
  return list;
}

const Operator& GraphBuilder::operator_named(const char* name) const {
  const Operator* own = op_.relative(name);
  return own ? *own : Registry::global().get(name);
}

GraphBuilder::GraphBuilder(Graph& g, const Operator& op, std::span<const Attribute> attributes,
                           std::span<const ValueId> x, SourceId source)
    : graph_(g), op_(op), attributes_(to_c(attributes)), x_(handles(x)), source_(source) {}

void GraphBuilder::gradients(std::span<const ValueId> y, std::span<const ValueId> dy,
                             std::span<const uint8_t> wanted) {
  y_ = handles(y);
  dy_ = handles(dy);
  wanted_.append(wanted.data(), wanted.size());
  gradient_ = true;
}

void GraphBuilder::in_place_of(std::span<const ValueId> y) { y_ = handles(y); }

Values GraphBuilder::run(cantik_status (*callback)(void*, cantik_builder*)) {
  Host host{*this, {}, {}};
  const size_t outputs = static_cast<size_t>(op_.outputs), inputs = x_.size();
  // A body that stands for an operator that saves says what is saved, asked for or not.
  const bool saves = !y_.empty() && op_.facts.saves != CANTIK_SAVES_NOTHING;
  const size_t results = gradient_ ? inputs : outputs + (saves ? 1 : 0);
  for (Handles* list : {&x_, &y_, &dy_}) list->resize(list->size() + kSpare, -1);
  wanted_.resize(wanted_.size() + kSpare, 0);
  result_.resize(results + kSpare, -1);
  cantik_builder c{};
  c.size = sizeof c;
  c.self = &host;
  c.inputs = static_cast<int32_t>(inputs);
  c.outputs = op_.outputs;
  c.x = x_.data();
  c.y = y_.data();
  c.dy = dy_.data();
  c.result = result_.data();
  c.wanted = wanted_.data();
  c.attributes = attributes_.data();
  c.training = graph_.mode == Mode::training;
  c.call = &Host::call;
  c.expression = &Host::expression;
  c.constant = &Host::constant;
  c.type = &Host::type;
  c.saved = gradient_ && y_.size() > outputs + kSpare ? y_[outputs] : -1;
  c.call_like = &Host::call_like;
  c.close = &Host::close;
  c.fail = &Host::fail;
  try {
    host.boundary.call(op_, gradient_ ? "gradient" : "body", [&] { return callback(op_.user, &c); });
    for (size_t i = 0; i < result_.size(); ++i)
      if (result_[i] >= 0 && (i >= results || ValueId(result_[i]) >= graph_.values.end_id()))
        Boundary::rethrow(
            runtime_error(cat(gradient_ ? "the gradient rule of " : "the body of ", op_.name,
                              " returned an empty value for ", gradient_ ? "operand " : "result ", i)),
            op_);
  } catch (const Error& e) {
    if (source_) rethrow_with(e, *graph_.sources[source_]);
    throw;
  }
  Values made;
  for (size_t i = 0; i < results; ++i) made.push_back(ValueId(result_[i]));
  return made;
}

}  // namespace cantik::ir
