// x * x, whose gradient reads x: an operator of ready-made parts.
#include <cantik/mxnet/op.h>

template <int operands>
static std::vector<std::pair<int, int>> in_place(const NodeAttrs&) {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < operands; ++i) pairs.emplace_back(i, 0);
  return pairs;
}

NNVM_REGISTER_OP(squared)
    .MXNET_DESCRIBE("Each number times itself")
    .add_argument("x", "NDArray", "the numbers")
    .set_attr<nnvm::FInferType>("FInferType", ElemwiseType<1, 1>)
    .set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<1, 1>)
    .set_attr<nnvm::FGradient>("FGradient", ElemwiseGradUseIn{"_slope_of_squared"})
    .set_attr<FCompute>("FCompute<cpu>", UnaryCompute<cpu, mshadow_op::square>)
    .set_attr<nnvm::FInplaceOption>("FInplaceOption", in_place<1>)
    .set_num_inputs(1);

NNVM_REGISTER_OP(_slope_of_squared)
    .set_num_inputs(2)
    .set_attr<nnvm::FInferType>("FInferType", ElemwiseType<2, 1>)
    .set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<2, 1>)
    .set_attr<FCompute>("FCompute<cpu>", BinaryCompute<cpu, unary_bwd<mshadow_op::square_grad>>)
    .set_attr<nnvm::FInplaceOption>("FInplaceOption", in_place<2>);
