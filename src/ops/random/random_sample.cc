// Classes drawn in proportion to weights, and how often each is to be expected.
#include <algorithm>
#include <span>

#include <cantik/error.h>
#include <cantik/initializer.h>
#include <cantik/op.h>

#include "ops/shape/sparse_rows.h"
#include "tensor/random_sample.h"

using namespace cantik;

namespace {

struct DrawnClasses {
  int64_t num_samples = 1;
  bool allow_duplicates = true;
  int64_t seed = static_cast<int64_t>(kAutoSeed), rng_offset = 0;
  static constexpr auto fields() {
    return list(
        field("num_samples", &DrawnClasses::num_samples, "how many are drawn").key("numSamples"),
        field("allow_duplicates", &DrawnClasses::allow_duplicates, "whether a class may come twice")
            .key("allowDuplicates"),
        field("seed", &DrawnClasses::seed, "where the stream begins").key("rngSeed").role(CANTIK_SEED).live(),
        field("rng_offset", &DrawnClasses::rng_offset, "how many numbers were drawn before")
            .key("rngOffset"));
  }
};

void check_drawn(Infer& in, const DrawnClasses& a) {
  TypeView w = in.in(0);
  const bool fits = !w.shape.is_known() || w.shape.rank() == 1 || (w.shape.rank() == 2 && w.shape[0] == 1);
  if (w.dtype == DType::float16)
    throw value_failure("the weights must not be float16", "cast the weights to float32");
  if (!fits)
    throw value_failure("the weights must have the shape [classes] or [1, classes], and have " +
                        w.shape.text());
  if (!w.shape.is_static()) return;
  try {
    check_sample(a.num_samples, w.shape.elements(), a.allow_duplicates);
  } catch (const std::exception& e) {
    throw value_failure(e.what());
  }
}

// Weights are data: what is wrong with them is found in the run.
template <class F>
auto of_weights(F f) {
  try {
    return f();
  } catch (const Error& e) {
    throw value_failure(e.what());
  }
}

template <class T>
struct Rows final : Kernel {
  DrawnClasses a;
  int64_t classes;
  Rows(const DrawnClasses& a, int64_t classes) : a(a), classes(classes) {
    scratch_bytes = static_cast<int64_t>(sizeof(int32_t)) * a.num_samples;
  }
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    std::vector<double> sums =
        of_weights([&] { return sums_of_weights<T>({r.row<T>(0, 0), static_cast<size_t>(classes)}); });
    std::span<int32_t> picked(r.scratch<int32_t>(), static_cast<size_t>(a.num_samples));
    RandomStream& s = *static_cast<RandomStream*>(r.draws());
    sample_classes(s, sums, a.allow_duplicates, picked);
    const cantik_operand& y = r.out();
    const_cast<int64_t*>(y.starts)[0] = 0;
    const_cast<int64_t*>(y.starts)[1] = a.num_samples;
    for (int64_t i = 0; i < a.num_samples; ++i) {
      const_cast<int32_t*>(y.columns)[i] = static_cast<int32_t>(i * classes + picked[i]);
      static_cast<T*>(y.data)[i] = 1;
    }
  }
};

template <class T>
struct Frequencies final : Kernel {
  DrawnClasses a;
  int64_t classes;
  Frequencies(const DrawnClasses& a, int64_t classes) : a(a), classes(classes) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    std::span<const T> weights(r.row<T>(0, 0), static_cast<size_t>(classes));
    std::span<T> y(r.result<T>(0, 0), static_cast<size_t>(classes));
    of_weights([&] {
      inclusion_frequencies<T>(*static_cast<RandomStream*>(r.draws()), weights, a.num_samples,
                               a.allow_duplicates, y);
    });
  }
};

template <template <class> class K>
std::unique_ptr<Kernel> of_weights(const Prepare& p, const DrawnClasses& a) {
  if (p.in(0).axes > CANTIK_NO_AXES)
    throw value_failure("the weights must not have a batch axis", "give the weights as one vector");
  int64_t n = p.in(0).shape.elements();
  return of_type<K>(p.dtype(), a, n);
}

}  // namespace

CANTIK_OP(random_sample) {
  op.attributes<DrawnClasses>(
        "random_sample(weights, num_samples, allow_duplicates, seed=SentinelValueForAutoSelectRandomSeed, "
        "name='')")
      .doc(
          "[num_samples, classes], sparse: in each row a 1 at a class drawn in proportion to the weights, "
          "new ones in each run.\n"
          "weights: [classes], or [1, classes].")
      .traits(CANTIK_DRAWS | CANTIK_NO_GRADIENT)
      .type([](Infer& in, const DrawnClasses& a) {
        check_drawn(in, a);
        Shape w = in.shape(0);
        TypeView t = in.like(0, w.is_known() ? Shape{a.num_samples, w[w.rank() - 1]} : w);
        t.storage = CANTIK_CSR;
        t.entries = a.num_samples;
        if (t.shape.is_known()) check_columns(t.shape);
        in.set(t);
      })
      .kernel("stream", [](const Prepare& p, const DrawnClasses& a) { return of_weights<Rows>(p, a); })
      .cntk("RandomSample", 45)
      .named("test.operands", "c")
      .sample_between(0.1, 1, {{6}}, {.num_samples = 3, .allow_duplicates = true});

  op.attributes<DrawnClasses>(
        "random_sample_inclusion_frequency(weights, num_samples, allow_duplicates, "
        "seed=SentinelValueForAutoSelectRandomSeed, name='')")
      .doc(
          "How often each class is to be expected among num_samples drawn by random_sample, in the shape of "
          "the weights.\n"
          "weights: [classes], or [1, classes].")
      .traits(CANTIK_DRAWS | CANTIK_NO_GRADIENT)
      .type([](Infer& in, const DrawnClasses& a) {
        check_drawn(in, a);
        in.set(in.like(0, in.shape(0)));
      })
      .kernel("stream", [](const Prepare& p, const DrawnClasses& a) { return of_weights<Frequencies>(p, a); })
      .cntk("RandomSampleInclusionFrequency", 46)
      .named("test.operands", "c")
      .sample_between(0.1, 1, {{6}}, {.num_samples = 3})
      .sample_between(0.1, 1, {{1, 6}}, {.num_samples = 3});
}
