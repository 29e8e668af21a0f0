// An operator of two operands as those of MXNet's tree are written: its rule gives the second operand its
// shape, its result has fewer axes, it works on tensors and in temporary memory, and its gradient is a node
// of two results.
//
// y[i] = log sum_j exp(scale[j] x[i, j])
#include <cantik/mxnet/op.h>

namespace mxnet {
namespace op {

struct RowsParam : public dmlc::Parameter<RowsParam> {
  int mode;
  mxnet::Tuple<float> range;
  dmlc::optional<float> floor;
  DMLC_DECLARE_PARAMETER(RowsParam) {
    DMLC_DECLARE_FIELD(mode)
        .add_enum("logsum", 0)
        .add_enum("sum", 1)
        .set_default(0)
        .describe("the logarithm of the sum, or the sum");
    DMLC_DECLARE_FIELD(range).set_default(mxnet::Tuple<float>()).describe("results are kept within");
    DMLC_DECLARE_FIELD(floor).set_default(dmlc::optional<float>()).describe("results are kept above");
  }
};

inline bool RowsShape(const nnvm::NodeAttrs& attrs, mxnet::ShapeVector* in_attrs,
                      mxnet::ShapeVector* out_attrs) {
  CHECK_EQ(in_attrs->size(), 2U);
  const mxnet::TShape& data = (*in_attrs)[0];
  if (!mxnet::ndim_is_known(data)) return false;
  CHECK_EQ(data.ndim(), 2) << "data of rows and columns, not " << data;
  SHAPE_ASSIGN_CHECK(*in_attrs, 1, mxnet::TShape({data[1]}));
  SHAPE_ASSIGN_CHECK(*out_attrs, 0, mxnet::TShape({data[0]}));
  return shape_is_known(*in_attrs);
}

// The terms of each row, in temporary memory.
template <typename xpu, typename DType>
mshadow::Tensor<xpu, 2, DType> Terms(const OpContext& ctx, const mshadow::Tensor<xpu, 2, DType>& x,
                                     const mshadow::Tensor<xpu, 1, DType>& scale) {
  mshadow::Tensor<xpu, 2, DType> terms =
      ctx.requested[0].get_space_typed<xpu, 2, DType>(x.shape_, ctx.get_stream<xpu>());
  for (mshadow::index_t i = 0; i < x.size(0); ++i)
    for (mshadow::index_t j = 0; j < x.size(1); ++j) terms[i][j] = mshadow_op::exp::Map(x[i][j] * scale[j]);
  return terms;
}

template <typename DType>
DType SumOf(const mshadow::Tensor<cpu, 1, DType>& row) {
  DType sum = 0;
  for (mshadow::index_t j = 0; j < row.size(0); ++j) sum += row[j];
  return sum;
}

template <typename xpu>
void RowsForward(const nnvm::NodeAttrs& attrs, const OpContext& ctx, const std::vector<TBlob>& inputs,
                 const std::vector<OpReqType>& req, const std::vector<TBlob>& outputs) {
  using namespace mshadow;
  const RowsParam& param = nnvm::get<RowsParam>(attrs.parsed);
  MSHADOW_REAL_TYPE_SWITCH(outputs[0].type_flag_, DType, {
    Tensor<xpu, 2, DType> x = inputs[0].get<xpu, 2, DType>(ctx.get_stream<xpu>());
    Tensor<xpu, 1, DType> scale = inputs[1].FlatTo1D<xpu, DType>(ctx.get_stream<xpu>()),
                          y = outputs[0].get<xpu, 1, DType>();
    Tensor<xpu, 2, DType> terms = Terms<xpu, DType>(ctx, x, scale);
    for (index_t i = 0; i < x.size(0); ++i) {
      DType value = SumOf(terms[i]);
      if (param.mode == 0) value = mshadow_op::log::Map(value);
      if (param.range.ndim() == 2)
        value = std::min<DType>(std::max<DType>(value, param.range[0]), param.range[1]);
      if (param.floor.has_value()) value = std::max<DType>(value, param.floor.value());
      KERNEL_ASSIGN(y[i], req[0], value);
    }
  });
}

template <typename xpu>
void RowsBackward(const nnvm::NodeAttrs& attrs, const OpContext& ctx, const std::vector<TBlob>& inputs,
                  const std::vector<OpReqType>& req, const std::vector<TBlob>& outputs) {
  using namespace mshadow;
  CHECK_EQ(inputs.size(), 3U);
  CHECK_EQ(outputs.size(), 2U);
  const RowsParam& param = nnvm::get<RowsParam>(attrs.parsed);
  MSHADOW_REAL_TYPE_SWITCH(outputs[0].type_flag_, DType, {
    Tensor<xpu, 1, DType> dy = inputs[0].FlatTo1D<xpu, DType>(), scale = inputs[2].FlatTo1D<xpu, DType>(),
                          dscale = outputs[1].FlatTo1D<xpu, DType>();
    Tensor<xpu, 2, DType> x = inputs[1].FlatTo2D<xpu, DType>(), dx = outputs[0].FlatTo2D<xpu, DType>(),
                          terms = Terms<xpu, DType>(ctx, x, scale);
    if (req[1] == kWriteTo) dscale = DType(0);
    for (index_t i = 0; i < x.size(0); ++i) {
      DType factor = param.mode == 0 ? dy[i] / SumOf(terms[i]) : dy[i];
      for (index_t j = 0; j < x.size(1); ++j) {
        KERNEL_ASSIGN(dx[i][j], req[0], factor * terms[i][j] * scale[j]);
        dscale[j] += factor * terms[i][j] * x[i][j];
      }
    }
  });
}

NNVM_REGISTER_OP(_tree_rows)
    .describe("The logarithm of the sum of exponentials of each row, whose columns are scaled." ADD_FILELINE)
    .set_attr_parser(ParamParser<RowsParam>)
    .set_num_inputs(2)
    .set_num_outputs(1)
    .set_attr<nnvm::FListInputNames>("FListInputNames",
                                     [](const NodeAttrs& attrs) {
                                       return std::vector<std::string>{"data", "scale"};
                                     })
    .set_attr<mxnet::FInferShape>("FInferShape", RowsShape)
    .set_attr<nnvm::FInferType>("FInferType", ElemwiseType<2, 1>)
    .set_attr<nnvm::FResourceRequest>("FResourceRequest",
                                      [](const NodeAttrs& attrs) {
                                        return std::vector<ResourceRequest>{ResourceRequest::kTempSpace};
                                      })
    .set_attr<FCompute>("FCompute<cpu>", RowsForward<cpu>)
    .set_attr<nnvm::FGradient>("FGradient",
                               [](const nnvm::ObjectPtr& n, const std::vector<nnvm::NodeEntry>& ograds) {
                                 std::vector<nnvm::NodeEntry> heads{ograds[0], n->inputs[0], n->inputs[1]};
                                 return MakeGradNode("_backward_tree_rows", n, heads, n->attrs.dict);
                               })
    .add_argument("data", "NDArray-or-Symbol", "rows")
    .add_argument("scale", "NDArray-or-Symbol", "of each column")
    .add_arguments(RowsParam::__FIELDS__());

NNVM_REGISTER_OP(_backward_tree_rows)
    .set_attr_parser(ParamParser<RowsParam>)
    .set_num_inputs(3)
    .set_num_outputs(2)
    .set_attr<nnvm::TIsBackward>("TIsBackward", true)
    .set_attr<nnvm::FResourceRequest>("FResourceRequest",
                                      [](const NodeAttrs& attrs) {
                                        return std::vector<ResourceRequest>{ResourceRequest::kTempSpace};
                                      })
    .set_attr<FCompute>("FCompute<cpu>", RowsBackward<cpu>);

}  // namespace op
}  // namespace mxnet
