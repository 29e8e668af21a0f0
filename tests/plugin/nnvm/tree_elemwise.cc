// Operators by the short forms of MXNet's tree: of one operand with functions of its own, of two, of one and
// a number, and one whose kernel broadcasts by strides.
#include <cantik/mxnet/op.h>

namespace mxnet {
namespace op {
namespace mshadow_op {

MXNET_UNARY_MATH_OP(bump, 1 / (1 + a * a));
MXNET_UNARY_MATH_OP(bump_grad, -2 * a / ((1 + a * a) * (1 + a * a)));
MXNET_BINARY_MATH_OP(squared_difference, (a - b) * (a - b));
MXNET_BINARY_MATH_OP(squared_difference_left, 2 * (a - b));
MXNET_BINARY_MATH_OP(squared_difference_right, 2 * (b - a));

}  // namespace mshadow_op

MXNET_OPERATOR_REGISTER_UNARY(_tree_bump)
    .describe("1 / (1 + x^2)" ADD_FILELINE)
    .set_attr<FCompute>("FCompute<cpu>", UnaryOp::Compute<cpu, mshadow_op::bump>)
    .set_attr<nnvm::FGradient>("FGradient", ElemwiseGradUseIn{"_backward_tree_bump"});

MXNET_OPERATOR_REGISTER_BINARY(_backward_tree_bump)
    .set_attr<FCompute>("FCompute<cpu>", ElemwiseBinaryOp::Compute<cpu, unary_bwd<mshadow_op::bump_grad>>);

MXNET_OPERATOR_REGISTER_BINARY(_tree_squared_difference)
    .describe("(a - b)^2" ADD_FILELINE)
    .set_attr<FCompute>("FCompute<cpu>", ElemwiseBinaryOp::Compute<cpu, mshadow_op::squared_difference>)
    .set_attr<nnvm::FGradient>("FGradient", ElemwiseGradUseIn{"_backward_tree_squared_difference"});

NNVM_REGISTER_OP(_backward_tree_squared_difference)
    .set_num_inputs(3)
    .set_num_outputs(2)
    .set_attr<nnvm::TIsBackward>("TIsBackward", true)
    .set_attr<FCompute>("FCompute<cpu>",
                        ElemwiseBinaryOp::BackwardUseIn<cpu, mshadow_op::squared_difference_left,
                                                        mshadow_op::squared_difference_right>);

MXNET_OPERATOR_REGISTER_BINARY_SCALAR(_tree_power_scalar)
    .describe("x^scalar" ADD_FILELINE)
    .set_attr<FCompute>("FCompute<cpu>", BinaryScalarOp::Compute<cpu, mshadow_op::power>)
    .set_attr<nnvm::FGradient>("FGradient", MakeZeroGradNodes);

MXNET_OPERATOR_REGISTER_UNARY(_tree_mode)
    .describe("1 in training, 0 in prediction" ADD_FILELINE)
    .set_attr<FCompute>("FCompute<cpu>",
                        [](const nnvm::NodeAttrs& attrs, const OpContext& ctx,
                           const std::vector<TBlob>& inputs, const std::vector<OpReqType>& req,
                           const std::vector<TBlob>& outputs) {
                          MSHADOW_TYPE_SWITCH(outputs[0].type_flag_, DType, {
                            for (size_t i = 0; i < outputs[0].Size(); ++i)
                              KERNEL_ASSIGN(outputs[0].dptr<DType>()[i], req[0], DType(ctx.is_train));
                          });
                        })
    .set_attr<nnvm::FGradient>("FGradient", MakeZeroGradNodes);

// out[i] = a at i, broadcast, plus b at i: as many axes as there are.
template <int ndim, int req>
struct broadcast_sum {
  template <typename DType>
  static void Map(mshadow::index_t i, DType* out, const DType* a, const DType* b,
                  const mshadow::Shape<ndim> shape, const mshadow::Shape<ndim> a_stride,
                  const mshadow::Shape<ndim> b_stride) {
    mshadow::Shape<ndim> at = mxnet_op::unravel(i, shape);
    KERNEL_ASSIGN(out[i], req,
                  mshadow_op::plus::Map(a[mxnet_op::dot(at, a_stride)], b[mxnet_op::dot(at, b_stride)]));
  }
};

inline bool SumShape(const nnvm::NodeAttrs& attrs, mxnet::ShapeVector* in_attrs,
                     mxnet::ShapeVector* out_attrs) {
  const mxnet::TShape &a = in_attrs->at(0), &b = in_attrs->at(1);
  if (!shape_is_known(a) || !shape_is_known(b)) return false;
  CHECK_EQ(a.ndim(), b.ndim());
  mxnet::TShape all(a.ndim(), 1);
  for (uint32_t i = 0; i < a.ndim(); ++i) {
    CHECK(a[i] == b[i] || a[i] == 1 || b[i] == 1) << "axis " << i << " has " << a[i] << " and " << b[i];
    all[i] = std::max(a[i], b[i]);
  }
  SHAPE_ASSIGN_CHECK(*out_attrs, 0, all);
  return true;
}

NNVM_REGISTER_OP(_tree_broadcast_sum)
    .describe("a + b, axes of size 1 spread" ADD_FILELINE)
    .set_num_inputs(2)
    .set_num_outputs(1)
    .set_attr<mxnet::FInferShape>("FInferShape", SumShape)
    .set_attr<nnvm::FInferType>("FInferType", ElemwiseType<2, 1>)
    .set_attr<FCompute>("FCompute<cpu>",
                        [](const NodeAttrs& attrs, const OpContext& ctx, const std::vector<TBlob>& inputs,
                           const std::vector<OpReqType>& req, const std::vector<TBlob>& outputs) {
                          MXNET_NDIM_SWITCH(outputs[0].ndim(), NDim, {
                            mshadow::Shape<NDim> shape = outputs[0].shape_.get<NDim>();
                            MSHADOW_TYPE_SWITCH(outputs[0].type_flag_, DType, {
                              MXNET_ASSIGN_REQ_SWITCH(req[0], req_type, {
                                mxnet_op::Kernel<broadcast_sum<NDim, req_type>, cpu>::Launch(
                                    ctx.get_stream<cpu>(), outputs[0].Size(), outputs[0].dptr<DType>(),
                                    inputs[0].dptr<DType>(), inputs[1].dptr<DType>(), shape,
                                    mxnet_op::calc_stride(inputs[0].shape_.get<NDim>()),
                                    mxnet_op::calc_stride(inputs[1].shape_.get<NDim>()));
                              });
                            });
                          });
                        })
    .add_argument("a", "NDArray-or-Symbol", "one")
    .add_argument("b", "NDArray-or-Symbol", "the other");

}  // namespace op
}  // namespace mxnet
