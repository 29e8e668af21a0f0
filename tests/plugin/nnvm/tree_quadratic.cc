// An operator as those of MXNet's tree are written: parameters, rules, kernels by Launch, a backward operator
// of its own.
#include <cantik/mxnet/op.h>

namespace mxnet {
namespace op {

struct CurveParam : public dmlc::Parameter<CurveParam> {
  float a, b, c;
  DMLC_DECLARE_PARAMETER(CurveParam) {
    DMLC_DECLARE_FIELD(a).set_default(0.0).describe("of the square");
    DMLC_DECLARE_FIELD(b).set_default(0.0).describe("of the number itself");
    DMLC_DECLARE_FIELD(c).set_default(0.0).describe("of one");
  }
};
DMLC_REGISTER_PARAMETER(CurveParam);

inline bool CurveShape(const nnvm::NodeAttrs& attrs, mxnet::ShapeVector* in_attrs,
                       mxnet::ShapeVector* out_attrs) {
  CHECK_EQ(in_attrs->size(), 1U);
  CHECK_EQ(out_attrs->size(), 1U);
  SHAPE_ASSIGN_CHECK(*out_attrs, 0, in_attrs->at(0));
  SHAPE_ASSIGN_CHECK(*in_attrs, 0, out_attrs->at(0));
  return shape_is_known(out_attrs->at(0));
}

inline bool CurveType(const nnvm::NodeAttrs& attrs, std::vector<int>* in_attrs, std::vector<int>* out_attrs) {
  CHECK_EQ(in_attrs->size(), 1U);
  TYPE_ASSIGN_CHECK(*out_attrs, 0, in_attrs->at(0));
  TYPE_ASSIGN_CHECK(*in_attrs, 0, out_attrs->at(0));
  return out_attrs->at(0) != -1;
}

template <int req>
struct curve_value {
  template <typename DType>
  MSHADOW_XINLINE static void Map(int i, DType* y, const DType* x, const float a, const float b,
                                  const float c) {
    KERNEL_ASSIGN(y[i], req, (x[i] * a + b) * x[i] + c);
  }
};

template <int req>
struct curve_slope {
  template <typename DType>
  MSHADOW_XINLINE static void Map(int i, DType* dx, const DType* dy, const DType* x, const float a,
                                  const float b) {
    KERNEL_ASSIGN(dx[i], req, dy[i] * (x[i] * a * 2 + b));
  }
};

template <typename xpu>
void CurveForward(const nnvm::NodeAttrs& attrs, const OpContext& ctx, const std::vector<TBlob>& inputs,
                  const std::vector<OpReqType>& req, const std::vector<TBlob>& outputs) {
  CHECK_EQ(inputs.size(), 1U);
  CHECK_EQ(req.size(), 1U);
  mshadow::Stream<xpu>* s = ctx.get_stream<xpu>();
  const CurveParam& param = nnvm::get<CurveParam>(attrs.parsed);
  using namespace mxnet_op;
  MSHADOW_TYPE_SWITCH(outputs[0].type_flag_, DType, {
    MXNET_ASSIGN_REQ_SWITCH(req[0], req_type, {
      Kernel<curve_value<req_type>, xpu>::Launch(s, outputs[0].Size(), outputs[0].dptr<DType>(),
                                                 inputs[0].dptr<DType>(), param.a, param.b, param.c);
    });
  });
}

template <typename xpu>
void CurveBackward(const nnvm::NodeAttrs& attrs, const OpContext& ctx, const std::vector<TBlob>& inputs,
                   const std::vector<OpReqType>& req, const std::vector<TBlob>& outputs) {
  CHECK_EQ(inputs.size(), 2U) << "the gradient of the result and the operand";
  mshadow::Stream<xpu>* s = ctx.get_stream<xpu>();
  const CurveParam& param = nnvm::get<CurveParam>(attrs.parsed);
  using namespace mxnet_op;
  MSHADOW_TYPE_SWITCH(outputs[0].type_flag_, DType, {
    MXNET_ASSIGN_REQ_SWITCH(req[0], req_type, {
      Kernel<curve_slope<req_type>, xpu>::Launch(s, outputs[0].Size(), outputs[0].dptr<DType>(),
                                                 inputs[0].dptr<DType>(), inputs[1].dptr<DType>(), param.a,
                                                 param.b);
    });
  });
}

NNVM_REGISTER_OP(_tree_curve)
    .describe(R"code(a x^2 + b x + c, element by element.)code" ADD_FILELINE)
    .set_attr_parser(ParamParser<CurveParam>)
    .set_num_inputs(1)
    .set_num_outputs(1)
    .set_attr<nnvm::FListInputNames>("FListInputNames",
                                     [](const NodeAttrs& attrs) { return std::vector<std::string>{"data"}; })
    .set_attr<mxnet::FInferShape>("FInferShape", CurveShape)
    .set_attr<nnvm::FInferType>("FInferType", CurveType)
    .set_attr<nnvm::FInplaceOption>("FInplaceOption",
                                    [](const NodeAttrs& attrs) {
                                      return std::vector<std::pair<int, int>>{{0, 0}};
                                    })
    .set_attr<FCompute>("FCompute<cpu>", CurveForward<cpu>)
    .set_attr<nnvm::FGradient>("FGradient", ElemwiseGradUseIn{"_backward_tree_curve"})
    .add_argument("data", "NDArray-or-Symbol", "the numbers")
    .add_arguments(CurveParam::__FIELDS__());

NNVM_REGISTER_OP(_backward_tree_curve)
    .set_attr_parser(ParamParser<CurveParam>)
    .set_num_inputs(2)
    .set_num_outputs(1)
    .set_attr<nnvm::TIsBackward>("TIsBackward", true)
    .set_attr<FCompute>("FCompute<cpu>", CurveBackward<cpu>);

}  // namespace op
}  // namespace mxnet
