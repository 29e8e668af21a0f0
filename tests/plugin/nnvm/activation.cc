#include <cantik/mxnet/op.h>

struct ActivationParam : public dmlc::Parameter<ActivationParam> {
// use int for enumeration
int act_type;
DMLC_DECLARE_PARAMETER(ActivationParam) {
DMLC_DECLARE_FIELD(act_type)
.add_enum("relu", activation::kReLU)
.add_enum("sigmoid", activation::kSigmoid)
.add_enum("tanh", activation::kTanh)
.add_enum("softrelu", activation::kSoftReLU)
.describe("Activation function to be applied.");
}
};
NNVM_REGISTER_OP(Activation)
.set_attr_parser(ParamParser<ActivationParam>);
// access with:
// const ActivationParam& param = nnvm::get<ActivationParam>(attrs.parsed);

// The rest of the operator, of which the document shows the above.
NNVM_REGISTER_OP(Activation)
.describe("Applies a function to each element.")
.add_argument("data", "NDArray", "what it is applied to")
.add_arguments(ActivationParam::__FIELDS__())
.set_attr<nnvm::FListInputNames>("FListInputNames", [](const NodeAttrs&) { return std::vector<std::string>{"data"}; })
.set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<1, 1>)
.set_attr<nnvm::FInferType>("FInferType", ElemwiseType<1, 1>)
.set_attr<FCompute>("FCompute<cpu>",
[](const NodeAttrs& attrs, const OpContext& ctx, const std::vector<TBlob>& inputs, const std::vector<OpReqType>& req, const std::vector<TBlob>& outputs) {
const ActivationParam& param = nnvm::get<ActivationParam>(attrs.parsed);
switch (param.act_type) {
case activation::kReLU: return UnaryCompute<cpu, mshadow_op::relu>(attrs, ctx, inputs, req, outputs);
case activation::kSigmoid: return UnaryCompute<cpu, mshadow_op::sigmoid>(attrs, ctx, inputs, req, outputs);
case activation::kTanh: return UnaryCompute<cpu, mshadow_op::tanh>(attrs, ctx, inputs, req, outputs);
case activation::kSoftReLU: return UnaryCompute<cpu, mshadow_op::softrelu>(attrs, ctx, inputs, req, outputs);
}
})
.set_attr<nnvm::FGradient>("FGradient", ElemwiseGradUseOut{"_backward_Activation"});
NNVM_REGISTER_OP(_backward_Activation)
.set_num_inputs(2)
.set_attr_parser(ParamParser<ActivationParam>)
.set_attr<nnvm::TIsBackward>("TIsBackward", true)
.set_attr<FCompute>("FCompute<cpu>",
[](const NodeAttrs& attrs, const OpContext& ctx, const std::vector<TBlob>& inputs, const std::vector<OpReqType>& req, const std::vector<TBlob>& outputs) {
using namespace mxnet::op;
switch (nnvm::get<ActivationParam>(attrs.parsed).act_type) {
case activation::kReLU: return BinaryCompute<cpu, unary_bwd<mshadow_op::relu_grad> >(attrs, ctx, inputs, req, outputs);
case activation::kSigmoid: return BinaryCompute<cpu, unary_bwd<mshadow_op::sigmoid_grad> >(attrs, ctx, inputs, req, outputs);
case activation::kTanh: return BinaryCompute<cpu, unary_bwd<mshadow_op::tanh_grad> >(attrs, ctx, inputs, req, outputs);
case activation::kSoftReLU: return BinaryCompute<cpu, unary_bwd<mshadow_op::softrelu_grad> >(attrs, ctx, inputs, req, outputs);
}
});
