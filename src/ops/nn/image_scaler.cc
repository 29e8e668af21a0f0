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
// An operator of ONNX's first sets, which CNTK and converters from CoreML write. x: [batch, channels,
// pixels...]
constexpr auto read_image_scaler = [](OnnxNode& n) {
  Term x = n.x();
  const std::vector<int64_t> dims = n.dims(x);
  const std::vector<double> biases = n.reals("bias");
  const auto count = static_cast<int64_t>(biases.size());
  if (dims.size() < 2 || (dims[1] >= 0 && dims[1] != count))
    throw Failure(CANTIK_RUNTIME, "ImageScaler needs a bias for each channel of its operand, and has " +
                                      std::to_string(count));
  std::vector<int64_t> column(dims.size() - 1, 1);
  column[0] = count;
  n.result(x * n.constant(n.real("scale", 1), x) + n.constants(biases, column, x));
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
      .onnx_read("ImageScaler", read_image_scaler)
      .sample({{3, 2, 2}}, {.scalar = 0.5, .biases = {1, 2, 3}});
}
