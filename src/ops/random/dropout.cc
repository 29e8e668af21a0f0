// y = x / (1 - rate) for a random part of the numbers, 0 for the others, while training; y = x in evaluation.
#include <span>

#include <cantik/initializer.h>
#include <cantik/op.h>

#include "ops/random/drawn_columns.h"
#include "tensor/random.h"

using namespace cantik;

namespace {

struct Dropout {
  double dropout_rate = 0;
  int64_t seed = static_cast<int64_t>(kAutoSeed), rng_offset = 0;
  static constexpr auto fields() {
    return list(
        field("dropout_rate", &Dropout::dropout_rate, "the part that becomes 0").key("dropoutRate").live(),
        field("seed", &Dropout::seed, "where the stream of random numbers begins")
            .key("rngSeed")
            .role(CANTIK_SEED)
            .live(),
        field("rng_offset", &Dropout::rng_offset, "how many numbers were drawn before").key("rngOffset"));
  }
};

struct Rate {
  double dropout_rate = 0;
  static constexpr auto fields() {
    return list(field("dropout_rate", &Rate::dropout_rate, "the part that becomes 0").live());
  }
};

template <class T>
struct Mask final : Kernel {
  int64_t elements;
  explicit Mask(int64_t n) : elements(n) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    RandomStream& stream = *static_cast<RandomStream*>(r.draws());
    draw_in_columns<T>(r, elements, [&](std::span<T> out) { stream.dropout_mask<T>(out, r.live(0)); });
  }
};

}  // namespace

CANTIK_OP(dropout) {
  op.attributes<Dropout>("dropout(x, dropout_rate=0.0, seed=SentinelValueForAutoSelectRandomSeed, name='')")
      .doc(
          "While training each number becomes 0 with the probability dropout_rate, else x / (1 - "
          "dropout_rate); in evaluation all stay as they are (Srivastava et al. 2014).")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in, const Dropout& a) {
        if (!(a.dropout_rate >= 0 && a.dropout_rate < 1))
          throw value_failure("dropout_rate must be in the interval [0,1)");
        in.set(in.like(0, in.shape(0)));
      })
      .lower([](Builder& b, const Dropout& a) {
        b.result(b.training() ? b.x() * b.call("dropout_mask", {b.x()}, {{"dropout_rate", a.dropout_rate}})
                              : b.x());
      })
      .cntk("Dropout", 15)
      .keeps_pixels()
      .named("test.gradient", "training drops numbers, evaluation does not")
      .onnx_write("Dropout",
                  [](OnnxGraph& g, const Dropout& a) {
                    g.result(g.node("Dropout", {g.x(), g.real(a.dropout_rate)}));
                  })
      .onnx_read("Dropout",
                 [](OnnxNode& n) {
                   const double rate = n.has(1) ? n.numbers(1).at(0) : n.real("ratio", 0.5);
                   if (n.has(2) && n.numbers(2).at(0) != 0 && rate != 0)
                     OnnxNode::refuse("it is in training mode",
                                      "export the model in evaluation mode: model.eval() in PyTorch");
                   n.result(n.call("dropout", {n.x()}, {{"dropout_rate", rate}}));
                   if (n.outputs() > 1)
                     n.result(1, n.call("ones_like", {n.x()})), n.result_type(1, OnnxGraph::kBool);
                 })
      .sample({{2, 3}}, {.dropout_rate = 0.5, .seed = 7});

  // 0 or 1 / (1 - rate), in the shape of x.
  op.attributes<Rate>("dropout_mask(x, dropout_rate=0.0)")
      .traits(CANTIK_HIDDEN | CANTIK_DRAWS | CANTIK_NO_GRADIENT)
      .layout_only(0)
      .type([](Infer& in, const Rate&) { in.set(in.like(0, in.shape(0))); })
      .kernel("stream", [](const Prepare& p, const Rate&) -> std::unique_ptr<Kernel> {
        return of_type<Mask>(p.dtype(), p.out().shape.elements());
      });
}
