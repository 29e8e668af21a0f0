// Define: collects what a file states about an operator and hands it over the boundary.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <cantik/op/attributes.h>
#include <cantik/op/builder.h>
#include <cantik/op/facts.h>
#include <cantik/op/kernel.h>
#include <cantik/op/onnx.h>

namespace cantik {

// One operator under construction. Everything it points to lives here until it is handed over.
class Definition {
 public:
  // An operator with this signature, as Python spells it: name(x, alpha=0.01, name='').
  explicit Definition(const char* signature) : signature_(signature) {
    op_.size = sizeof(cantik_operator);
    name_ = signature_.substr(0, signature_.find('('));
    op_.inputs_min = op_.inputs_max = -1;
    op_.outputs = 1;
  }
  // Registers the operator with the host.
  cantik_status hand_over(const cantik_host* host) {
    op_.name = name_.c_str();
    op_.signature = signature_.c_str();
    op_.doc = doc_.c_str();
    op_.fields = fields_.data();
    op_.field_count = static_cast<int32_t>(fields_.size());
    op_.expression = expression_.c();
    std::vector<cantik_expression> derivatives;
    for (const Trace& t : derivatives_) derivatives.push_back(t.c());
    op_.derivatives = derivatives.empty() ? nullptr : derivatives.data();
    op_.kernels = kernels_.data();
    op_.kernel_count = static_cast<int32_t>(kernels_.size());
    std::vector<cantik_sample> samples;
    for (const Sample& s : samples_)
      samples.push_back({sizeof(cantik_sample), static_cast<int32_t>(s.ranks.size()), s.ranks.data(),
                         s.dims.data(), s.arguments.data(), static_cast<int32_t>(s.arguments.size()), s.low,
                         s.high});
    op_.samples = samples.data();
    op_.sample_count = static_cast<int32_t>(samples.size());
    op_.kinks = kinks_.data();
    op_.kink_count = static_cast<int32_t>(kinks_.size());
    std::vector<cantik_named> names;
    for (const auto& [key, value] : names_) names.push_back({key.c_str(), value.c_str()});
    op_.names = names.data();
    op_.name_count = static_cast<int32_t>(names.size());
    op_.facts = facts_.handed_over();
    if (cantik_status s = host->define(host->self, &op_); s || !onnx_) return s;
    // the host keeps the object itself, as long as the library is there
    return host->attach(host->self, name_.c_str(), CANTIK_ONNX_KEY, CANTIK_ONNX_TYPE,
                        onnx_.release()->handed_over());
  }

 protected:
  template <class>
  friend class TypedDefinition;
  struct Sample {
    std::vector<int32_t> ranks;
    std::vector<int64_t> dims;
    std::vector<cantik_argument> arguments;
    std::shared_ptr<void> owner;
    double low, high;
  };
  cantik_operator op_{};
  std::string name_, signature_, doc_;
  std::vector<cantik_field> fields_;
  Trace expression_;
  std::vector<Trace> derivatives_;
  std::vector<cantik_kernel> kernels_;
  std::deque<Sample> samples_;
  std::vector<double> kinks_;
  std::vector<std::pair<std::string, std::string>> names_;
  Facts facts_;
  std::unique_ptr<OnnxForm> onnx_;
  std::shared_ptr<void> defaults_;  // texts and vectors of the fields' default values
};

// The same with its attributes' struct: every call below states one thing.
template <class A>
class TypedDefinition : public Definition {
 public:
  // An operator whose attributes are the fields of A.
  explicit TypedDefinition(const char* signature) : Definition(signature) {
    auto defaults = std::make_shared<A>();
    std::apply(
        [&](auto... f) {
          (fields_.push_back({sizeof(cantik_field), f.name, f.key_, f.doc, f.role_, f.flags_,
                              pack((*defaults).*(f.member))}),
           ...);
        },
        A::fields());
    defaults_ = defaults;
  }

  // What the operator computes: formula, arguments, result.
  TypedDefinition& doc(const char* text) {
    doc_ = text;
    return *this;
  }
  // How many operands a call may give: from `min` to `max`, or n.
  TypedDefinition& inputs(int min, int max) {
    op_.inputs_min = min;
    op_.inputs_max = max;
    return *this;
  }
  TypedDefinition& inputs(int n) { return inputs(n, n); }
  // How many results there are; 1 unless it is said.
  TypedDefinition& outputs(int n) {
    op_.outputs = n;
    return *this;
  }
  // Adds facts of cantik_trait.
  TypedDefinition& traits(uint64_t t) {
    op_.traits |= t;
    return *this;
  }
  // Operand i is read for its layout alone, not for its numbers.
  TypedDefinition& layout_only(int i) {
    op_.layout_only |= 1u << i;
    return *this;
  }
  // The same, but its kernels ask for the operand's type too.
  TypedDefinition& layout_and_type_only(int i) {
    facts_.c.type_too |= 1u << i;
    return layout_only(i);
  }
  // Kernels read operand i, where it is a batch beside sequences, at each step through its row map.
  TypedDefinition& by_index(int i) {
    facts_.c.by_index |= 1u << i;
    return *this;
  }
  // Pairs of an operand and the result that may take its memory (trait CANTIK_IN_PLACE).
  TypedDefinition& in_place(std::initializer_list<cantik_reuse> pairs) {
    facts_.reuses = pairs;
    return traits(CANTIK_IN_PLACE);
  }
  // A row of the result is a row of the first operand, so many steps away.
  TypedDefinition& delay(cantik_delay way) {
    facts_.c.delay = way;
    return *this;
  }
  // When all is computed, gradients included, the second operand becomes the value of the first.
  TypedDefinition& stores() {
    facts_.c.stores = 1;
    return traits(CANTIK_EFFECT);
  }
  // Where the attribute is true, another operator is applied in its place, with the same attributes.
  TypedDefinition& instead(const char* attribute, const char* op) {
    facts_.c.instead_if = attribute;
    facts_.c.instead = op;
    return *this;
  }
  // The result has the pixels of this operand, each in its place.
  TypedDefinition& keeps_pixels() {
    return pixels([](Pixels&, const A&) {});
  }
  // f: (Pixels&, const A&), which says where the pixels of the result lie.
  template <class F>
  TypedDefinition& pixels(F) {
    facts_.c.pixels = &asked<F, Pixels, cantik_pixels>;
    return *this;
  }
  // The result is a part of the operand. f: (RowPart&, const A&), which says which one.
  template <class F>
  TypedDefinition& takes_part(F f) {
    return parts(CANTIK_TAKES_PART, f);
  }
  // The operand is a part of the result, which is zero elsewhere.
  template <class F>
  TypedDefinition& puts_part(F f) {
    return parts(CANTIK_PUTS_PART, f);
  }
  // The operands are parts of the result, one behind the other.
  template <class F>
  TypedDefinition& joins_parts(F f) {
    return parts(CANTIK_JOINS_PARTS, f);
  }
  // f: (AxisNames&, const A&), which says which axes of operands and results are one: images behind such axes
  // may be turned, and calls that share all other operands be one call.
  template <class F>
  TypedDefinition& axis_names(F) {
    facts_.c.axis_names = &asked<F, AxisNames, cantik_axis_names>;
    return *this;
  }
  // f: (Packing&, const A&), which says the operand that kernels want packed. Where it is, the attribute is
  // true, and the operator has these traits besides.
  template <class F>
  TypedDefinition& packed(const char* attribute, F, uint64_t further_traits = 0) {
    facts_.c.packed = attribute;
    facts_.c.packed_traits = further_traits;
    facts_.c.packing = &asked<F, Packing, cantik_packing>;
    return *this;
  }
  // f: (LateSizes&, const A&), which tells in a run the sizes that the type rule set with set_late().
  template <class F>
  TypedDefinition& sizes(F) {
    facts_.c.sizes = &asked<F, LateSizes, cantik_sizes>;
    return *this;
  }
  // Its kernels leave objects (Keeper::save) for its gradient, in training alone, or for the operators that
  // read them.
  TypedDefinition& saves(cantik_saves whom = CANTIK_SAVES_FOR_GRADIENT) {
    facts_.c.saves = whom;
    return *this;
  }
  // Taken before its kernels are called, and left afterwards. It lives as long as the library.
  TypedDefinition& lock(const cantik_lock& lock) {
    facts_.c.lock = &lock;
    return *this;
  }
  // Which operands and results are images, and which way they lie.
  TypedDefinition& images(const Images& images) {
    facts_.c.images = images.c();
    return *this;
  }
  // Where the first attribute is absent, plans fill it in: the offset at which the two operands, which come
  // from the same image, lie over one another.
  TypedDefinition& offset_by_graph() {
    facts_.c.offset_by_graph = 1;
    return *this;
  }

  // The body, element by element: (Real x, ...) or (Real x, ..., const A&).
  template <class F>
  TypedDefinition& expression(F f) {
    constexpr size_t arity = detail::Arity<decltype(&F::operator())>::value;
    constexpr size_t reals = count_reals<F, arity>();
    op_.inputs_min = op_.inputs_max = reals;
    op_.traits |= CANTIK_ROW_WISE;
    expression_ = trace<reals>(f);
    return *this;
  }
  // Gradients better than the derived ones, one for each input in order: (Real x, ..., Real y, Real dy[,
  // const A&]).
  template <class... F>
  TypedDefinition& derivative(F... f) {
    (derivatives_.push_back(trace<count_reals<F, detail::Arity<decltype(&F::operator())>::value>()>(f)), ...);
    return *this;
  }
  // Its type rule; without one, the inputs broadcast.
  template <class F>
  TypedDefinition& type(F) {
    op_.infer = &asked<F, Infer, cantik_infer>;
    return *this;
  }
  // The body as a graph of operators.
  template <class F>
  TypedDefinition& composite(F) {
    op_.compose = &asked<F, Builder, cantik_builder>;
    return *this;
  }
  // How it runs, as other operators; may ask b.training(). Its node stays one in graphs and files.
  template <class F>
  TypedDefinition& lower(F) {
    op_.lower = &asked<F, Builder, cantik_builder>;
    return *this;
  }
  // How it runs once gradients are taken: with packed weights, in another format.
  template <class F>
  TypedDefinition& finish(F) {
    op_.finish = &asked<F, Builder, cantik_builder>;
    return *this;
  }
  // f: (Gradient&) or (Gradient&, const A&): builds the gradients of the operands that are wanted.
  template <class F>
  TypedDefinition& gradient(F) {
    op_.gradient = &asked<F, Gradient, cantik_builder>;
    return *this;
  }
  // f: (const Prepare&, const A&) -> unique_ptr<Kernel>, or (T zero, const Run&, const A&), which is the
  // kernel for float and double.
  template <class F>
  TypedDefinition& kernel(const char* name, F) {
    kernels_.push_back({sizeof(cantik_kernel), name, &detail::prepare_thunk<A, F>, 0, 0});
    return *this;
  }
  // A kernel that is made of a form (op/forms.h): every backend that fills the form in has it.
  template <class F>
  TypedDefinition& form(const char* name, F) {
    kernels_.push_back({sizeof(cantik_kernel), name, &detail::prepare_thunk<A, F>, 1, 0});
    return *this;
  }

  // A text under any key.
  TypedDefinition& named(const char* key, const std::string& value) {
    names_.emplace_back(key, value);
    return *this;
  }
  // As CNTK prints it and numbers it in files.
  TypedDefinition& cntk(const char* name, int number) {
    facts_.number = number;
    return named("cntk", name);
  }
  // As a block of that name, with its composite inside.
  TypedDefinition& cntk_block(const char* name) {
    facts_.block = name;
    return named("cntk", name);
  }
  // As a function of one of CNTK's C++ libraries: the module it was in, and the factory that made it.
  TypedDefinition& cntk_native(const char* name, const char* module, const char* factory) {
    facts_.module = module;
    facts_.factory = factory;
    return named("cntk", name);
  }
  // What its attributes do not say of its form in CNTK's files.
  TypedDefinition& cntk_form(CntkForm form) {
    facts_.form = std::move(form);
    return *this;
  }
  // As ONNX calls it, and its first version of the operator set that has it like this: the same operands,
  // and attributes of the file by their names here.
  TypedDefinition& onnx(const char* name, int since, std::vector<cantik_onnx_attribute> attributes = {}) {
    onnx_form().c.name = name;
    onnx_form().c.since = since;
    onnx_form().attributes = std::move(attributes);
    return named("onnx", name);
  }
  // f: (OnnxGraph&) or (OnnxGraph&, const A&): the nodes that are written in its place, `name` among them.
  template <class F>
  TypedDefinition& onnx_write(const char* name, F) {
    onnx_form().c.write = [](cantik_onnx_graph* c) -> cantik_status {
      return guarded(
          [&] {
            OnnxGraph g(c);
            invoke<F>(g, c->attributes);
          },
          [&](int32_t kind, const char* text, const char* remedy) { c->fail(c->self, kind, text, remedy); });
    };
    return named("onnx", name);
  }
  // f: (OnnxNode&): what is made of a node of ONNX's with this name.
  template <class F>
  TypedDefinition& onnx_read(const char* name, F) {
    static_assert(std::is_empty_v<F>, "pass a lambda that captures nothing");
    onnx_form().rules.push_back({name, [](cantik_onnx_node* c) -> cantik_status {
                                   return guarded(
                                       [&] {
                                         OnnxNode n(c);
                                         F{}(n);
                                       },
                                       [&](int32_t kind, const char* text, const char* remedy) {
                                         c->builder->fail(c->builder->self, kind, text, remedy);
                                       });
                                 }});
    return *this;
  }

  // A case for tests, benchmarks and documentation: shapes of the operands, attributes, and the range of the
  // numbers.
  TypedDefinition& sample(std::vector<Shape> shapes, A attributes = {}, double low = -1.3,
                          double high = 1.7) {
    Sample s{{}, {}, {}, std::make_shared<A>(std::move(attributes)), low, high};
    for (const Shape& shape : shapes) {
      s.ranks.push_back(shape.rank());
      s.dims.insert(s.dims.end(), shape.begin(), shape.end());
    }
    A& a = *static_cast<A*>(s.owner.get());
    std::apply([&](auto... f) { (s.arguments.push_back({f.name, pack(a.*(f.member))}), ...); }, A::fields());
    samples_.push_back(std::move(s));
    return *this;
  }
  // The same with the range first.
  TypedDefinition& sample_between(double low, double high, std::vector<Shape> shapes, A attributes = {}) {
    return sample(std::move(shapes), std::move(attributes), low, high);
  }
  // A place without a derivative: tests of gradients keep away from it.
  TypedDefinition& kink(double x) {
    kinks_.push_back(x);
    return *this;
  }

 private:
  OnnxForm& onnx_form() {
    if (!onnx_) onnx_ = std::make_unique<OnnxForm>();
    return *onnx_;
  }
  TypedDefinition& parts(cantik_parts kind, auto f) {
    facts_.c.parts = kind;
    facts_.c.part = &asked<decltype(f), RowPart, cantik_part>;
    return *this;
  }
  // What the host asks, in C++.
  template <class F, class Question, class C>
  static cantik_status asked(void*, C* c) {
    return guarded(
        [&] {
          Question question(c);
          invoke<F>(question, c->attributes);
        },
        [&](int32_t kind, const char* text, const char* remedy) { c->fail(c->self, kind, text, remedy); });
  }
  // f(in, attributes) or f(in).
  template <class F, class In>
  static void invoke(In& in, const cantik_attribute* values) {
    static_assert(std::is_empty_v<F>, "pass a lambda that captures nothing");
    if constexpr (std::is_invocable_v<F, In&, const A&>)
      F{}(in, read_attributes<A>(values));
    else
      F{}(in);
  }
  template <class F, size_t N>
  static constexpr size_t count_reals() {
    return takes_attributes<F>(std::make_index_sequence<N - 1>()) ? N - 1 : N;
  }
  template <class F, size_t... I>
  static constexpr bool takes_attributes(std::index_sequence<I...>) {
    return std::is_invocable_v<F, decltype((void)I, Real())..., const A&> &&
           !std::is_invocable_v<F, decltype((void)I, Real())..., Real>;
  }
  template <size_t N, class F>
  static Trace trace(F f) {
    return Trace([&] { return call(f, std::make_index_sequence<N>()); });
  }
  template <class F, size_t... I>
  static Real call(F f, std::index_sequence<I...>) {
    // in this order, whatever the compiler
    Real x[] = {Real::symbol(CANTIK_X_INPUT, static_cast<int32_t>(I))...};
    if constexpr (std::is_invocable_v<F, decltype((void)I, Real())..., const A&>)
      return f(x[I]..., symbolic_attributes<A>());
    else
      return f(x[I]...);
  }
};

// What CANTIK_OP gets as `op`.
class Define {
 public:
  // Collects the operators of a file for a host.
  explicit Define(const cantik_host* host) : host_(host) {}

  // An operator whose attributes are the fields of A.
  template <class A>
  TypedDefinition<A>& attributes(const char* signature) {
    auto d = std::make_unique<TypedDefinition<A>>(signature);
    TypedDefinition<A>& ref = *d;
    pending_.push_back(std::move(d));
    return ref;
  }
  // An operator without attributes.
  TypedDefinition<NoAttributes>& signature(const char* signature) {
    return attributes<NoAttributes>(signature);
  }

  // An attribute under any key for any operator, also one of another library.
  void annotate(const char* op, const char* key, const std::string& value) {
    annotations_.push_back({op, key, value});
  }

  // Registers all operators of the file; the status of the first that fails.
  cantik_status finish() {
    for (auto& d : pending_)
      if (cantik_status s = d->hand_over(host_)) return s;
    for (const auto& a : annotations_)
      if (cantik_status s = host_->annotate(host_->self, a.op.c_str(), a.key.c_str(), a.value.c_str()))
        return s;
    return CANTIK_OK;
  }

 private:
  struct Annotation {
    std::string op, key, value;
  };
  const cantik_host* host_;
  std::vector<std::unique_ptr<Definition>> pending_;
  std::vector<Annotation> annotations_;
};

// Registers the operators of a library's files; the host takes all of them or none.
inline cantik_status define_all(const cantik_host* host, std::initializer_list<void (*)(Define&)> files) {
  return guarded(
      [&] {
        if (host->abi_version != CANTIK_ABI_VERSION)
          throw Failure(CANTIK_RUNTIME, "the library was built for version " +
                                            std::to_string(CANTIK_ABI_VERSION) +
                                            " of the operator interface, this Cantik has " +
                                            std::to_string(host->abi_version));
        for (auto file : files) {
          Define define(host);
          file(define);
          if (cantik_status s = define.finish()) throw Failure(s, "");
        }
      },
      [&](int32_t kind, const char* text, const char*) {
        if (*text) host->fail(host->self, kind, text);
      });
}

}  // namespace cantik
