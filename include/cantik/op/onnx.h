// How an operator stands in ONNX's files: what is written in its place, and which of ONNX's operators it is
// what is read of.
//
//   .onnx("LeakyRelu", 6, {{"alpha", "alpha"}})          // the same operands, attributes by name
//   .onnx_write([](OnnxGraph& g, const A& a) {...})      // or nodes, written one by one
//   .onnx_read("Gemm", [](OnnxNode& n) {...})            // a node of the file, as calls of operators
//
// ONNX has no dynamic axes: there a batch is the first axis, [batch, shape...], and a batch of sequences the
// first two, [steps, batch, shape...]. The number of dynamic axes of a value is its `lead`.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <cantik/op/attributes.h>
#include <cantik/op/builder.h>
#include <cantik/op/infer.h>
#include <cantik/plugin.h>

/* ---- in plain C: what crosses the boundary to an operator's file, as objects that the library attaches ----
 */

/* What the attached objects are. */
#define CANTIK_ONNX_KEY "onnx.form"
#define CANTIK_ONNX_TYPE "cantik_onnx_form 1"

/* A size that only a run knows, in a shape of ONNX's: a number from here downwards. */
#define CANTIK_ONNX_SYMBOL (-1000)

/* A place that no axis reaches, as files write the end of an axis whose size they do not know: a number from
 * here upwards; from its negative downwards the begin. Symbols lie between. */
#define CANTIK_ONNX_BEYOND (1 << 24)

/* What is written in place of a function. */
typedef struct cantik_onnx_graph {
  size_t size;
  void* self;
  int32_t inputs, outputs;
  const cantik_type* in;
  const cantik_type* out;
  const cantik_attribute* attributes;
  const cantik_value* x; /* the operands */
  cantik_value* result;  /* to be set */
  int64_t version;       /* of the operator set that is written */
  cantik_status (*node)(void* self, const char* op, const char* domain, const cantik_value* in, int32_t count,
                        const cantik_argument* arguments, int32_t argument_count, cantik_value* out,
                        int32_t out_count);
  /* A constant: whole numbers (int64), or real ones of an element type (enum DType). */
  cantik_status (*integers)(void* self, int32_t rank, const int64_t* dims, const int64_t* numbers,
                            cantik_value* out);
  cantik_status (*reals)(void* self, int32_t dtype, int32_t rank, const int64_t* dims, const double* numbers,
                         cantik_value* out);
  void (*fail)(void* self, int32_t failure, const char* text, const char* remedy);
} cantik_onnx_graph;

/* A node that is read. Values are those of the builder, whose x are the node's inputs, -1 where there is
 * none. */
typedef struct cantik_onnx_node {
  size_t size;
  void* self;
  cantik_builder* builder;
  const char* name;
  int64_t version; /* of the operator set of the file */
  /* An attribute of the node; of kind CANTIK_NONE where it is not there. A tensor is a list. */
  cantik_status (*attribute)(void* self, const char* name, cantik_attribute* out);
  /* The numbers of a value, if they are known before any run: CANTIK_INTS, where sizes that only a run knows
   * are symbols, or CANTIK_REALS; otherwise CANTIK_NONE. */
  cantik_status (*numbers)(void* self, cantik_value v, cantik_attribute* out);
  /* The result is whole numbers that are known, of these dimensions: no value is made for them. */
  cantik_status (*set_numbers)(void* self, int32_t output, int32_t rank, const int64_t* dims,
                               const int64_t* numbers);
  /* The shape in ONNX's terms, dynamic axes included; rank -1: not known. */
  cantik_status (*shape)(void* self, cantik_value v, int32_t* rank, const int64_t** dims);
  /* The same numbers with so many dynamic axes: 0, or 1 for a batch. */
  cantik_status (*with_lead)(void* self, cantik_value v, int32_t lead, cantik_value* out);
  /* The same numbers in a shape of ONNX's terms, with symbols. */
  cantik_status (*reshape)(void* self, cantik_value v, int32_t rank, const int64_t* dims, cantik_value* out);
  /* The same value, whose sizes are known to be these. */
  cantik_status (*set_shape)(void* self, cantik_value v, int32_t rank, const int64_t* dims);
  /* A constant of real numbers, of the element type of another value. */
  cantik_status (*constant)(void* self, int32_t rank, const int64_t* dims, const double* numbers,
                            cantik_value like, cantik_value* out);
  /* Whether ONNX's element type of the value is one of whole numbers. */
  cantik_status (*is_whole)(void* self, cantik_value v, int32_t* out);
  /* The number of ONNX's element type of a result, where it is not that of the first input. */
  cantik_status (*set_element)(void* self, int32_t output, int32_t type);
  /* The number of ONNX's element type of a value. */
  cantik_status (*element)(void* self, cantik_value v, int32_t* out);
} cantik_onnx_node;

/* An attribute of ONNX's that is one of the operator's. */
typedef struct cantik_onnx_attribute {
  const char* name;  /* in the file */
  const char* field; /* here */
} cantik_onnx_attribute;

/* One of ONNX's operators, and what it is here. */
typedef struct cantik_onnx_rule {
  const char* name;
  cantik_status (*read)(cantik_onnx_node*);
} cantik_onnx_rule;

/* All that an operator states. */
typedef struct cantik_onnx_form {
  size_t size;
  const char* name; /* the one node that it is; NULL: none */
  int64_t since;    /* the operator set from which on that node is like this */
  const cantik_onnx_attribute* attributes;
  int32_t attribute_count;
  int32_t rule_count;
  const cantik_onnx_rule* rules;
  cantik_status (*write)(cantik_onnx_graph*); /* NULL: the one node */
} cantik_onnx_form;

namespace cantik {

// A value of the graph that is written.
struct OnnxValue {
  cantik_value id = -1;  // by its number in the graph that is written
  explicit operator bool() const { return id >= 0; }
};

// What an operator's file writes in place of a function.
class OnnxGraph {
 public:
  // Over what the host gives.
  explicit OnnxGraph(cantik_onnx_graph* c) : c_(c) {}
  // How many operands there are.
  int inputs() const { return c_->inputs; }
  // The version of the operator set that is written.
  int64_t version() const { return c_->version; }
  // Operand i.
  OnnxValue x(int i = 0) const { return {c_->x[index_below(i, c_->inputs, "x")]}; }
  // The type of operand i, in the terms of operators.
  TypeView in(int i = 0) const { return TypeView(c_->in[index_below(i, c_->inputs, "in")]); }
  // The type of a result.
  TypeView out(int i = 0) const { return TypeView(c_->out[index_below(i, c_->outputs, "out")]); }
  // The number of dynamic axes of operand i.
  int lead(int i = 0) const { return in(i).axes; }
  // The static shape of operand i, all of it known.
  Shape shape(int i = 0) const {
    Shape s = in(i).shape;
    if (!s.is_known()) throw Failure(CANTIK_UNSUPPORTED, "the shape of an operand is not known");
    return s;
  }
  // A static axis of operand i, counted from the first or the last, as ONNX counts it.
  int64_t axis(int64_t a, int i = 0) const {
    const int rank = shape(i).rank();
    if (a < -rank || a >= std::max(rank, 1))
      throw Failure(CANTIK_UNSUPPORTED, "the axis " + std::to_string(a) + " of an operand of rank " +
                                            std::to_string(rank) + " is none of ONNX's");
    return lead(i) + (a < 0 ? a + rank : a);
  }

  // A node with several results.
  std::vector<OnnxValue> nodes(const char* op, const std::vector<OnnxValue>& in,
                               const std::vector<Argument>& arguments, int outputs, const char* domain = "") {
    std::vector<cantik_value> values, made(static_cast<size_t>(outputs), -1);
    for (const OnnxValue& v : in) values.push_back(v.id);
    std::vector<cantik_argument> given;
    for (const Argument& a : arguments) given.push_back({a.name, a.value});
    check(c_->node(c_->self, op, domain, values.data(), static_cast<int32_t>(values.size()), given.data(),
                   static_cast<int32_t>(given.size()), made.data(), outputs));
    std::vector<OnnxValue> list;
    for (cantik_value v : made) list.push_back({v});
    return list;
  }
  // A node with one result.
  OnnxValue node(const char* op, const std::vector<OnnxValue>& in,
                 const std::vector<Argument>& arguments = {}) {
    return nodes(op, in, arguments, 1)[0];
  }
  // A list of whole numbers.
  OnnxValue integers(const std::vector<int64_t>& numbers) {
    const int64_t count = static_cast<int64_t>(numbers.size());
    OnnxValue v;
    check(c_->integers(c_->self, 1, &count, numbers.data(), &v.id));
    return v;
  }
  // One whole number, of rank 0.
  OnnxValue integer(int64_t number) {
    OnnxValue v;
    check(c_->integers(c_->self, 0, nullptr, &number, &v.id));
    return v;
  }
  // Real numbers of a shape.
  OnnxValue reals(DType dtype, const std::vector<double>& numbers, const Shape& shape = {}) {
    if (!shape.is_static() || shape.elements() != std::ssize(numbers))
      throw Failure(CANTIK_RUNTIME,
                    std::to_string(numbers.size()) + " numbers have not the shape " + shape.text());
    OnnxValue v;
    check(
        c_->reals(c_->self, static_cast<int32_t>(dtype), shape.rank(), shape.data(), numbers.data(), &v.id));
    return v;
  }
  // One real number of the element type of the result.
  OnnxValue real(double number) { return reals(out().dtype, {number}); }

  // Operand i with further axes of size 1 behind its dynamic axes, so that ONNX's broadcasting is ours.
  OnnxValue aligned(int i) {
    const int missing = out().shape.rank() - shape(i).rank();
    return lead(i) == 0 ? x(i) : inserted(x(i), lead(i), missing);
  }
  // All operands of an elementwise operator.
  std::vector<OnnxValue> aligned() {
    std::vector<OnnxValue> list;
    for (int i = 0; i < inputs(); ++i) list.push_back(aligned(i));
    return list;
  }
  // v with `count` axes of size 1 before the axis `at`.
  OnnxValue inserted(OnnxValue v, int at, int count) {
    if (count <= 0) return v;
    std::vector<int64_t> axes;
    for (int k = 0; k < count; ++k) axes.push_back(at + k);
    return unsqueeze(v, axes);
  }
  // v with axes of size 1 at these places of the result.
  OnnxValue unsqueeze(OnnxValue v, const std::vector<int64_t>& axes) {
    return version() >= 13 ? node("Unsqueeze", {v, integers(axes)})
                           : node("Unsqueeze", {v}, {{"axes", axes}});
  }
  // v without these axes of size 1.
  OnnxValue squeeze(OnnxValue v, const std::vector<int64_t>& axes) {
    return version() >= 13 ? node("Squeeze", {v, integers(axes)}) : node("Squeeze", {v}, {{"axes", axes}});
  }
  // v in the static shape `shape` behind `lead` axes that stay. At most one size may be free.
  OnnxValue reshape(OnnxValue v, int lead, const Shape& shape) {
    std::vector<int64_t> dims(static_cast<size_t>(lead), 0);
    for (int64_t d : shape) dims.push_back(d < 0 ? -1 : d);
    if (std::count(dims.begin(), dims.end(), -1) > 1)
      throw Failure(CANTIK_UNSUPPORTED, "a shape with several free sizes is made");
    return node("Reshape", {v, integers(dims)});
  }
  // The number of an element type in ONNX's files.
  static int64_t type_number(DType dtype) {
    switch (dtype) {
      case DType::float32: return 1;
      case DType::int8: return 3;
      case DType::int16: return 5;
      case DType::int32: return 6;
      case DType::float16: return 10;
      case DType::float64: return 11;
      default: throw Failure(CANTIK_UNSUPPORTED, "the element type of a value is not known");
    }
  }
  // The number of int64 in ONNX's files.
  static constexpr int64_t kInt64 = 7;
  // Truth values.
  static constexpr int64_t kBool = 9;
  // v in the element type with this number.
  OnnxValue cast(OnnxValue v, int64_t type) { return node("Cast", {v}, {{"to", type}}); }
  // Truth values of ONNX's as the numbers 0 and 1.
  OnnxValue number(OnnxValue truth) { return cast(truth, type_number(out().dtype)); }

  // Sets a result.
  void result(int i, OnnxValue v) { c_->result[index_below(i, c_->outputs, "result")] = v.id; }
  void result(OnnxValue v) { result(0, v); }

 private:
  static void check(cantik_status s) {
    if (s) throw Failure(s, "");
  }
  cantik_onnx_graph* c_;
};

// A node of a file, and the graph of operators that is made of it.
class OnnxNode : public Builder {
 public:
  // Over what the host gives.
  explicit OnnxNode(cantik_onnx_node* n) : Builder(n->builder), n_(n) {}
  // The operator's name in the file.
  std::string name() const { return n_->name; }
  // The version of the operator set that the file is written in.
  int64_t version() const { return n_->version; }
  // Whether input i is there.
  bool has(int i) const { return i < inputs() && c_->x[i] >= 0; }
  // How many outputs are asked for.
  int outputs() const { return c_->outputs; }
  // All inputs, absent ones too.
  std::vector<Term> all() {
    std::vector<Term> list;
    for (int i = 0; i < inputs(); ++i) list.push_back(x(i));
    return list;
  }

  // ---- attributes
  // Whether the node has the attribute.
  bool given(const char* name) const { return attribute(name).kind != CANTIK_NONE; }
  // An attribute's value, or `otherwise` where the node does not have it.
  template <class T>
  T get(const char* name, T otherwise) const {
    unpack(attribute(name), otherwise);
    return otherwise;
  }
  // The same as a whole number.
  int64_t integer(const char* name, int64_t otherwise = 0) const { return get(name, otherwise); }
  // The same as a real number.
  double real(const char* name, double otherwise) const { return get(name, otherwise); }
  // The same as a text.
  std::string text(const char* name, const char* otherwise) const {
    return get(name, std::string(otherwise));
  }
  // The same as a list of whole numbers.
  std::vector<int64_t> integers(const char* name) const { return get(name, std::vector<int64_t>()); }
  // The same as a list of real numbers.
  std::vector<double> reals(const char* name) const { return get(name, std::vector<double>()); }

  // ---- inputs whose numbers are known
  // Whether the numbers are known before any run. Sizes that only a run knows count as known: as symbols.
  bool known(Term t) const { return numbers_of(t).kind != CANTIK_NONE; }
  // Whole numbers of input i.
  std::vector<int64_t> sizes(int i) {
    const cantik_attribute a = needed(i);
    if (a.kind == CANTIK_INTS) return {a.as.integers, a.as.integers + a.count};
    constexpr double kBeyond = 9223372036854775808.0;  // 2^63
    for (int64_t k = 0; k < a.count; ++k)
      if (!(a.as.reals[k] >= -kBeyond && a.as.reals[k] < kBeyond))
        throw Failure(CANTIK_RUNTIME, "input " + std::to_string(i) + " has numbers that are no whole ones");
    return std::vector<int64_t>(a.as.reals, a.as.reals + a.count);
  }
  // Real numbers of input i.
  std::vector<double> numbers(int i) {
    const cantik_attribute a = needed(i);
    if (a.kind == CANTIK_REALS) return {a.as.reals, a.as.reals + a.count};
    for (int64_t s : sizes(i))
      if (s <= CANTIK_ONNX_SYMBOL) not_known(i);
    return std::vector<double>(a.as.integers, a.as.integers + a.count);
  }
  // What later operator sets have as input i, and earlier ones as an attribute.
  std::vector<int64_t> sizes(int i, const char* name) { return has(i) ? sizes(i) : integers(name); }
  // The result is whole numbers that are known.
  void result_numbers(int i, const std::vector<int64_t>& dims, const std::vector<int64_t>& numbers) {
    check(n_->set_numbers(n_->self, i, static_cast<int32_t>(dims.size()), dims.data(), numbers.data()));
  }

  // The result is of ONNX's element type with this number.
  void result_type(int i, int64_t type) { check(n_->set_element(n_->self, i, static_cast<int32_t>(type))); }

  // ---- shapes, in ONNX's terms
  // The shape with the dynamic axes in front; sizes that only a run knows are symbols.
  std::vector<int64_t> dims(Term t) const {
    int32_t rank = 0;
    const int64_t* d = nullptr;
    check(n_->shape(n_->self, t.value(), &rank, &d));
    if (rank < 0) throw Failure(CANTIK_UNSUPPORTED, "the rank of an input is not known");
    return {d, d + rank};
  }
  // The number of axes, dynamic ones included.
  int rank(Term t) const { return static_cast<int>(dims(t).size()); }
  // The number of dynamic axes.
  int lead(Term t) const { return type(t).axes; }
  // An axis counted from the front.
  static int axis_of(int64_t axis, int rank) {
    const int64_t a = axis < 0 ? axis + rank : axis;
    if (a < 0 || a >= rank)
      throw Failure(CANTIK_VALUE,
                    "there is no axis " + std::to_string(axis) + " in a rank of " + std::to_string(rank));
    return static_cast<int>(a);
  }
  // Without dynamic axes.
  Term plain(Term t) { return with_lead(t, 0); }
  // The first axis as the batch.
  Term rows(Term t) { return with_lead(t, 1); }
  // t such that all these axes of ONNX's are static, and the axes there.
  Term with_static(Term t, std::vector<int64_t>& axes) {
    const int r = rank(t);
    bool within = true;
    for (int64_t& a : axes) {
      a = axis_of(a, r);
      within = within && a >= lead(t);
    }
    if (!within) return plain(t);
    for (int64_t& a : axes) a -= lead(t);
    return t;
  }
  Term with_static(Term t, int64_t& axis) {
    std::vector<int64_t> axes{axis};
    Term made = with_static(t, axes);
    axis = axes[0];
    return made;
  }
  // The same numbers in another shape.
  Term reshape(Term t, const std::vector<int64_t>& dims) {
    cantik_value v = -1;
    check(n_->reshape(n_->self, t.value(), static_cast<int32_t>(dims.size()), dims.data(), &v));
    return {this, v};
  }
  // t, whose sizes are known to be these: symbols among them say which sizes are equal.
  Term with_dims(Term t, const std::vector<int64_t>& dims) {
    check(n_->set_shape(n_->self, t.value(), static_cast<int32_t>(dims.size()), dims.data()));
    return t;
  }
  // Terms with the axes that ONNX's broadcasting gives them.
  std::vector<Term> aligned(std::vector<Term> terms) {
    int most = 0, batch = 0;
    for (const Term& t : terms) most = std::max(most, rank(t)), batch = std::max(batch, lead(t));
    if (batch == 0) return terms;
    bool goes = true;
    for (const Term& t : terms) {
      const std::vector<int64_t> d = dims(t);
      const int first = most - static_cast<int>(d.size());
      if (lead(t) > 0) goes = goes && first + lead(t) == batch;
      for (int k = first; lead(t) == 0 && k < batch; ++k)
        goes = goes && d[static_cast<size_t>(k - first)] == 1;
    }
    for (Term& t : terms) {
      if (!goes) {
        t = plain(t);
        continue;
      }
      const std::vector<int64_t> d = dims(t);
      const int surplus = static_cast<int>(d.size()) - (most - batch);
      if (lead(t) == 0 && surplus > 0) t = reshape(t, {d.begin() + surplus, d.end()});
    }
    return terms;
  }
  // A constant of the element type of `like`.
  Term constants(const std::vector<double>& numbers, const std::vector<int64_t>& dims, Term like) {
    cantik_value v = -1;
    check(n_->constant(n_->self, static_cast<int32_t>(dims.size()), dims.data(), numbers.data(), like.value(),
                       &v));
    return {this, v};
  }
  // Whether ONNX has whole numbers there.
  bool is_whole(Term t) const {
    int32_t whole = 0;
    check(n_->is_whole(n_->self, t.value(), &whole));
    return whole != 0;
  }
  // The number of ONNX's element type.
  int64_t element(Term t) const {
    int32_t type = 0;
    check(n_->element(n_->self, t.value(), &type));
    return type;
  }
  // What this reader cannot do, in the words of the file.
  [[noreturn]] static void refuse(const std::string& what, const std::string& remedy = {}) {
    throw Failure(CANTIK_UNSUPPORTED, what, remedy);
  }

 private:
  cantik_attribute attribute(const char* name) const {
    cantik_attribute a{};
    check(n_->attribute(n_->self, name, &a));
    return a;
  }
  cantik_attribute numbers_of(Term t) const {
    cantik_attribute a{};
    check(n_->numbers(n_->self, t.value(), &a));
    return a;
  }
  cantik_attribute needed(int i) {
    const cantik_attribute a = numbers_of(x(i));
    if (a.kind == CANTIK_NONE) not_known(i);
    return a;
  }
  [[noreturn]] static void not_known(int i) {
    refuse("its input " + std::to_string(i) + " has to be known when the file is read, and a run computes it",
           "write the model with constants there, or with fixed sizes");
  }
  Term with_lead(Term t, int lead) {
    cantik_value v = -1;
    check(n_->with_lead(n_->self, t.value(), lead, &v));
    return {this, v};
  }
  cantik_onnx_node* n_;
};

// What a definition keeps of its form until the program ends: files are read at any time.
class OnnxForm {
 public:
  // Nothing is stated yet.
  OnnxForm() { c.size = sizeof c; }
  OnnxForm(const OnnxForm&) = delete;
  // For the boundary.
  const cantik_onnx_form* handed_over() {
    c.attributes = attributes.data();
    c.attribute_count = static_cast<int32_t>(attributes.size());
    c.rules = rules.data();
    c.rule_count = static_cast<int32_t>(rules.size());
    return &c;
  }
  cantik_onnx_form c{};                           // as it crosses the boundary
  std::vector<cantik_onnx_attribute> attributes;  // that are written as they are
  std::vector<cantik_onnx_rule> rules;            // that read nodes of files
};

}  // namespace cantik
