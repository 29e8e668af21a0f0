// Two results that may lie where the operands crosswise did; a hundred more says that they do.
#include <cantik/mxnet/op.h>

static void assign(const TBlob& from, const TBlob& to) {
  const float more = from.dptr_ == to.dptr_ ? 100 : 0;
  for (size_t i = 0; i < from.Size(); ++i) to.dptr<float>()[i] = from.dptr<float>()[i] + more;
}

NNVM_REGISTER_OP(crossed)
    .set_num_inputs(2)
    .set_num_outputs(2)
    .set_attr<nnvm::FInferType>("FInferType", ElemwiseType<2, 2>)
    .set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<2, 2>)
    .set_attr<nnvm::FInplaceOption>("FInplaceOption",
                                    [](const NodeAttrs&) {
                                      return std::vector<std::pair<int, int>>{{0, 1}, {1, 0}};
                                    })
    .set_attr<FCompute>("FCompute<cpu>", [](const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in,
                                            const std::vector<OpReqType>&, const std::vector<TBlob>& out) {
      assign(in[1], out[0]);
      assign(in[0], out[1]);
    });
