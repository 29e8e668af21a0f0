// One of two functions, chosen by a word: parameters that are declared, and a gradient that reads the result.
#include <cantik/mxnet/op.h>

enum Kind { kGrowing = 3, kBounded = 5 };

struct CurveParam : public dmlc::Parameter<CurveParam> {
  int kind;
  float height;
  DMLC_DECLARE_PARAMETER(CurveParam) {
    DMLC_DECLARE_FIELD(kind).add_enum("exp", kGrowing).add_enum("tanh", kBounded).describe("which function");
    DMLC_DECLARE_FIELD(height).set_default(1).set_range(0, 10).describe("what it is multiplied by");
  }
};

using Blobs = std::vector<TBlob>;
using Requests = std::vector<OpReqType>;

NNVM_REGISTER_OP(curve)
    .describe("height * exp(x) or height * tanh(x)")
    .add_argument("x", "NDArray", "where")
    .add_arguments(CurveParam::__FIELDS__())
    .set_attr_parser(ParamParser<CurveParam>)
    .set_attr<nnvm::FListInputNames>("FListInputNames",
                                     [](const NodeAttrs&) { return std::vector<std::string>{"x"}; })
    .set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<1, 1>)
    .set_attr<FCompute>("FCompute<cpu>",
                        [](const NodeAttrs& attrs, const OpContext&, const Blobs& in, const Requests& req,
                           const Blobs& out) {
                          const auto& p = nnvm::get<CurveParam>(attrs.parsed);
                          for (size_t i = 0; i < in[0].Size(); ++i) {
                            const float x = in[0].dptr<float>()[i];
                            KERNEL_ASSIGN(out[0].dptr<float>()[i], req[0],
                                          p.height * (p.kind == kGrowing ? std::exp(x) : std::tanh(x)));
                          }
                        })
    .set_attr<nnvm::FGradient>("FGradient", ElemwiseGradUseOut{"_slope_of_curve"});

// Of dy and y: dy * y, or dy * height * (1 - (y / height)^2).
NNVM_REGISTER_OP(_slope_of_curve)
    .set_num_inputs(2)
    .set_attr_parser(ParamParser<CurveParam>)
    .set_attr<nnvm::TIsBackward>("TIsBackward", true)
    .set_attr<FCompute>("FCompute<cpu>", [](const NodeAttrs& attrs, const OpContext&, const Blobs& in,
                                            const Requests& req, const Blobs& out) {
      const auto& p = nnvm::get<CurveParam>(attrs.parsed);
      for (size_t i = 0; i < in[0].Size(); ++i) {
        const float dy = in[0].dptr<float>()[i], y = in[1].dptr<float>()[i];
        KERNEL_ASSIGN(out[0].dptr<float>()[i], req[0],
                      dy * (p.kind == kGrowing ? y : p.height - y * y / p.height));
      }
    });
