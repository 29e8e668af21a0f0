// Operators registered as NNVM registers them, for `mx.library.load` or `cantik.load_operators`.
//
//   #include <cantik/mxnet/op.h>
//   NNVM_REGISTER_OP(abs)
//   .set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<1, 1>)
//   .set_attr<nnvm::FInferType>("FInferType", ElemwiseType<1, 1>)
//   .set_attr<FCompute>("FCompute<cpu>", UnaryCompute<cpu, mshadow_op::abs>)
//   .add_argument("data", "NDArray", "Source input");
//
// An adapter over plugin.h, for CPU: a file that includes this needs no other line to be a library of
// operators. To Cantik the operator above is `mxnet.abs`.
#pragma once

#include <cantik/mxnet/collect.h>

// The library says for itself what it is, whichever of its files includes this.
extern "C" {
__attribute__((visibility("default"), used)) inline const char cantik_collected_library_abi[] =
    CANTIK_ABI_TEXT(CANTIK_ABI_VERSION, CANTIK_ABI_REVISION);
__attribute__((visibility("default"), used)) inline cantik_status cantik_collected_library(
    const cantik_host* host) {
  return nnvm::detail::collected(host);
}
}

// The words that operators' files use without saying whose they are.
using dmlc::ParamFieldInfo;
using mxnet::cpu;
using mxnet::FCompute;
using mxnet::kAddTo;
using mxnet::kNullOp;
using mxnet::kWriteInplace;
using mxnet::kWriteTo;
using mxnet::OpContext;
using mxnet::OpReqType;
using mxnet::ResourceRequest;
using mxnet::TBlob;
using mxnet::op::BinaryCompute;
using mxnet::op::BinaryScalarOp;
using mxnet::op::ElemwiseBinaryOp;
using mxnet::op::ElemwiseGradUseIn;
using mxnet::op::ElemwiseGradUseInOut;
using mxnet::op::ElemwiseGradUseNone;
using mxnet::op::ElemwiseGradUseOut;
using mxnet::op::ElemwiseShape;
using mxnet::op::ElemwiseType;
using mxnet::op::ElemwiseUnaryOp;
using mxnet::op::MakeGradNode;
using mxnet::op::MakeNode;
using mxnet::op::MakeZeroGradNodes;
using mxnet::op::ParamParser;
using mxnet::op::unary_bwd;
using mxnet::op::UnaryCompute;
using mxnet::op::UnaryOp;
using nnvm::NodeAttrs;
using nnvm::TShape;
namespace activation = mxnet::op::activation;
namespace mshadow_op = mxnet::op::mshadow_op;
namespace mxnet_op = mxnet::op::mxnet_op;
