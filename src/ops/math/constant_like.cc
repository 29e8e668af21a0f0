// A tensor of the shape of x that is the same number everywhere: zeros_like, ones_like.
#include <algorithm>
#include <cmath>

#include <cantik/op.h>
using namespace cantik;

namespace {
struct Fill {
  Real fill = 0;
  static constexpr auto fields() { return list(field("fill", &Fill::fill, "the number").key("fillValue")); }
};

// The most numbers of a constant that a file of ONNX's asks for in a few bytes.
constexpr int64_t kMostMade = 1 << 24;
}  // namespace

CANTIK_OP(constant_like) {
  op.attributes<Fill>("constant_like(x, fill=0, name='')")
      .doc("The number fill, in the shape of x. The gradient is 0.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real, const Fill& a) { return a.fill; })
      .cntk("ConstantOp", 89)
      .onnx_write("Expand",
                  [](OnnxGraph& g, const Fill& a) {
                    g.result(g.node("Expand", {g.real(a.fill.value()), g.node("Shape", {g.x()})}));
                  })
      .onnx_read(
          "ConstantOfShape",
          [](OnnxNode& n) {
            const std::vector<int64_t> dims = n.sizes(0);
            const std::vector<double> value = n.given("value") ? n.reals("value") : std::vector<double>{0};
            for (int64_t d : dims)
              if (d < 0) OnnxNode::refuse("its shape is known in a run only");
            if (Shape(dims).elements() > kMostMade) OnnxNode::refuse("its shape is far too large");
            const std::vector<int64_t> whole = n.integers("value");
            const auto count = static_cast<size_t>(Shape(dims).elements());
            if (!whole.empty() && count < 1 << 16) {
              n.result_numbers(0, dims, std::vector<int64_t>(count, whole[0]));
              return;
            }
            n.result(n.constants(
                std::vector<double>(static_cast<size_t>(Shape(dims).elements()), value.at(0)), dims, Term()));
            n.result_type(0, 1);
          })
      .onnx_read(
          "Expand",
          [](OnnxNode& n) {
            Term x = n.x();
            std::vector<int64_t> to = n.sizes(1), from = n.dims(x);
            const size_t rank = std::max(to.size(), from.size());
            to.insert(to.begin(), rank - to.size(), 1);
            from.insert(from.begin(), rank - from.size(), 1);
            bool wider = false;
            std::vector<int64_t> ones(rank, 1);
            for (size_t i = 0; i < rank; ++i) {
              if (to[i] == 1 || to[i] == from[i]) continue;
              if (to[i] < 0 || from[i] != 1) OnnxNode::refuse("it spreads over a size that only a run knows");
              ones[i] = to[i];
              wider = true;
            }
            x = n.reshape(x, from);
            if (!wider) {
              n.result(x);
              return;
            }
            const Shape shape(ones);
            if (shape.elements() > kMostMade) OnnxNode::refuse("its shape is far too large");
            std::vector<Term> terms = n.aligned(
                {x, n.constants(std::vector<double>(static_cast<size_t>(shape.elements()), 1.0), ones, x)});
            n.result(terms[0] * terms[1]);
          })
      .onnx_read("Range",
                 [](OnnxNode& n) {
                   const double begin = n.numbers(0).at(0), end = n.numbers(1).at(0),
                                step = n.numbers(2).at(0);
                   const double count = std::ceil((end - begin) / step);
                   if (!(count >= 0 && count <= kMostMade))
                     throw value_failure("it has no end, or far too many numbers");
                   std::vector<double> list;
                   for (double i = 0; i < count; ++i) list.push_back(begin + i * step);
                   n.result(n.constants(list, {static_cast<int64_t>(list.size())}, n.x()));
                 })
      .onnx_read("Tile",
                 [](OnnxNode& n) {
                   Term x = n.x();
                   const std::vector<int64_t> times = n.sizes(1);
                   for (size_t i = 0; i < times.size(); ++i) {
                     if (times[i] == 1) continue;
                     if (times[i] < 1 || times[i] > 1 << 16)
                       OnnxNode::refuse("it repeats an axis " + std::to_string(times[i]) + " times");
                     int64_t axis = static_cast<int64_t>(i);
                     x = n.with_static(x, axis);
                     x = n.call_all("splice", std::vector<Term>(static_cast<size_t>(times[i]), x),
                                    {{"axis", axis}}, 1)[0];
                   }
                   n.result(x);
                 })
      .sample({{2, 3}}, {.fill = 2});

  op.signature("zeros_like(x, name='')")
      .doc("Zeros in the shape of x.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b) { b.result(b.call("constant_like", {b.x()}, {{"fill", 0.0}})); })
      .sample({{2, 3}});

  op.signature("ones_like(x, name='')")
      .doc("Ones in the shape of x.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b) { b.result(b.call("constant_like", {b.x()}, {{"fill", 1.0}})); })
      .sample({{2, 3}});
}
