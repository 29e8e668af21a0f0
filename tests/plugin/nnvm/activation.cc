// The rest of MXNet's document's Activation, of which it shows the parameters: they are cut out of its text,
// into activation_param.h.
#include <cantik/mxnet/op.h>

#include "activation_param.h"

NNVM_REGISTER_OP(Activation)
    .describe("Applies a function to each element.")
    .add_argument("data", "NDArray", "what it is applied to")
    .add_arguments(ActivationParam::__FIELDS__())
    .set_attr<nnvm::FListInputNames>("FListInputNames",
                                     [](const NodeAttrs&) { return std::vector<std::string>{"data"}; })
    .set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<1, 1>)
    .set_attr<nnvm::FInferType>("FInferType", ElemwiseType<1, 1>)
    .set_attr<FCompute>("FCompute<cpu>",
                        [](const NodeAttrs& attrs, const OpContext& ctx, const std::vector<TBlob>& inputs,
                           const std::vector<OpReqType>& req, const std::vector<TBlob>& outputs) {
                          switch (nnvm::get<ActivationParam>(attrs.parsed).act_type) {
                            case activation::kReLU:
                              return UnaryCompute<cpu, mshadow_op::relu>(attrs, ctx, inputs, req, outputs);
                            case activation::kSigmoid:
                              return UnaryCompute<cpu, mshadow_op::sigmoid>(attrs, ctx, inputs, req, outputs);
                            case activation::kTanh:
                              return UnaryCompute<cpu, mshadow_op::tanh>(attrs, ctx, inputs, req, outputs);
                            case activation::kSoftReLU:
                              return UnaryCompute<cpu, mshadow_op::softrelu>(attrs, ctx, inputs, req,
                                                                             outputs);
                          }
                        })
    .set_attr<nnvm::FGradient>("FGradient", ElemwiseGradUseOut{"_backward_Activation"});
NNVM_REGISTER_OP(_backward_Activation)
    .set_num_inputs(2)
    .set_attr_parser(ParamParser<ActivationParam>)
    .set_attr<nnvm::TIsBackward>("TIsBackward", true)
    .set_attr<FCompute>("FCompute<cpu>", [](const NodeAttrs& attrs, const OpContext& ctx,
                                            const std::vector<TBlob>& inputs,
                                            const std::vector<OpReqType>& req,
                                            const std::vector<TBlob>& outputs) {
      using namespace mxnet::op;
      switch (nnvm::get<ActivationParam>(attrs.parsed).act_type) {
        case activation::kReLU:
          return BinaryCompute<cpu, unary_bwd<mshadow_op::relu_grad>>(attrs, ctx, inputs, req, outputs);
        case activation::kSigmoid:
          return BinaryCompute<cpu, unary_bwd<mshadow_op::sigmoid_grad>>(attrs, ctx, inputs, req, outputs);
        case activation::kTanh:
          return BinaryCompute<cpu, unary_bwd<mshadow_op::tanh_grad>>(attrs, ctx, inputs, req, outputs);
        case activation::kSoftReLU:
          return BinaryCompute<cpu, unary_bwd<mshadow_op::softrelu_grad>>(attrs, ctx, inputs, req, outputs);
      }
    });
