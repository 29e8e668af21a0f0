// y = scalar x + biases[channel].
#include <cantik/op.h>
using namespace cantik;

namespace {
struct Scaler {
  double scalar = 1;
  std::vector<double> biases;
  static constexpr auto fields() {
    return list(
        field("scalar", &Scaler::scalar, "factor of all numbers").key("Scaler").role(CANTIK_SINGLE),
        field("biases", &Scaler::biases, "for each channel what is added").key("Biases").role(CANTIK_SINGLE));
  }
};
}  // namespace

CANTIK_OP(image_scaler) {
  op.attributes<Scaler>("image_scaler(x, scalar, biases, name='')")
      .doc("scalar * x + biases[channel], for images [channels, height, width].")
      .composite([](Builder& b, const Scaler& a) {
        Shape x = b.x().shape();
        int64_t n = static_cast<int64_t>(a.biases.size());
        if (x.rank() != 3)
          throw Failure(CANTIK_RUNTIME,
                        "the operand must have the shape [channels, height, width], and has " + x.text());
        if (x[0] >= 0 && x[0] != n)
          throw Failure(CANTIK_RUNTIME, "there must be one bias for each of the " + std::to_string(x[0]) +
                                            " channels, and there are " + std::to_string(n));
        Term scaled = b.x() * b.constant(a.scalar, b.x());
        std::vector<Term> biases;
        for (double v : a.biases) biases.push_back(b.constant(v, b.x()));
        Term column = b.call("reshape", {b.call_all("splice_axis", biases, {{"axis", -1}}, 1)[0]},
                             {{"shape", Shape{n, 1, 1}}});
        b.result(scaled + column);
      })
      .cntk_block("ImageScaler")
      .sample({{3, 2, 2}}, {.scalar = 0.5, .biases = {1, 2, 3}});
}
