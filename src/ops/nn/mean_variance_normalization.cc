// Each sample minus its mean, over its deviation: channel by channel, or all of it.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct MeanVariance {
  double epsilon = 0.00001;
  bool use_stats_across_channels = false, do_variance_scaling = true;
  static constexpr auto fields() {
    return list(field("epsilon", &MeanVariance::epsilon, "added to the deviation").key("epsilon"),
                field("use_stats_across_channels", &MeanVariance::use_stats_across_channels,
                      "one mean for all channels")
                    .key("useStatsAcrossChannels"),
                field("do_variance_scaling", &MeanVariance::do_variance_scaling, "divide by the deviation")
                    .key("doVarianceScaling"));
  }
};
}  // namespace

CANTIK_OP(mean_variance_normalization) {
  op.attributes<MeanVariance>(
        "mean_variance_normalization(operand, epsilon=1e-05, use_stats_across_channels=False, "
        "do_variance_scaling=True, name='')")
      .named("arrays", "widest")
      .doc(
          "x - mean, over deviation + epsilon; mean and deviation are those of each channel of a sample, "
          "[channels, height, width], or of all of it.")
      .composite([](Builder& b, const MeanVariance& a) {
        Term x = b.x();
        int rank = x.shape().rank();
        if (!(a.epsilon >= 0)) throw value_failure("epsilon must be non-negative.");
        if (rank == 0)
          throw value_failure("The rank of the operand must be >= 1.", "give the operand an axis");
        const bool all = a.use_stats_across_channels || rank == 1;  // one axis has one mean, as in CNTK
        std::vector<int64_t> axes;                                  // from the last to the first
        for (int i = 1; i <= (all ? rank : rank - 1); ++i) axes.push_back(-i);
        auto mean = [&](Term t) { return b.call("reduce_mean", {t}, {{"axis", axes}}); };
        Term centred = x - mean(x);
        if (!a.do_variance_scaling) {
          b.result(centred);
          return;
        }
        Term deviation = b.call("sqrt", {mean(centred * centred)});
        b.result(
            b.call("element_divide", {centred, deviation + b.constant(a.epsilon, x, {}, "mvn_epsilon")}));
      })
      .cntk_block("MeanVarianceNormalization")
      .onnx_read("MeanVarianceNormalization",
                 [](OnnxNode& n) {
                   std::vector<int64_t> axes = n.integers("axes");
                   if (axes.empty()) axes = {0, 2, 3};
                   Term x = n.with_static(n.x(), axes);
                   auto mean = [&](Term t) { return n.call("reduce_mean", {t}, {{"axis", axes}}); };
                   Term centred = x - mean(x);
                   Term deviation = n.call("sqrt", {mean(centred * centred)});
                   n.result(n.call("element_divide", {centred, deviation + n.constant(1e-9, x)}));
                 })
      .onnx_read("LayerNormalization",
                 [](OnnxNode& n) {
                   const int rank = n.rank(n.x()), from = n.axis_of(n.integer("axis", -1), rank);
                   std::vector<int64_t> axes;
                   for (int i = from; i < rank; ++i) axes.push_back(i);
                   Term x = n.with_static(n.x(), axes);
                   auto mean = [&](Term t) { return n.call("reduce_mean", {t}, {{"axis", axes}}); };
                   Term centred = x - mean(x);
                   Term variance = mean(centred * centred) + n.constant(n.real("epsilon", 1e-5), x);
                   Term y = n.call("element_divide", {centred, n.call("sqrt", {variance})}) * n.x(1);
                   n.result(n.has(2) ? y + n.x(2) : y);
                   if (n.outputs() > 1) n.result(1, mean(x));
                   if (n.outputs() > 2) n.result(2, n.call("reciprocal", {n.call("sqrt", {variance})}));
                 })
      .onnx_read("InstanceNormalization",
                 [](OnnxNode& n) {
                   Term x = n.rows(n.x());
                   std::vector<int64_t> axes, dims{n.dims(x).at(1)};
                   for (int i = 1; i < n.rank(x) - 1; ++i) axes.push_back(i), dims.push_back(1);
                   auto mean = [&](Term t) { return n.call("reduce_mean", {t}, {{"axis", axes}}); };
                   Term centred = x - mean(x);
                   Term variance = mean(centred * centred) + n.constant(n.real("epsilon", 1e-5), x);
                   Term y = n.call("element_divide", {centred, n.call("sqrt", {variance})});
                   n.result(y * n.reshape(n.x(1), dims) + n.reshape(n.x(2), dims));
                 })
      .onnx_read("RMSNormalization",
                 [](OnnxNode& n) {
                   const int rank = n.rank(n.x()), from = n.axis_of(n.integer("axis", -1), rank);
                   std::vector<int64_t> axes;
                   for (int i = from; i < rank; ++i) axes.push_back(i);
                   Term x = n.with_static(n.x(), axes);
                   Term square = n.call("reduce_mean", {x * x}, {{"axis", axes}}) +
                                 n.constant(n.real("epsilon", 1e-5), x);
                   n.result(n.call("element_divide", {x, n.call("sqrt", {square})}) * n.x(1));
                 })
      .onnx_read("GroupNormalization",
                 [](OnnxNode& n) {
                   Term x = n.rows(n.x());
                   const std::vector<int64_t> dims = n.dims(x);
                   const int64_t groups = n.integer("num_groups"), channels = dims.at(1);
                   if (groups < 1 || channels < 1 || channels % groups)
                     throw value_failure("the channels do not make whole groups");
                   Term parts = n.reshape(x, {dims[0], groups, -1});
                   const std::vector<int64_t> axes{1};
                   auto mean = [&](Term t) { return n.call("reduce_mean", {t}, {{"axis", axes}}); };
                   Term centred = parts - mean(parts);
                   Term variance = mean(centred * centred) + n.constant(n.real("epsilon", 1e-5), x);
                   Term y = n.reshape(n.call("element_divide", {centred, n.call("sqrt", {variance})}), dims);
                   std::vector<int64_t> line(dims.size() - 1, 1);
                   line[0] = channels;
                   const bool each = n.dims(n.x(1)).at(0) == channels;
                   if (!each) OnnxNode::refuse("its scale is one for each group");
                   n.result(y * n.reshape(n.x(1), line) + n.reshape(n.x(2), line));
                 })
      .sample({{2, 3, 2}})
      .sample({{2, 3}}, {.use_stats_across_channels = true})
      .sample({{2, 3}}, {.do_variance_scaling = false})
      .sample({{5}});
}
