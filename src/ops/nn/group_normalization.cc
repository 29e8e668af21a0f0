// Groups of channels with mean 0 and variance 1 over their elements, sample by sample (Wu and He 2018).
#include <cantik/op.h>

#include <cmath>
#include <string>

using namespace cantik;

namespace {
struct Groups {
  int64_t groups = 1;
  double epsilon = 0.00001;
  static constexpr auto fields() {
    return list(field("groups", &Groups::groups, "how many; as many channels each"),
                field("epsilon", &Groups::epsilon, "added to the variance"));
  }
};
}  // namespace

CANTIK_OP(group_normalization) {
  op.attributes<Groups>("group_normalization(operand, groups, epsilon=1e-05, name='')")
      .named("arrays", "widest")
      .doc(
          "(x - mean) / sqrt(variance + epsilon); mean and variance are those of each group of channels of a "
          "sample, [channels, ...] (Wu and He 2018).")
      .composite([](Builder& b, const Groups& a) {
        const Shape x = b.x().shape();
        if (!(a.epsilon >= 0)) throw value_failure("epsilon must be non-negative.");
        if (x.rank() == 0 || a.groups < 1 || x[0] < 1 || x[0] % a.groups != 0)
          throw value_failure("an operand of the shape " + x.text() + " has no " + std::to_string(a.groups) +
                                  " groups of channels",
                              "give a number of groups that divides the number of channels, the first axis");
        Term parts = b.call("reshape", {b.x()}, {{"shape", Shape{a.groups, kInferred}}});
        const std::vector<int64_t> last{-1};
        auto mean = [&](Term t) { return b.call("reduce_mean", {t}, {{"axis", last}}); };
        Term centred = parts - mean(parts);
        Term deviation = b.call("sqrt", {mean(centred * centred) + b.constant(a.epsilon, parts)});
        b.result(b.call("reshape", {b.call("element_divide", {centred, deviation})}, {{"shape", x}}));
      })
      .sample({{4, 3, 2}}, {.groups = 2})
      .sample({{6}}, {.groups = 3})
      .sample({{4, 5}}, {.groups = 1, .epsilon = 0.1});
}
