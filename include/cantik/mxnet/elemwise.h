// Operators element by element: their shapes and types, their loops, and the gradients made of them.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <cantik/mxnet/registry.h>

namespace mxnet {

using nnvm::NodeAttrs;
using mshadow::cpu;
using FCompute = std::function<void(const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in, const std::vector<OpReqType>& req, const std::vector<TBlob>& out)>;

namespace op {

// ---- shapes and types: all the same
namespace detail {
inline bool assign(TShape& to, const TShape& from) {
  if (from.ndim() == 0) return true;
  if (to.ndim() == 0) { to = from; return true; }
  if (to.ndim() != from.ndim()) return false;
  for (uint32_t i = 0; i < to.ndim(); ++i) {
    if (to[i] == 0) to[i] = from[i];
    else if (from[i] != 0 && from[i] != to[i]) return false;
  }
  return true;
}
inline bool is_known(const TShape& s) {
  for (int64_t d : s)
    if (d == 0) return false;
  return s.ndim() != 0;
}
}  // namespace detail

template <int n_in, int n_out>
bool ElemwiseShape(const NodeAttrs&, std::vector<TShape>* in, std::vector<TShape>* out) {
  TShape all;
  auto both = [&](std::vector<TShape>& list, const char* what) {
    for (size_t i = 0; i < list.size(); ++i)
      if (!detail::assign(all, list[i]))
        throw cantik::shape_failure(std::string("Incompatible attr in node at ") + std::to_string(i) + "-th " + what + ": expected " + all.text() + ", got " + list[i].text());
  };
  both(*in, "input"), both(*out, "output");
  for (TShape& s : *in) s = all;
  for (TShape& s : *out) s = all;
  return detail::is_known(all);
}

template <int n_in, int n_out>
bool ElemwiseType(const NodeAttrs&, std::vector<int>* in, std::vector<int>* out) {
  int all = -1;
  auto both = [&](std::vector<int>& list) {
    for (int t : list) {
      if (all == -1) all = t;
      if (t != -1 && t != all) throw cantik::Failure(CANTIK_TYPE, "the operands have different element types", "cast one of them");
    }
  };
  both(*in), both(*out);
  for (int& t : *in) t = all;
  for (int& t : *out) t = all;
  return all != -1;
}

// ---- functions of one or two numbers
namespace mshadow_op {
#define CANTIK_UNARY(name, ...)  \
  struct name {                  \
    template <class DType>       \
    static DType Map(DType a) {  \
      return static_cast<DType>(__VA_ARGS__); \
    }                            \
  };
CANTIK_UNARY(identity, a)
CANTIK_UNARY(identity_grad, a * 0 + 1)
CANTIK_UNARY(negation, -a)
CANTIK_UNARY(abs, std::fabs(a))
CANTIK_UNARY(sign, (a > 0) - (a < 0))
CANTIK_UNARY(exp, std::exp(a))
CANTIK_UNARY(log, std::log(a))
CANTIK_UNARY(sqrt, std::sqrt(a))
CANTIK_UNARY(square, a * a)
CANTIK_UNARY(square_grad, 2 * a)
CANTIK_UNARY(reciprocal, 1 / a)
CANTIK_UNARY(sin, std::sin(a))
CANTIK_UNARY(cos, std::cos(a))
CANTIK_UNARY(relu, a > 0 ? a : DType(0))
CANTIK_UNARY(relu_grad, a > 0)
CANTIK_UNARY(sigmoid, 1 / (1 + std::exp(-a)))
CANTIK_UNARY(sigmoid_grad, a * (1 - a))  // of the result
CANTIK_UNARY(tanh, std::tanh(a))
CANTIK_UNARY(tanh_grad, 1 - a * a)       // of the result
CANTIK_UNARY(softrelu, a > 20 ? a : std::log1p(std::exp(a)))
CANTIK_UNARY(softrelu_grad, 1 - std::exp(-a))  // of the result
#undef CANTIK_UNARY
#define CANTIK_BINARY(name, ...)          \
  struct name {                           \
    template <class DType>                \
    static DType Map(DType a, DType b) {  \
      return static_cast<DType>(__VA_ARGS__); \
    }                                     \
  };
CANTIK_BINARY(plus, a + b)
CANTIK_BINARY(minus, a - b)
CANTIK_BINARY(mul, a * b)
CANTIK_BINARY(div, a / b)
#undef CANTIK_BINARY
}  // namespace mshadow_op

// The gradient of the result times a derivative: of what the forward operator read or made.
template <class Derivative>
struct unary_bwd {
  template <class DType>
  static DType Map(DType dy, DType x) {
    return dy * Derivative::Map(x);
  }
};

namespace activation {
enum ActivationOpInputs { kData };
enum ActivationOpOutputs { kOut };
enum ActivationOpType { kReLU, kSigmoid, kTanh, kSoftReLU };
}  // namespace activation

// ---- loops
namespace detail {
template <class Element>
void write(size_t n, OpReqType req, Element element) {
  if (req == kAddTo)
    for (size_t i = 0; i < n; ++i) element(i, [](auto& to, auto v) { to += v; });
  else if (req != kNullOp)
    for (size_t i = 0; i < n; ++i) element(i, [](auto& to, auto v) { to = v; });
}
}  // namespace detail

template <class xpu, class F>
void UnaryCompute(const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in, const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
  MSHADOW_REAL_TYPE_SWITCH(out[0].type_flag_, DType, {
    const DType* x = in[0].dptr<DType>();
    DType* y = out[0].dptr<DType>();
    detail::write(out[0].Size(), req[0], [=](size_t i, auto set) { set(y[i], F::Map(x[i])); });
  })
}

template <class xpu, class F>
void BinaryCompute(const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in, const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
  MSHADOW_REAL_TYPE_SWITCH(out[0].type_flag_, DType, {
    const DType *a = in[0].dptr<DType>(), *b = in[1].dptr<DType>();
    DType* y = out[0].dptr<DType>();
    detail::write(out[0].Size(), req[0], [=](size_t i, auto set) { set(y[i], F::Map(a[i], b[i])); });
  })
}

// ---- gradients: one node of the backward operator over these heads, an entry for each of its outputs
inline std::vector<nnvm::NodeEntry> MakeGradNode(const char* op_name, const nnvm::NodePtr& n, const std::vector<nnvm::NodeEntry>& heads,
                                                 const std::unordered_map<std::string, std::string>& dict) {
  nnvm::NodePtr p = nnvm::Node::Create();
  p->attrs.op = nnvm::detail::named(op_name);
  p->attrs.name = n->attrs.name + "_backward";
  p->attrs.dict = dict;
  p->inputs = heads;
  p->control_deps = {n};
  std::vector<nnvm::NodeEntry> entries;
  for (uint32_t i = 0; i < n->inputs.size(); ++i) entries.push_back({p, i, 0});
  return entries;
}

struct ElemwiseGradUseIn {
  const char* op_name;
  std::vector<nnvm::NodeEntry> operator()(const nnvm::NodePtr& n, const std::vector<nnvm::NodeEntry>& ograds) const {
    std::vector<nnvm::NodeEntry> heads = ograds;
    heads.insert(heads.end(), n->inputs.begin(), n->inputs.end());
    return MakeGradNode(op_name, n, heads, n->attrs.dict);
  }
};
struct ElemwiseGradUseOut {
  const char* op_name;
  std::vector<nnvm::NodeEntry> operator()(const nnvm::NodePtr& n, const std::vector<nnvm::NodeEntry>& ograds) const {
    std::vector<nnvm::NodeEntry> heads = ograds;
    for (uint32_t i = 0; i < ograds.size(); ++i) heads.push_back({n, i, 0});
    return MakeGradNode(op_name, n, heads, n->attrs.dict);
  }
};
struct ElemwiseGradUseNone {
  const char* op_name;
  std::vector<nnvm::NodeEntry> operator()(const nnvm::NodePtr& n, const std::vector<nnvm::NodeEntry>& ograds) const {
    return MakeGradNode(op_name, n, ograds, n->attrs.dict);
  }
};

// A parser for operators whose arguments are a struct of parameters.
template <class PType>
void ParamParser(NodeAttrs* attrs) {
  PType param;
  param.Init(attrs->dict);
  attrs->parsed = std::move(param);
}

}  // namespace op
}  // namespace mxnet
