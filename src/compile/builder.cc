// The builder that operators' bodies and gradients see, over the compiler's graph.
#include <array>

#include "compile/graph.h"
#include "graph/types.h"

namespace cantik::ir {

struct GraphBuilder::Host {
  GraphBuilder& b;
  std::optional<Error> error;
  Type typed;  // the last type handed out lives here

  template <class F>
  static cantik_status guard(void* self, F&& f) {
    auto& h = *static_cast<Host*>(self);
    try {
      f(h.b);
      return CANTIK_OK;
    } catch (const Error& e) {
      h.error = e;
      return CANTIK_VALUE;
    }
  }
  static cantik_status call(void* self, const char* name, const cantik_value* in, int32_t count, const cantik_argument* arguments, int32_t argument_count,
                            cantik_value* out, int32_t out_count) {
    return guard(self, [&](GraphBuilder& b) {
      const Operator& op = Registry::global().get(name);
      std::vector<Attribute> attributes = op.defaults();
      for (int32_t i = 0; i < argument_count; ++i) {
        if (std::string_view(arguments[i].name) == "name") continue;
        int f = op.field(arguments[i].name);
        if (f < 0) throw type_error(op.name + " has no attribute " + arguments[i].name);
        attributes[static_cast<size_t>(f)] = from_c(arguments[i].value);
      }
      Values v = b.graph_.call(op, std::move(attributes), {in, static_cast<size_t>(count)}, b.source_);
      for (int32_t i = 0; i < out_count && i < static_cast<int32_t>(v.size()); ++i) out[i] = v[static_cast<size_t>(i)];
    });
  }
  static cantik_status expression(void* self, cantik_expression e, const cantik_value* in, int32_t count, cantik_value* out) {
    return guard(self, [&](GraphBuilder& b) { *out = b.graph_.map(Expression::from_c(e), {in, static_cast<size_t>(count)}, b.source_); });
  }
  static cantik_status constant(void* self, double value, cantik_value like, int32_t rank, const int64_t* dims, const char*, cantik_value* out) {
    return guard(self, [&](GraphBuilder& b) {
      DType dtype = b.graph_.type(like).dtype;
      *out = b.graph_.number(value, dtype);
      if (rank == 0) return;
      Node n;
      n.kind = NodeKind::map;
      n.expression.results = {n.expression.constant(value)};
      Type t{dtype, Shape(dims, static_cast<size_t>(rank)), Axes(), Storage::dense};
      *out = b.graph_.node(b.graph_.add(std::move(n), {&t, 1})).out[0];
    });
  }
  static cantik_status type(void* self, cantik_value v, cantik_type* out) {
    return guard(self, [&](GraphBuilder& b) {
      auto& h = *static_cast<Host*>(self);
      h.typed = b.graph_.type(v);
      *out = to_c(h.typed);
    });
  }
  static void fail(void* self, int32_t kind, const char* text, const char* remedy) {
    auto& h = *static_cast<Host*>(self);
    if (!h.error || *text) h.error = failure(kind, text, remedy);
  }
};

GraphBuilder::GraphBuilder(Graph& g, const Operator& op, std::span<const Attribute> attributes, std::span<const ValueId> x, int32_t source)
    : graph_(g), op_(op), attributes_(to_c(attributes)), x_(x.begin(), x.end()), source_(source) {}

void GraphBuilder::gradients(std::span<const ValueId> y, std::span<const ValueId> dy, std::span<const uint8_t> wanted) {
  y_.assign(y.begin(), y.end());
  dy_.assign(dy.begin(), dy.end());
  wanted_.assign(wanted.begin(), wanted.end());
}

std::vector<ValueId> GraphBuilder::run(cantik_status (*callback)(void*, cantik_builder*)) {
  Host host{*this, {}, {}};
  result_.assign(wanted_.empty() ? static_cast<size_t>(op_.outputs) : x_.size(), -1);
  cantik_builder c{};
  c.size = sizeof c;
  c.self = &host;
  c.inputs = static_cast<int32_t>(x_.size());
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
  c.fail = &Host::fail;
  cantik_status status = callback(op_.user, &c);
  if (host.error) {
    if (source_ >= 0) rethrow_with(*host.error, *graph_.sources[static_cast<size_t>(source_)]);
    throw *host.error;
  }
  if (status) throw runtime_error("the body of " + op_.name + " failed with status " + std::to_string(status));
  return {result_.begin(), result_.end()};
}

}  // namespace cantik::ir
