// Attributes of one's own, under any key, for any operator.
// The operators scaled_by_cost and outer are given what they need from two statements each; another library
// asks for their attributes.
#include <cantik/mxnet/op.h>

struct Cost {
  double of_a_call;
};

NNVM_REGISTER_OP(scaled_by_cost).set_attr<Cost>("Cost", Cost{7});
NNVM_REGISTER_OP(relu)  // of Cantik's own
    .set_attr<Cost>("Cost", Cost{3});

static double cost_of(const std::string& name) {
  return nnvm::Op::GetAttr<Cost>("Cost").get(nnvm::Op::Get(name), {0}).of_a_call;
}

NNVM_REGISTER_OP(scaled_by_cost)
    .describe("data times the sum of what scaled_by_cost and relu cost")
    .set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<1, 1>)
    .set_attr<FCompute>("FCompute<cpu>",
                        [](const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in,
                           const std::vector<OpReqType>& req, const std::vector<TBlob>& out) {
                          float scale = static_cast<float>(cost_of("scaled_by_cost") + cost_of("relu"));
                          for (size_t i = 0; i < in[0].Size(); ++i)
                            KERNEL_ASSIGN(out[0].dptr<float>()[i], req[0], scale * in[0].dptr<float>()[i]);
                        });

// out[i, j] = a[i] b[j], and their sum: two inputs, two outputs, shapes of its own, a gradient of several
// nodes, and a shape that is inferred backwards.
NNVM_REGISTER_OP(outer)
    .describe("a[i] b[j], and the sum of them all")
    .set_num_inputs(2)
    .set_num_outputs(2)
    .add_argument("a", "NDArray", "a vector")
    .add_argument("b", "NDArray", "another")
    .set_attr<nnvm::FListOutputNames>("FListOutputNames",
                                      [](const NodeAttrs&) {
                                        return std::vector<std::string>{"products", "total"};
                                      })
    .set_attr<nnvm::FNumVisibleOutputs>("FNumVisibleOutputs", [](const NodeAttrs&) { return 1u; })
    .set_attr<nnvm::FInferShape>("FInferShape",
                                 [](const NodeAttrs&, std::vector<TShape>* in, std::vector<TShape>* out) {
                                   if ((*in)[0].ndim() == 0 || (*in)[1].ndim() == 0) return false;
                                   (*out)[0] = TShape{(*in)[0][0], (*in)[1][0]};
                                   (*out)[1] = TShape{1};
                                   return true;
                                 })
    .set_attr<FCompute>("FCompute<cpu>",
                        [](const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in,
                           const std::vector<OpReqType>&, const std::vector<TBlob>& out) {
                          const float *a = in[0].dptr<float>(), *b = in[1].dptr<float>();
                          float total = 0;
                          for (int64_t i = 0; i < in[0].size(0); ++i)
                            for (int64_t j = 0; j < in[1].size(0); ++j)
                              total += out[0].dptr<float>()[i * in[1].size(0) + j] = a[i] * b[j];
                          *out[1].dptr<float>() = total;
                        })
    .set_attr<nnvm::FGradient>("FGradient", [](const nnvm::NodePtr& n,
                                               const std::vector<nnvm::NodeEntry>& ograds) {
      std::vector<nnvm::NodeEntry> heads{ograds[0], ograds[1], n->inputs[0], n->inputs[1]};
      return MakeGradNode("_backward_outer", n, heads, {});
    });
NNVM_REGISTER_OP(_backward_outer)
    .set_num_inputs(4)
    .set_num_outputs(2)
    .set_attr<nnvm::TIsBackward>("TIsBackward", true)
    .set_attr<FCompute>("FCompute<cpu>", [](const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in,
                                            const std::vector<OpReqType>&, const std::vector<TBlob>& out) {
      const float *products = in[0].dptr<float>(), total = *in[1].dptr<float>(), *a = in[2].dptr<float>(),
                  *b = in[3].dptr<float>();
      int64_t n = in[2].size(0), m = in[3].size(0);
      for (int64_t i = 0; i < n; ++i) out[0].dptr<float>()[i] = 0;
      for (int64_t j = 0; j < m; ++j) out[1].dptr<float>()[j] = 0;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < m; ++j) {
          float d = products[i * m + j] + total;
          out[0].dptr<float>()[i] += d * b[j];
          out[1].dptr<float>()[j] += d * a[i];
        }
    });
