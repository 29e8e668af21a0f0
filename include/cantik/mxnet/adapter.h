// What NNVM's registrations say, in Cantik's words: each operator's rules and its kernel over plugin.h.
//
// An operator of MXNet's sees whole arrays. Of a value with a batch axis that is the first axis of the array,
// which its rules see as one that is not known yet.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <cantik/mxnet/elemwise.h>
#include <cantik/mxnet/texts.h>
#include <cantik/op/builder.h>
#include <cantik/op/kernel.h>

namespace nnvm::detail {

using cantik::Failure, cantik::Shape, cantik::TypeView;

inline constexpr const char* kMore = "more";  // the field for keywords that were not declared
// for backward operators: the types of what the forward operator read
inline constexpr const char* kLike = "__like__";
inline constexpr const char* kTrain = "__train__";  // 1 or 0: the mode that MXNet's programs run in

// Declared keywords, in order; the others of `arguments` are operands.
inline std::vector<const dmlc::ParamFieldInfo*> keywords(const Op& op) {
  std::vector<const dmlc::ParamFieldInfo*> list;
  for (const auto& a : op.arguments)
    if (!a.type.starts_with("NDArray") && !a.type.starts_with("Symbol")) list.push_back(&a);
  return list;
}

template <class F>
auto telling(const NodeAttrs& attrs, F&& f) {  // errors say which operator, as it was called
  try {
    return f();
  } catch (const Failure& e) {
    std::string text = ", in operator " + attrs.op->name + "(name=\"" + attrs.name + "\"";
    std::map<std::string, std::string> ordered(attrs.dict.begin(), attrs.dict.end());
    for (const auto& [key, value] : ordered) text += ", " + key + "=\"" + value + "\"";
    throw Failure(e.kind, e.what() + text + ")", e.remedy);
  }
}

// Keywords that Cantik adds, which the operator does not see.
struct Added {
  std::string like;
  std::optional<bool> train;
};

inline std::string taken(Texts& dict, const char* key) {
  auto found = dict.find(key);
  if (found == dict.end()) return "";
  std::string text = std::move(found->second);
  dict.erase(found);
  return text;
}

inline NodeAttrs read(const Op& op, const cantik_attribute* values, Added* added = nullptr) {
  NodeAttrs attrs;
  attrs.op = &op;
  for (const auto* k : keywords(op)) {
    const cantik_attribute& v = *values++;
    if (v.kind == CANTIK_TEXT && *v.as.text) attrs.dict[k->name] = v.as.text;
  }
  if (values->kind == CANTIK_TEXT) split(values->as.text, attrs.dict);
  const std::string like = taken(attrs.dict, kLike), train = taken(attrs.dict, kTrain);
  if (added) *added = {like, train.empty() ? std::nullopt : std::optional(train == "1")};
  if (op.attr_parser) telling(attrs, [&] { op.attr_parser(&attrs); });
  return attrs;
}

inline uint32_t inputs_of(const Op& op, const NodeAttrs& attrs) {
  return op.get_num_inputs ? op.get_num_inputs(attrs) : op.num_inputs;
}
inline uint32_t outputs_of(const Op& op, const NodeAttrs& attrs) {
  return op.get_num_outputs ? op.get_num_outputs(attrs) : op.num_outputs;
}

template <class V>
const V* attribute(const Op& op, const char* key) {
  return OpMap<V>(key).find(&op);
}

// ---- types
inline int flag_of(cantik::DType t) {
  switch (t) {
    case cantik::DType::float32: return mshadow::kFloat32;
    case cantik::DType::float64: return mshadow::kFloat64;
    case cantik::DType::float16: return mshadow::kFloat16;
    case cantik::DType::int8: return mshadow::kInt8;
    case cantik::DType::int32: return mshadow::kInt32;
    default: return -1;
  }
}
inline cantik::DType dtype_of(int flag) {
  for (cantik::DType t : {cantik::DType::float32, cantik::DType::float64, cantik::DType::float16,
                          cantik::DType::int8, cantik::DType::int32})
    if (flag_of(t) == flag) return t;
  return cantik::DType::unknown;
}

inline TShape array_shape(const TypeView& t) {
  if (!t.shape.is_known()) return {};
  std::vector<int64_t> dims;
  if (t.has_batch()) dims.push_back(0);
  for (int64_t d : t.shape) dims.push_back(d < 0 ? 0 : d);
  if (dims.empty()) dims.push_back(1);
  return TShape(dims.begin(), dims.end());
}

// "b 2 3;- 4;": shapes, a b before those with a batch axis.
inline std::string written(const std::vector<TypeView>& types) {
  std::string s;
  for (const TypeView& t : types) {
    s += t.has_batch() ? "b" : "-";
    for (int64_t d : t.shape) s += " " + std::to_string(d);
    s += ";";
  }
  return s;
}
inline std::vector<TypeView> types_written(const std::string& text) {
  std::vector<TypeView> types;
  std::istringstream all(text);
  for (std::string one; std::getline(all, one, ';');) {
    TypeView& t = types.emplace_back();
    t.axes = one[0] == 'b' ? CANTIK_BATCH : CANTIK_NO_AXES;
    std::istringstream dims(one.substr(1));
    for (int64_t d; dims >> d;) t.shape.push_back(d);
  }
  return types;
}

inline void infer(const Op& op, cantik::Infer& in, const cantik_attribute* values) {
  Added added;
  NodeAttrs attrs = read(op, values, &added);
  uint32_t n_in = inputs_of(op, attrs), n_out = outputs_of(op, attrs);
  if (static_cast<uint32_t>(in.inputs()) != n_in)
    throw cantik::value_failure(op.name + " takes " + std::to_string(n_in) + " inputs, got " +
                                std::to_string(in.inputs()));
  bool batch = false, free = false, open = false;
  std::vector<TypeView> types;
  std::vector<TShape> shapes, results(n_out);
  std::vector<int> flags, result_flags(n_out, -1);
  for (uint32_t i = 0; i < n_in; ++i) {
    const TypeView& t = types.emplace_back(in.in(static_cast<int>(i)));
    if (t.has_sequence())
      throw Failure(CANTIK_UNSUPPORTED, op.name + " is an operator of MXNet's, which has no sequences",
                    "give it arrays: unpack the sequences first");
    batch |= t.has_batch(), open |= t.axes == CANTIK_AXES_UNKNOWN;
    for (int64_t d : t.shape) free |= d == cantik::kFree;
    shapes.push_back(array_shape(t)), flags.push_back(flag_of(t.dtype));
  }
  if (open) return;  // known once the operands are
  std::vector<TypeView> forward = types_written(added.like);
  if (const auto* rule = attribute<FInferShape>(op, "FInferShape"))
    telling(attrs, [&] { (*rule)(attrs, &shapes, &results); });
  else if (attribute<TIsBackward>(op, "TIsBackward"))
    for (uint32_t j = 0; j < n_out && j < forward.size(); ++j) results[j] = array_shape(forward[j]);
  else
    throw Failure(CANTIK_UNSUPPORTED,
                  "the operator " + op.name + " has no shapes: it registers no FInferShape");
  if (const auto* rule = attribute<FInferType>(op, "FInferType"))
    telling(attrs, [&] { (*rule)(attrs, &flags, &result_flags); });
  else
    result_flags.assign(n_out, flags.empty() ? mshadow::kFloat32 : flags[0]);
  for (uint32_t i = 0; i < n_in; ++i)
    if (!types[i].shape.is_static() && mxnet::shape_is_known(shapes[i]))
      in.refine(static_cast<int>(i),
                shapes[i].shape().sub(types[i].has_batch(), static_cast<int>(shapes[i].ndim())));
  for (uint32_t j = 0; j < n_out; ++j) {
    TypeView y;
    y.dtype = dtype_of(result_flags[j]);
    const TShape& s = results[j];
    bool rows = s.ndim() != 0 && batch && s[0] == 0;
    y.axes = rows ? CANTIK_BATCH : CANTIK_NO_AXES;
    y.shape = s.ndim() == 0 ? Shape::unknown() : s.shape().sub(rows, static_cast<int>(s.ndim()));
    for (int64_t& d : y.shape)
      if (d == 0) d = free ? cantik::kFree : cantik::kInferred;
    in.set(static_cast<int>(j), y);
  }
}

// ---- the kernel
class Compute final : public cantik::Kernel {
 public:
  Compute(const Op& op, const cantik::Prepare& p, const cantik_attribute* values)
      : attrs_(read(op, values, &added_)) {
    compute_ = attribute<mxnet::FCompute>(op, "FCompute<cpu>");
    if (!compute_)
      throw Failure(CANTIK_UNSUPPORTED, "the operator " + op.name + " registers no FCompute<cpu>");
    for (int i = 0; i < p.inputs(); ++i) in_.push_back(p.in(i));
    for (int i = 0; i < p.outputs(); ++i) out_.push_back(p.out(i));
    for (const TypeView& t : in_) check(t);
    for (const TypeView& t : out_) check(t);
    if (const auto* asked = attribute<FResourceRequest>(op, "FResourceRequest"))
      for (const mxnet::ResourceRequest& request : (*asked)(attrs_)) {
        if (request.type != mxnet::ResourceRequest::kTempSpace)
          throw Failure(CANTIK_UNSUPPORTED, "the operator " + op.name + " asks for random numbers",
                        "temporary memory is there");
        ++spaces_;
      }
  }
  int64_t units(int64_t) const override { return 1; }  // all rows at once
  void run(const cantik::Run& r) const override {
    if (r.begin() == r.end()) return;
    std::vector<mxnet::TBlob> in, out;
    for (size_t i = 0; i < in_.size(); ++i) in.push_back(blob(in_[i], r.in(static_cast<int>(i))));
    for (size_t i = 0; i < out_.size(); ++i) out.push_back(blob(out_[i], r.out(static_cast<int>(i))));
    std::vector<mxnet::OpReqType> req;
    for (const mxnet::TBlob& o : out) {
      bool in_place = false;
      for (const mxnet::TBlob& x : in) in_place |= x.dptr_ == o.dptr_;
      req.push_back(r.accumulate() ? mxnet::kAddTo : in_place ? mxnet::kWriteInplace : mxnet::kWriteTo);
    }
    const mxnet::OpContext context{added_.train.value_or(r.training()),
                                   std::vector<mxnet::Resource>(spaces_)};
    telling(attrs_, [&] { (*compute_)(attrs_, context, in, req, out); });
  }

 private:
  static void check(const TypeView& t) {
    if (t.dtype != cantik::DType::float32 && t.dtype != cantik::DType::float64)
      throw cantik::declined("numbers of the type " + std::string(name_of(t.dtype)));
  }
  static mxnet::TBlob blob(const TypeView& t, const cantik_operand& o) {
    TShape shape = array_shape(t);
    if (t.has_batch()) shape[0] = o.rows;
    return {o.data, std::move(shape), flag_of(t.dtype)};
  }
  Added added_;
  NodeAttrs attrs_;
  const mxnet::FCompute* compute_;
  size_t spaces_ = 0;  // of temporary memory
  std::vector<TypeView> in_, out_;
};

inline cantik_status prepare(void* user, cantik_prepare* c) {
  return cantik::guarded(
      [&] {
        cantik::detail::hand_over(
            std::make_unique<Compute>(*static_cast<const Op*>(user), cantik::Prepare(c), c->attributes), c);
      },
      [&](int32_t kind, const char* text, const char*) { c->fail(c->self, kind, text); });
}

// ---- the gradient: NNVM's graph, made with Cantik's operators
class Terms {
 public:
  Terms(cantik::Gradient& g, const Node* forward) : g_(g), forward_(forward) {}

  cantik::Term of(const NodeEntry& e) {
    if (e.node.get() == forward_) return g_.y(static_cast<int>(e.index));
    if (e.node->is_variable()) return {&g_, e.node->value};
    auto found = made_.find(e.node.get());
    if (found == made_.end()) found = made_.emplace(e.node.get(), made_by(*e.node)).first;
    if (e.index >= found->second.size())
      throw Failure(CANTIK_RUNTIME, "the gradient of " + forward_->attrs.op->name + " reads output " +
                                        std::to_string(e.index) + " of " + e.node->op()->name);
    return found->second[e.index];
  }

 private:
  std::vector<cantik::Term> made_by(const Node& n) {
    std::vector<cantik::Term> in;
    for (const NodeEntry& e : n.inputs) in.push_back(of(e));
    const Op& op = *n.op();
    if (!is_known(op.name)) return g_.call_all(ours(op.name), in, {}, 1);
    Texts dict = n.attrs.dict;
    if (attribute<TIsBackward>(op, "TIsBackward")) {
      std::vector<TypeView> types;
      for (int i = 0; i < g_.inputs(); ++i) {
        types.push_back(g_.x(i).type());
        types.back().shape = g_.x(i).shape();  // waits until it is known
      }
      dict[kLike] = written(types);
    }
    NodeAttrs attrs = n.attrs;
    if (op.attr_parser) op.attr_parser(&attrs);
    std::string more = joined(dict);
    return g_.call_all(cantik_name(op.name).c_str(), in, {{kMore, more.c_str()}},
                       static_cast<int>(outputs_of(op, attrs)));
  }
  // Operators that MXNet has under another name.
  static const char* ours(const std::string& name) {
    static const std::map<std::string, const char*> kNames{{"elemwise_add", "plus"},
                                                           {"_plus", "plus"},
                                                           {"elemwise_sub", "minus"},
                                                           {"_minus", "minus"},
                                                           {"elemwise_mul", "element_times"},
                                                           {"_mul", "element_times"},
                                                           {"elemwise_div", "element_divide"},
                                                           {"_div", "element_divide"},
                                                           {"negative", "negate"}};
    auto found = kNames.find(name);
    return found == kNames.end() ? name.c_str() : found->second;
  }
  cantik::Gradient& g_;
  const Node* forward_;
  std::map<const Node*, std::vector<cantik::Term>> made_;
};

struct GradientOf : cantik::Gradient {
  using Gradient::Gradient;
  int outputs() const { return c_->outputs; }
};

inline void gradient(const Op& op, GradientOf& g, const cantik_attribute* values) {
  const auto* rule = attribute<FGradient>(op, "FGradient");
  if (!rule)
    throw Failure(CANTIK_UNSUPPORTED,
                  "the operator " + op.name + " has no gradient: it registers no FGradient");
  auto variable = [](cantik::Term t) {
    NodePtr n = Node::Create();
    n->value = t.value();
    return NodeEntry{n, 0, 0};
  };
  NodePtr n = Node::Create();
  n->attrs = read(op, values);
  for (int i = 0; i < g.inputs(); ++i) n->inputs.push_back(variable(g.x(i)));
  std::vector<NodeEntry> ograds;
  for (int j = 0; j < g.outputs(); ++j)
    ograds.push_back(variable(g.dy(j) ? g.dy(j) : g.call("zeros_like", {g.y(j)})));
  std::vector<NodeEntry> entries = (*rule)(n, ograds);
  Terms terms(g, n.get());
  for (int i = 0; i < g.inputs() && i < static_cast<int>(entries.size()); ++i)
    if (g.wanted(i)) g.dx(i, terms.of(entries[static_cast<size_t>(i)]));
}

}  // namespace nnvm::detail
