// y = scale (x - mean) / sqrt(variance + epsilon) + bias, for each channel or each element. In training mean
// and variance are those of the batch, and running ones follow them; in evaluation they are the running ones.
//
// The variance is the mean square over the samples (and pixels); the running one is n / (n - 1) of it.
// Running values move to the batch's by the part 1 - exp(-samples / time constant), by all of it with the
// first batch. As CNTK 2.7 does on CPUs, the blend time constant is kept and written, but has no effect.
#include <cmath>
#include <limits>

#include <cantik/op.h>

#include "ops/nn/onnx_windows.h"

using namespace cantik;

namespace {

struct BatchNormalization {
  bool spatial = false;
  double normalization_time_constant = 5000, blend_time_constant = 0, epsilon = 0.00001;
  bool use_cudnn_engine = false, disable_regularization = false;
  static constexpr auto fields() {
    using A = BatchNormalization;
    return list(
        field("spatial", &A::spatial, "one mean for each channel, the first axis; else one for each element")
            .key("spatial"),
        field("normalization_time_constant", &A::normalization_time_constant,
              "in samples; 0: the last batch's values; negative: the mean over all")
            .key("normalizationTimeConstant"),
        field("blend_time_constant", &A::blend_time_constant, "has no effect on CPUs")
            .key("blendTimeConstant"),
        field("epsilon", &A::epsilon, "added to the variance").key("epsilon"),
        field("use_cudnn_engine", &A::use_cudnn_engine, "no effect").key("useCuDNNEngine"),
        field("disable_regularization", &A::disable_regularization,
              "learners leave scale and bias unregularised")
            .key("disableRegularization"));
  }
};

// A row as [1, channels, inner], and the shape under which values of the channels broadcast to it.
struct ChannelSums {
  int64_t channels, inner;
  Shape aligned;
  ChannelSums(const Shape& x, bool spatial)
      : channels(spatial ? x[0] : x.elements()),
        inner(spatial && x[0] ? x.elements() / x[0] : 1),
        aligned(x) {
    if (spatial)
      for (int i = 1; i < x.rank(); ++i) aligned[i] = 1;
  }
};

constexpr const char* kOperands[] = {"operand",      "scale",           "bias",
                                     "running_mean", "running_inv_std", "running_count"};

constexpr auto infer_normalization = [](Infer& in, const BatchNormalization& a) {
  Shape x = in.shape(0);
  if (x.is_known() && a.spatial && x.rank() == 0)
    throw Failure(CANTIK_RUNTIME,
                  "spatial normalization needs a channel axis, and the operand is a single number",
                  "set spatial to False");
  if (Shape count = in.inputs() > 5 ? in.shape(5) : Shape(); count.is_static() && count.elements() != 1)
    throw value_failure("running_count must be a single number, and has the shape " + count.text());
  if (!(a.blend_time_constant >= 0))
    throw value_failure("blend_time_constant must be at least 0, and is " +
                        std::to_string(a.blend_time_constant));
  // Of spatial ones the number of channels is enough; the other axes may be free.
  bool counted = a.spatial ? x.is_known() && x[0] >= 0 : x.is_static();
  int64_t channels = !counted ? 0 : a.spatial ? x[0] : x.elements();
  for (int i = 1; counted && i < 5; ++i) {
    Shape s = in.shape(i);
    if (!s.is_known()) continue;
    if (s.has_inferred()) {
      int64_t known = 1;
      int open = -1;
      for (int k = 0; k < s.rank(); ++k)
        if (s[k] == kInferred && open < 0)
          open = k;
        else if (s[k] != kInferred)
          known *= s[k];
        else
          s[k] = 1;
      s[open] = channels / std::max<int64_t>(1, known);
      if (!a.spatial && in.shape(i).rank() == x.rank()) s = x;
      in.refine(i, s);
    }
    if (s.elements() != channels)
      throw value_failure(
          std::string(kOperands[i]) + " has the shape " + s.text() + ", but the operand has the shape " +
              x.text(),
          "give it " + std::to_string(channels) +
              (a.spatial ? " numbers, one for each channel" : " numbers, one for each element"));
  }
  in.set(in.like(0, x));
};

constexpr auto lower_normalization = [](Builder& b, const BatchNormalization& a) {
  // Values of the channels may be wider than the operand: the arithmetic is theirs.
  const DType narrow = b.x(0).type().dtype, wide = b.x(1).type().dtype;
  auto widened = [&](Term t) { return t.type().dtype == wide ? t : b.call("cast", {t}, {{"dtype", wide}}); };
  Term x = widened(b.x(0));
  auto result = [&](Term y) { b.result(narrow == wide ? y : b.call("cast", {y}, {{"dtype", narrow}})); };
  ChannelSums c(x.shape(), a.spatial);
  Shape flat{c.channels};
  auto vector = [&](Term t) {
    return t.shape() == flat ? widened(t) : b.call("view", {widened(t)}, {{"shape", flat}});
  };
  auto aligned = [&](Term t) {
    return t.shape() == c.aligned ? t : b.call("view", {t}, {{"shape", c.aligned}});
  };
  Term scale = vector(b.x(1)), bias = vector(b.x(2)), mean = vector(b.x(3)), variance = vector(b.x(4));
  if (b.training()) {
    std::vector<Term> y =
        b.call_all("normalize_batch", {x, scale, bias},
                   {{"channels", c.channels}, {"inner", c.inner}, {"epsilon", a.epsilon}}, 3);
    Term count = b.call("reduced_count", {x, y[1]});
    b.call_all("follow_batch", {mean, variance, b.x(5), y[1], y[2], count},
               {{"time_constant", a.normalization_time_constant}, {"inner", c.inner}}, 0);
    result(y[0]);
    return;
  }
  Term factor = b.map({scale, variance, b.constant(a.epsilon, scale)},
                      [](Real s, Real v, Real e) { return s / sqrt(v + e); });
  result(b.map({x, aligned(mean), aligned(factor), aligned(bias)},
               [](Real v, Real m, Real f, Real shift) { return (v - m) * f + shift; }));
};

struct Normalize {
  int64_t channels = 1, inner = 1;
  double epsilon = 0;
  static constexpr auto fields() {
    return list(field("channels", &Normalize::channels, "how many"),
                field("inner", &Normalize::inner, "numbers of a channel side by side"),
                field("epsilon", &Normalize::epsilon, "added to the variance"));
  }
  // Channels that are not the first axis are all the axes there are: their order is not that of pixels.
  Term image(Builder& b, Term x) const {
    const Shape s = x.shape();
    if (s.rank() < 2 || s[0] == channels || s.has_free()) return x;
    return b.call("view", {x}, {{"shape", Shape{s.elements()}}});
  }
};

struct Follow {
  double time_constant = 0;
  int64_t inner = 1;
  static constexpr auto fields() {
    return list(field("time_constant", &Follow::time_constant, "in samples"),
                field("inner", &Follow::inner, "numbers of a channel in a sample"));
  }
};

template <class T>
struct FollowKernel final : Kernel {
  Follow a;
  int64_t channels;
  FollowKernel(const Follow& a, int64_t channels) : a(a), channels(channels) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    auto at = [&](int i) { return static_cast<T*>(r.in(i).data); };
    double n = static_cast<double>(*at(5)), samples = n / static_cast<double>(a.inner),
           before = static_cast<double>(*at(2));
    double part = before == 0                   ? 1
                  : a.time_constant < 0         ? samples / (before + samples)
                  : std::isinf(a.time_constant) ? 0
                  : a.time_constant == 0        ? 1
                                                : -std::expm1(-samples / a.time_constant);
    double unbiased = n > 1 ? n / (n - 1) : 1;
    for (int64_t c = 0; c < channels; ++c) {
      at(0)[c] =
          static_cast<T>(part * static_cast<double>(at(3)[c]) + (1 - part) * static_cast<double>(at(0)[c]));
      at(1)[c] = static_cast<T>(part * unbiased * static_cast<double>(at(4)[c]) +
                                (1 - part) * static_cast<double>(at(1)[c]));
    }
    *at(2) = static_cast<T>(before + samples);
  }
};

// CNTK's files and those of ONNX's sets before 9 have a scale for each number of a sample, too.
bool has_scale_for_each_channel(OnnxNode& n, Term x) {
  const std::vector<int64_t> dims = n.dims(x), scale = n.dims(n.x(1));
  int64_t scales = 1, numbers = 1;
  for (int64_t d : scale) scales *= d;
  for (size_t i = 1; i < dims.size(); ++i) numbers *= std::max<int64_t>(dims[i], 0);
  return scales == dims[1] || scales != numbers;
}

// In training mode: with the mean and the variance of the operand, which move the running ones.
void read_statistics(OnnxNode& n) {
  const Term x = n.plain(n.x());
  const std::vector<int64_t> dims = n.dims(x);
  if (dims.size() < 2) OnnxNode::refuse("it is in training mode, and its operand has no channels");
  std::vector<int64_t> axes, column(dims.size(), 1);
  column[1] = dims[1];
  for (size_t i = 0; i < dims.size(); ++i)
    if (i != 1) axes.push_back(static_cast<int64_t>(i));
  auto mean_of = [&](Term v) {
    return n.with_dims(n.call("reduce_mean", {v}, {{"axis", axes}, {"keepdims", true}}), column);
  };
  auto channels = [&](int i) { return n.reshape(n.plain(n.x(i)), column); };
  const Term mean = mean_of(x), centred = n.with_dims(x - mean, dims), variance = mean_of(centred * centred);
  const Term deviation = n.call("sqrt", {variance + n.constant(n.real("epsilon", 1e-5), variance)});
  const Term y = n.call("ieee_divide", {centred, deviation}) * channels(1) + channels(2);
  const Term normalized = n.with_dims(y, dims);
  n.result(0, n.lead(n.x()) == 1 ? n.rows(normalized) : normalized);
  const double momentum = n.real("momentum", 0.9);
  auto moved = [&](int i, Term now) {
    const Term mixed = channels(i) * n.constant(momentum, now) + now * n.constant(1 - momentum, now);
    return n.reshape(n.with_dims(mixed, column), {dims[1]});
  };
  if (n.outputs() > 1) n.result(1, moved(3, mean));
  if (n.outputs() > 2) n.result(2, moved(4, variance));
}

}  // namespace

CANTIK_OP(batch_normalization) {
  op.attributes<BatchNormalization>(
        "batch_normalization(operand, scale, bias, running_mean, running_inv_std, spatial, "
        "normalization_time_constant=5000, blend_time_constant=0, epsilon=1e-05, "
        "use_cudnn_engine=False, disable_regularization=False, name='', running_count=None)")
      .doc(
          "scale * (x - mean) / sqrt(variance + epsilon) + bias. In training mean and variance are those of "
          "the batch, in evaluation the running ones, which follow the batches "
          "(running_inv_std is a variance). Without running_count the count starts at 0 with this function.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const BatchNormalization& a) {
        Term count = b.inputs() > 5 ? b.x(5) : b.constant(0, b.x(1));
        b.result(b.call("batch_normalize", {b.x(0), b.x(1), b.x(2), b.x(3), b.x(4), count},
                        {{"spatial", a.spatial},
                         {"normalization_time_constant", a.normalization_time_constant},
                         {"blend_time_constant", a.blend_time_constant},
                         {"epsilon", a.epsilon},
                         {"use_cudnn_engine", a.use_cudnn_engine},
                         {"disable_regularization", a.disable_regularization}}));
      })
      .named("test.gradient", "training takes the statistics of the batch, evaluation the running ones")
      .named("test.operands", "bppccc")
      .sample({{2, 3}, {2}, {2}, {2}, {2}, {}}, {.spatial = true})
      .sample({{3}, {3}, {3}, {3}, {3}, {}});

  op.attributes<BatchNormalization>(
        "batch_normalize(operand, scale, bias, running_mean, running_inv_std, running_count, name='')")
      .doc("Batch normalisation.")
      .traits(CANTIK_HIDDEN)
      .type(infer_normalization)
      .lower(lower_normalization)
      .cntk("BatchNormalization", 40)
      .keeps_pixels()
      .onnx_write("BatchNormalization",
                  [](OnnxGraph& g, const BatchNormalization& a) {
                    const Shape x = g.shape();
                    auto line = [&](int i) {
                      const OnnxValue v = g.shape(i).rank() == 1 ? g.x(i) : g.reshape(g.x(i), 0, Shape{-1});
                      const bool all_one = g.version() < 15;  // later ones may have types of their own
                      const DType type = g.in(0).dtype;
                      return all_one && g.in(i).dtype != type ? g.cast(v, g.type_number(type)) : v;
                    };
                    const bool flat = !a.spatial && x.rank() != 1;
                    OnnxValue in = onnx_windows::folded(g, 0);
                    if (flat) in = g.reshape(in, 1, Shape{x.elements()});
                    OnnxValue y = g.node("BatchNormalization", {in, line(1), line(2), line(3), line(4)},
                                         {{"epsilon", a.epsilon}});
                    if (flat) y = g.reshape(y, 1, x);
                    g.result(onnx_windows::unfolded(g, y, 0));
                  })
      .onnx_read("BatchNormalization",
                 [](OnnxNode& n) {
                   if (n.integer("training_mode")) return read_statistics(n);
                   Term x = n.rows(n.x());
                   if (n.rank(x) < 2) x = n.reshape(x, {n.dims(x).at(0), 1});
                   // the running values are no weights
                   auto running = [&](int i) {
                     return n.known(n.x(i)) ? n.constants(n.numbers(i), n.dims(n.x(i)), n.x(i)) : n.x(i);
                   };
                   n.result(n.call("batch_normalization", {x, n.x(1), n.x(2), running(3), running(4)},
                                   {{"spatial", has_scale_for_each_channel(n, x)},
                                    {"epsilon", n.real("epsilon", 1e-5)}}));
                 })
      .sample({{2, 3}, {2}, {2}, {2}, {2}, {}}, {.spatial = true});

  // y, mean and variance of the batch; their gradient is that of y alone.
  op.attributes<Normalize>("normalize_batch(x, scale, bias, channels=1, inner=1, epsilon=0.0)")
      .outputs(3)
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Normalize& a) {
        TypeView x = in.in(0), v = in.like(1, Shape{a.channels});
        in.set(0, in.like(0, x.shape));
        v.axes = CANTIK_NO_AXES;
        in.set(1, v);
        in.set(2, v);
      })
      .gradient([](Gradient& g, const Normalize& a) {
        if (!g.dy(0)) return;
        Term x = g.x(0), dy = g.dy(0), mean = g.y(1), variance = g.y(2);
        std::vector<Term> s = g.call_all("channel_products", {a.image(g, x), a.image(g, dy), mean},
                                         {{"channels", a.channels}, {"pixels", a.inner}}, 2);
        std::vector<Term> f =
            g.call_all("batch_factors", {s[0], s[1], variance, g.x(1), g.call("reduced_count", {x, mean})},
                       {{"epsilon", a.epsilon}}, 5);
        if (g.wanted(1)) g.dx(1, f[0]);
        if (g.wanted(2)) g.dx(2, f[1]);
        if (!g.wanted(0)) return;
        Shape shape = x.shape(), aligned = a.inner == 1 ? shape : ChannelSums(shape, true).aligned;
        auto wide = [&](Term t) { return g.call("view", {t}, {{"shape", aligned}}); };
        // dx = p dy + q (x - mean) + r
        g.dx(0,
             g.map({dy, x, wide(mean), wide(f[2]), wide(f[3]), wide(f[4])},
                   [](Real d, Real v, Real m, Real p, Real q, Real r) { return d * p + ((v - m) * q + r); }));
      })
      .finish([](Builder& b, const Normalize& a) {
        Term x = b.x(0), scale = b.x(1), bias = b.x(2);
        Shape shape = x.shape(), aligned = a.inner == 1 ? shape : ChannelSums(shape, true).aligned;
        auto wide = [&](Term t) { return b.call("view", {t}, {{"shape", aligned}}); };
        std::vector<Term> sums =
            b.call_all("channel_sums", {a.image(b, x)}, {{"channels", a.channels}, {"pixels", a.inner}}, 2);
        Shape flat{a.channels};
        Term like = b.call("view", {scale}, {{"shape", flat}});
        std::vector<Term> moments =
            b.call_all("channel_moments", {sums[0], sums[1], b.call("reduced_count", {x, like})}, {}, 2);
        Term factor = b.map({scale, moments[1], b.constant(a.epsilon, scale)},
                            [](Real s, Real v, Real e) { return s / sqrt(v + e); });
        b.result(0, b.map({x, wide(moments[0]), wide(factor), wide(bias)},
                          [](Real v, Real m, Real f, Real shift) { return (v - m) * f + shift; }));
        b.result(1, moments[0]);
        b.result(2, moments[1]);
      });

  // Running values take a step towards the batch's; the first operand is what the effect changes, the next
  // two as well.
  op.attributes<Follow>(
        "follow_batch(running_mean, running_variance, running_count, mean, variance, count, "
        "time_constant=0.0, inner=1)")
      .outputs(0)
      .traits(CANTIK_HIDDEN | CANTIK_EFFECT)
      .type([](Infer&, const Follow&) {})
      .kernel("step", [](const Prepare& p, const Follow& a) -> std::unique_ptr<Kernel> {
        int64_t n = p.in(3).shape.elements();
        return of_type<FollowKernel>(p.in(0).dtype, a, n);
      });
}
