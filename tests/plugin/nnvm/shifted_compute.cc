// What shifted computes, from the keyword that shifted.cc reads.
#include <cantik/mxnet/op.h>

NNVM_REGISTER_OP(shifted)
    .set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<1, 1>)
    .set_attr<FCompute>("FCompute<cpu>",
                        [](const NodeAttrs& attrs, const OpContext&, const std::vector<TBlob>& in,
                           const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
                          for (size_t i = 0; i < in[0].Size(); ++i)
                            KERNEL_ASSIGN(out[0].dptr<float>()[i], req[0],
                                          in[0].dptr<float>()[i] + nnvm::get<float>(attrs.parsed));
                        });
