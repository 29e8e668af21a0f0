// The rest of the scalar_op of MXNet's document, registered separately: the document shows its parser, and
// how others get at what it parsed.
#include <cantik/mxnet/op.h>

NNVM_REGISTER_OP(scalar_op)
    .set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<1, 1>)
    .set_attr<FCompute>("FCompute<cpu>",
                        [](const NodeAttrs& attrs, const OpContext&, const std::vector<TBlob>& inputs,
                           const std::vector<OpReqType>& req, const std::vector<TBlob>& outputs) {
                          const float by = static_cast<float>(nnvm::get<double>(attrs.parsed));
                          for (size_t i = 0; i < inputs[0].Size(); ++i)
                            KERNEL_ASSIGN(outputs[0].dptr<float>()[i], req[0],
                                          by * inputs[0].dptr<float>()[i]);
                        });
