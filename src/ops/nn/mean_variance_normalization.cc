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
        if (rank < 2 && !a.use_stats_across_channels)
          throw Failure(
              CANTIK_RUNTIME,
              "the operand must have axes besides the channels, and has the shape " + x.shape().text(),
              "set use_stats_across_channels to take the mean over the channels");
        std::vector<int64_t> axes;  // from the last to the first
        for (int i = 1; i <= (a.use_stats_across_channels ? rank : rank - 1); ++i) axes.push_back(-i);
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
      .sample({{2, 3, 2}})
      .sample({{2, 3}}, {.use_stats_across_channels = true})
      .sample({{2, 3}}, {.do_variance_scaling = false});
}
