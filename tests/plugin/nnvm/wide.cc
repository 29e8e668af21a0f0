// Whole numbers of several widths as parameters: the result is their sum.
#include <cantik/mxnet/op.h>

struct WideParam : public dmlc::Parameter<WideParam> {
  int narrow;
  int64_t wide;
  uint32_t natural;
  DMLC_DECLARE_PARAMETER(WideParam) {
    DMLC_DECLARE_FIELD(narrow).set_default(0).describe("of 32 bits");
    DMLC_DECLARE_FIELD(wide).set_default(0).describe("of 64 bits");
    DMLC_DECLARE_FIELD(natural).set_default(0).describe("of 32 bits, not negative");
  }
};

NNVM_REGISTER_OP(wide)
    .describe("x plus the parameters")
    .add_argument("x", "NDArray", "what is added to")
    .add_arguments(WideParam::__FIELDS__())
    .set_attr_parser(ParamParser<WideParam>)
    .set_attr<nnvm::FListInputNames>("FListInputNames",
                                     [](const NodeAttrs&) { return std::vector<std::string>{"x"}; })
    .set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<1, 1>)
    .set_attr<FCompute>("FCompute<cpu>", [](const NodeAttrs& attrs, const OpContext&,
                                            const std::vector<TBlob>& in, const std::vector<OpReqType>& req,
                                            const std::vector<TBlob>& out) {
      const auto& p = nnvm::get<WideParam>(attrs.parsed);
      const double sum =
          static_cast<double>(p.narrow) + static_cast<double>(p.wide) + static_cast<double>(p.natural);
      for (size_t i = 0; i < in[0].Size(); ++i)
        KERNEL_ASSIGN(out[0].dptr<float>()[i], req[0], in[0].dptr<float>()[i] + static_cast<float>(sum));
    });
