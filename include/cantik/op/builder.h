// Bodies of composites and gradients: graphs written with the operators users call.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <cantik/op/attributes.h>
#include <cantik/op/infer.h>
#include <cantik/plugin.h>

namespace cantik {

class Builder;

// A value of the graph being built.
class Term {
 public:
  Term() = default;
  // Made by the builder.
  Term(Builder* builder, cantik_value value) : builder_(builder), value_(value) {}
  explicit operator bool() const { return value_ >= 0; }
  // The builder of its graph.
  Builder& builder() const { return *builder_; }
  // Its number in the graph; negative: no value.
  cantik_value value() const { return value_; }
  // Its type, as far as it is known.
  TypeView type() const;
  Shape shape() const;  // while it is not known, the body stops here and is called again later

 private:
  Builder* builder_ = nullptr;
  cantik_value value_ = -1;
};

// An attribute for a call, by name: {"axis", 1}.
struct Argument {
  // The attribute `key` with the value v.
  Argument(const char* key, bool v) : name(key), value(pack(v)) {}
  Argument(const char* key, int v) : name(key), value(pack(static_cast<int64_t>(v))) {}
  Argument(const char* key, int64_t v) : name(key), value(pack(v)) {}
  Argument(const char* key, double v) : name(key), value(pack(v)) {}
  Argument(const char* key, const char* v) : name(key), value(pack(v)) {}
  Argument(const char* key, DType v) : name(key), value(pack(v)) {}
  Argument(const char* key, const std::vector<double>& v) : name(key), value(pack(v)) {}
  // v outlives the call
  Argument(const char* key, const std::vector<int64_t>& v) : name(key), value(pack(v)) {}
  Argument(const char* key, const Shape& v) : name(key), value(pack(v)) {}
  const char* name;        // of the attribute
  cantik_attribute value;  // what it is given
};

// The graph that a body builds: its operands, calls of operators, and its results.
class Builder {
 public:
  // Over what the host gives.
  explicit Builder(cantik_builder* c) : c_(c) {}
  Builder(const Builder&) = delete;

  // How many operands there are.
  int inputs() const { return c_->inputs; }
  // Whether the graph is one for training.
  bool training() const { return c_->training != 0; }
  // Operand i.
  Term x(int i = 0) { return {this, c_->x[index_below(i, c_->inputs, "x")]}; }
  // Sets output i, or the only output.
  void result(int i, Term t) { c_->result[index_below(i, c_->outputs, "result")] = t.value(); }
  void result(Term t) { result(0, t); }
  // In the body after gradients of an operator that saves: what stands for what its parts save.
  void saved(Term t) { c_->result[c_->outputs] = t.value(); }
  // In the body after gradients: output i of the operator, of which only the type may be asked.
  Term y(int i = 0) { return {this, c_->y[index_below(i, c_->outputs, "y")]}; }

  // Any operator by name. The argument "name" is the name of the function in the user's graph.
  Term call(const char* op, std::initializer_list<Term> in, std::initializer_list<Argument> arguments = {}) {
    return call_all(op, std::vector<Term>(in), arguments, 1)[0];
  }
  // Any operator by name, with all of its outputs.
  std::vector<Term> call_all(const char* op, const std::vector<Term>& in,
                             std::initializer_list<Argument> arguments, int outputs) {
    const std::vector<cantik_value> values = values_of(in);
    std::vector<cantik_value> out(static_cast<size_t>(outputs), -1);
    const std::vector<cantik_argument> given = arguments_of(arguments);
    check(c_->call(c_->self, op, values.data(), static_cast<int32_t>(values.size()), given.data(),
                   static_cast<int32_t>(given.size()), out.data(), outputs));
    return terms_of(out);
  }
  // Any operator by name, whose results have the types of these values, written out: no type rule is asked.
  // For operators whose results are not told by what they read. An empty last term: what the operator saves.
  std::vector<Term> call_like(const char* op, const std::vector<Term>& in, const std::vector<Term>& like,
                              std::initializer_list<Argument> arguments = {}) {
    if (!c_->call_like)
      throw Failure(CANTIK_UNSUPPORTED, std::string(op) + " has no type of its own in a composite",
                    "call it in a gradient, or in a body that only runs");
    const std::vector<cantik_value> values = values_of(in), types = values_of(like);
    std::vector<cantik_value> out(like.size(), -1);
    const std::vector<cantik_argument> given = arguments_of(arguments);
    check(c_->call_like(c_->self, op, values.data(), static_cast<int32_t>(values.size()), given.data(),
                        static_cast<int32_t>(given.size()), types.data(), out.data(),
                        static_cast<int32_t>(out.size())));
    return terms_of(out);
  }
  // A value that is told further down, by `close`: what is computed of it closes a loop, which leads through
  // a delay (past_value, future_value). In composites alone.
  Term later() {
    if (!c_->later)
      throw Failure(CANTIK_UNSUPPORTED, "a recurrence is made where a body runs",
                    "make it in the composite of an operator, which stands in the user's graph");
    cantik_value v = -1;
    check(c_->later(c_->self, &v));
    return {this, v};
  }
  // What `later` gave is this value.
  void close(Term place, Term value) { check(c_->close(c_->self, place.value(), value.value())); }
  // A constant of the element type of `like`, the same number everywhere.
  Term constant(double value, Term like, const Shape& shape = {}, const char* name = "") {
    cantik_value v = -1;
    check(c_->constant(c_->self, value, like.value(), shape.rank(), shape.data(), name, &v));
    return {this, v};
  }
  // An elementwise expression in place: map({a, b}, [](Real a, Real b) { return a * b + 1; }).
  template <class F>
  Term map(std::initializer_list<Term> in, F f);

  // The type of a term, as far as it is known.
  TypeView type(Term t) const {
    cantik_type c{sizeof(cantik_type), 0, 0, nullptr, 0, 0, -1, 0};
    check(c_->type(c_->self, t.value(), &c));
    return TypeView(c);
  }

 protected:
  static void check(cantik_status s) {
    if (s) throw Failure(s, "");
  }
  static std::vector<cantik_value> values_of(const std::vector<Term>& terms) {
    std::vector<cantik_value> values;
    for (const Term& t : terms) values.push_back(t.value());
    return values;
  }
  static std::vector<cantik_argument> arguments_of(std::initializer_list<Argument> arguments) {
    std::vector<cantik_argument> given;
    for (const Argument& a : arguments) given.push_back({a.name, a.value});
    return given;
  }
  std::vector<Term> terms_of(const std::vector<cantik_value>& values) {
    std::vector<Term> terms;
    for (cantik_value v : values) terms.emplace_back(this, v);
    return terms;
  }
  cantik_builder* c_;
};

// The rule of an operator's gradient: from x, y and dy make the gradients of the inputs.
class Gradient : public Builder {
 public:
  using Builder::Builder;
  // Absent where nobody reads result i: if (g.dy(i)) tells.
  Term dy(int i = 0) { return {this, c_->dy[index_below(i, c_->outputs, "dy")]}; }
  // What the operator saved, for an operator that reads it (trait CANTIK_READS_SAVED).
  Term saved() { return {this, c_->saved}; }
  // Whether the gradient of operand i is wanted.
  bool wanted(int i) const { return c_->wanted[index_below(i, c_->inputs, "wanted")] != 0; }
  // Sets the gradient of operand i.
  void dx(int i, Term t) { c_->result[index_below(i, c_->inputs, "dx")] = t.value(); }
};

inline TypeView Term::type() const { return builder_->type(*this); }
inline Shape Term::shape() const {
  Shape s = type().shape;
  if (!s.is_known()) throw Failure(CANTIK_NOT_YET, "the shape is not known yet");
  return s;
}

namespace detail {
template <class F, size_t... I>
Real call_with_inputs(F f, std::index_sequence<I...>) {
  // in this order, whatever the compiler
  Real x[] = {Real::symbol(CANTIK_X_INPUT, static_cast<int32_t>(I))...};
  return f(x[I]...);
}
template <class F>
struct Arity;
template <class R, class C, class... A>
struct Arity<R (C::*)(A...) const> {
  static constexpr size_t value = sizeof...(A);
};
}  // namespace detail

template <class F>
Term Builder::map(std::initializer_list<Term> in, F f) {
  constexpr size_t arity = detail::Arity<decltype(&F::operator())>::value;
  Trace trace([&] { return detail::call_with_inputs(f, std::make_index_sequence<arity>()); });
  std::vector<cantik_value> values;
  for (const Term& t : in) values.push_back(t.value());
  cantik_value v = -1;
  check(c_->expression(c_->self, trace.c(), values.data(), static_cast<int32_t>(values.size()), &v));
  return {this, v};
}

inline Term operator+(Term a, Term b) { return a.builder().call("plus", {a, b}); }
inline Term operator-(Term a, Term b) { return a.builder().call("minus", {a, b}); }
inline Term operator*(Term a, Term b) { return a.builder().call("element_times", {a, b}); }
inline Term operator-(Term a) { return a.builder().call("negate", {a}); }

}  // namespace cantik
