// Operators element by element: their loops, the gradients made of them, and short forms of their
// registration.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <cantik/mxnet/kernels.h>
#include <cantik/mxnet/registry.h>
#include <cantik/mxnet/rules.h>

namespace mxnet {

using nnvm::FInferShape;
using nnvm::NodeAttrs;
using FCompute = std::function<void(const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in,
                                    const std::vector<OpReqType>& req, const std::vector<TBlob>& out)>;

namespace op {

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
void UnaryCompute(const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in,
                  const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
  MSHADOW_REAL_TYPE_SWITCH(out[0].type_flag_, DType, {
    const DType* x = in[0].dptr<DType>();
    DType* y = out[0].dptr<DType>();
    detail::write(out[0].Size(), req[0], [=](size_t i, auto set) { set(y[i], F::Map(x[i])); });
  })
}

template <class xpu, class F>
void BinaryCompute(const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in,
                   const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
  MSHADOW_REAL_TYPE_SWITCH(out[0].type_flag_, DType, {
    const DType *a = in[0].dptr<DType>(), *b = in[1].dptr<DType>();
    DType* y = out[0].dptr<DType>();
    detail::write(out[0].Size(), req[0], [=](size_t i, auto set) { set(y[i], F::Map(a[i], b[i])); });
  })
}

// The same under the names of MXNet's classes; the gradients of two operands are functions of both, times
// that of the result.
struct UnaryOp {
  template <class xpu, class F>
  static void Compute(const NodeAttrs& attrs, const OpContext& ctx, const std::vector<TBlob>& in,
                      const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
    UnaryCompute<xpu, F>(attrs, ctx, in, req, out);
  }
  template <class xpu>
  static void IdentityCompute(const NodeAttrs& attrs, const OpContext& ctx, const std::vector<TBlob>& in,
                              const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
    UnaryCompute<xpu, mshadow_op::identity>(attrs, ctx, in, req, out);
  }
};
using ElemwiseUnaryOp = UnaryOp;

struct ElemwiseBinaryOp {
  template <class xpu, class F>
  static void Compute(const NodeAttrs& attrs, const OpContext& ctx, const std::vector<TBlob>& in,
                      const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
    BinaryCompute<xpu, F>(attrs, ctx, in, req, out);
  }
  // in: the gradient of the result, then both operands.
  template <class xpu, class Left, class Right>
  static void BackwardUseIn(const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in,
                            const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
    MSHADOW_REAL_TYPE_SWITCH(out[0].type_flag_, DType, {
      const DType *dy = in[0].dptr<DType>(), *a = in[1].dptr<DType>(), *b = in[2].dptr<DType>();
      DType *da = out[0].dptr<DType>(), *db = out[1].dptr<DType>();
      detail::write(out[0].Size(), req[0],
                    [=](size_t i, auto set) { set(da[i], dy[i] * Left::Map(a[i], b[i])); });
      detail::write(out[1].Size(), req[1],
                    [=](size_t i, auto set) { set(db[i], dy[i] * Right::Map(a[i], b[i])); });
    })
  }
  // in: the gradient of the result alone.
  template <class xpu, class Left, class Right>
  static void BackwardUseNone(const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in,
                              const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
    MSHADOW_REAL_TYPE_SWITCH(out[0].type_flag_, DType, {
      const DType* dy = in[0].dptr<DType>();
      DType *da = out[0].dptr<DType>(), *db = out[1].dptr<DType>();
      detail::write(out[0].Size(), req[0], [=](size_t i, auto set) { set(da[i], Left::Map(dy[i])); });
      detail::write(out[1].Size(), req[1], [=](size_t i, auto set) { set(db[i], Right::Map(dy[i])); });
    })
  }
};

// Of an operand and the number that the operator's parser has made of its keyword:
// nnvm::get<double>(attrs.parsed).
struct BinaryScalarOp {
  template <class xpu, class F>
  static void Compute(const NodeAttrs& attrs, const OpContext&, const std::vector<TBlob>& in,
                      const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
    const double scalar = nnvm::get<double>(attrs.parsed);
    MSHADOW_REAL_TYPE_SWITCH(out[0].type_flag_, DType, {
      const DType* x = in[0].dptr<DType>();
      DType *y = out[0].dptr<DType>(), number = static_cast<DType>(scalar);
      detail::write(out[0].Size(), req[0], [=](size_t i, auto set) { set(y[i], F::Map(x[i], number)); });
    })
  }
};

// ---- gradients: one node of the backward operator over these heads, an entry for each of its outputs
inline nnvm::NodePtr MakeNode(const char* op_name, const std::string& name,
                              std::vector<nnvm::NodeEntry> inputs,
                              const std::unordered_map<std::string, std::string>* dict,
                              const nnvm::NodePtr* forward) {
  nnvm::NodePtr p = nnvm::Node::Create();
  p->attrs.op = nnvm::detail::named(op_name);
  p->attrs.name = name;
  if (dict) p->attrs.dict = *dict;
  p->inputs = std::move(inputs);
  if (forward) p->control_deps = {*forward};
  return p;
}
inline std::vector<nnvm::NodeEntry> MakeGradNode(const char* op_name, const nnvm::NodePtr& n,
                                                 const std::vector<nnvm::NodeEntry>& heads,
                                                 const std::unordered_map<std::string, std::string>& dict) {
  nnvm::NodePtr p = MakeNode(op_name, n->attrs.name + "_backward", heads, &dict, &n);
  std::vector<nnvm::NodeEntry> entries;
  for (uint32_t i = 0; i < n->inputs.size(); ++i) entries.push_back({p, i, 0});
  return entries;
}

struct ElemwiseGradUseIn {
  const char* op_name;
  std::vector<nnvm::NodeEntry> operator()(const nnvm::NodePtr& n,
                                          const std::vector<nnvm::NodeEntry>& ograds) const {
    std::vector<nnvm::NodeEntry> heads = ograds;
    heads.insert(heads.end(), n->inputs.begin(), n->inputs.end());
    return MakeGradNode(op_name, n, heads, n->attrs.dict);
  }
};
struct ElemwiseGradUseOut {
  const char* op_name;
  std::vector<nnvm::NodeEntry> operator()(const nnvm::NodePtr& n,
                                          const std::vector<nnvm::NodeEntry>& ograds) const {
    std::vector<nnvm::NodeEntry> heads = ograds;
    for (uint32_t i = 0; i < ograds.size(); ++i) heads.push_back({n, i, 0});
    return MakeGradNode(op_name, n, heads, n->attrs.dict);
  }
};
struct ElemwiseGradUseInOut {
  const char* op_name;
  std::vector<nnvm::NodeEntry> operator()(const nnvm::NodePtr& n,
                                          const std::vector<nnvm::NodeEntry>& ograds) const {
    std::vector<nnvm::NodeEntry> heads = ograds;
    heads.insert(heads.end(), n->inputs.begin(), n->inputs.end());
    for (uint32_t i = 0; i < ograds.size(); ++i) heads.push_back({n, i, 0});
    return MakeGradNode(op_name, n, heads, n->attrs.dict);
  }
};
struct ElemwiseGradUseNone {
  const char* op_name;
  std::vector<nnvm::NodeEntry> operator()(const nnvm::NodePtr& n,
                                          const std::vector<nnvm::NodeEntry>& ograds) const {
    return MakeGradNode(op_name, n, ograds, n->attrs.dict);
  }
};

// Gradients that are 0, whatever comes from above: rules for FGradient.
inline std::vector<nnvm::NodeEntry> MakeZeroGradNodes(const nnvm::NodePtr& n,
                                                      const std::vector<nnvm::NodeEntry>&) {
  std::vector<nnvm::NodeEntry> entries;
  for (const nnvm::NodeEntry& x : n->inputs)
    entries.push_back({MakeNode("zeros_like", n->attrs.name + "_backward", {x}, nullptr, &n), 0, 0});
  return entries;
}

// A parser for operators whose arguments are a struct of parameters.
template <class PType>
void ParamParser(NodeAttrs* attrs) {
  PType param;
  param.Init(attrs->dict);
  attrs->parsed = std::move(param);
}

}  // namespace op
}  // namespace mxnet

// ---- registrations of common kinds; more is said behind them: .set_attr<FCompute>(...),
// .set_attr<nnvm::FGradient>(...), .describe(...)
#define ADD_FILELINE "\n\nDefined in " __FILE__ ":L" CANTIK_TEXT_OF(__LINE__)
#define CANTIK_REGISTER_ELEMWISE(name, n_in)                                           \
  NNVM_REGISTER_OP(name)                                                               \
      .set_num_inputs(n_in)                                                            \
      .set_num_outputs(1)                                                              \
      .set_attr<nnvm::FInferShape>("FInferShape", ::mxnet::op::ElemwiseShape<n_in, 1>) \
      .set_attr<nnvm::FInferType>("FInferType", ::mxnet::op::ElemwiseType<n_in, 1>)    \
      .set_attr<nnvm::FInplaceOption>("FInplaceOption", [](const ::nnvm::NodeAttrs&) { \
        return std::vector<std::pair<int, int>>{{0, 0}};                               \
      })
#define MXNET_OPERATOR_REGISTER_UNARY(name) \
  CANTIK_REGISTER_ELEMWISE(name, 1).add_argument("data", "NDArray-or-Symbol", "The input array.")
#define MXNET_OPERATOR_REGISTER_BINARY(name)                   \
  CANTIK_REGISTER_ELEMWISE(name, 2)                            \
      .add_argument("lhs", "NDArray-or-Symbol", "first input") \
      .add_argument("rhs", "NDArray-or-Symbol", "second input")
#define MXNET_OPERATOR_REGISTER_BINARY_SCALAR(name)                                                      \
  CANTIK_REGISTER_ELEMWISE(name, 1)                                                                      \
      .set_attr_parser([](::nnvm::NodeAttrs* attrs) {                                                    \
        auto given = attrs->dict.find("scalar");                                                         \
        if (given == attrs->dict.end())                                                                  \
          throw ::cantik::value_failure("Required parameter scalar of float is not presented");          \
        double value = 0;                                                                                \
        if (!::dmlc::parameter::read(given->second, value))                                              \
          throw ::cantik::value_failure("Invalid Parameter format for scalar expect float but value='" + \
                                        given->second + "'");                                            \
        attrs->parsed = value;                                                                           \
      })                                                                                                 \
      .add_argument("data", "NDArray-or-Symbol", "source input")                                         \
      .add_argument("scalar", "float", "scalar input")
