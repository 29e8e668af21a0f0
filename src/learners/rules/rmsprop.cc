// a = gamma a + (1 - gamma) g²; a step size for each element grows by `inc` up to `max` while the sign of g
// stays, and shrinks by `dec` down to `min` when it changes;  w = w - rate g step / sqrt(a + 1e-6), divided
// by the mean of step / sqrt(a + 1e-6) if wanted.
//
// T. Tieleman, G. Hinton, Lecture 6.5 of Neural networks for machine learning, 2012. In the first update a is
// g², the step 0.02.
#include "learners/builtin.h"

#include <limits>
#include <span>
#include <string>

#include <cantik/error.h>

namespace cantik {
namespace {

class RmsProp final : public BuiltinLearner {
 public:
  struct Options {
    double gamma = 0;
    double inc = 0;
    double dec = 0;
    double max = 0;
    double min = 0;
    bool need_ave_multiplier = true;

    static constexpr auto fields() {
      return list(option("gamma", &Options::gamma, "how slowly the average of squares forgets")
                      .required()
                      .above(0)
                      .below(1)
                      .refusal(ErrorKind::runtime, "RMSProp gamma must be in range (0.0, 1.0)"),
                  option("inc", &Options::inc, "by what a factor is multiplied while the sign stays")
                      .required()
                      .above(1)
                      .refusal(ErrorKind::runtime, "RMSProp inc must be greater than 1"),
                  option("dec", &Options::dec, "by what a factor is multiplied when the sign changes")
                      .required()
                      .above(0)
                      .below(1)
                      .refusal(ErrorKind::runtime, "RMSProp dec must be in range (0.0, 1.0)"),
                  option("max", &Options::max, "the largest factor, above min").required(),
                  option("min", &Options::min, "the smallest factor")
                      .required()
                      .above(0)
                      .refusal(ErrorKind::runtime, "RMSProp min must be greater than zero"),
                  option("need_ave_multiplier", &Options::need_ave_multiplier,
                         "steps are scaled to the average of the factors"));
    }
  };

  RmsProp(LearnerArguments a, const Options& o)
      : BuiltinLearner(std::move(a), {.states = 3,
                                      .rates = 7,
                                      .form = StateForm::stacked,
                                      .averages = o.need_ave_multiplier,
                                      .counts = true}),
        options_(o) {
    if (!(o.max > o.min)) throw runtime_error("RMSProp max must be greater than zero and greater than min");
  }

 private:
  static constexpr double kFirstStep = 0.02;

  // Brings the states forward: squares, signs, steps. Returns step / sqrt(a + 1e-6).
  static Real advance(Element& e) {
    Real gamma = e.rate[1], inc = e.rate[2], dec = e.rate[3], most = e.rate[4], least = e.rate[5],
         first = e.rate[6];
    Real squared = e.g * e.g, sign_now = sign(e.g);
    Real a = select(first, squared, e.state[0]), step = select(first, kFirstStep, e.state[2]);
    e.state[0] = gamma * a + (1 - gamma) * squared;
    e.state[2] = select(e.state[1] * sign_now > 0, min(step * inc, most), max(step * dec, least));
    e.state[1] = sign_now;
    return e.state[2] / sqrt(e.state[0] + 1e-6);
  }
  Real multiplier(const Element& e) const override {
    Element copy = e;
    return advance(copy);
  }
  std::string name() const override { return "rmsprop"; }
  void trace(Element& e) const override {
    // Steps without a limit grow until their mean is infinite: from then on the parameter rests, as in CNTK.
    Real m = select(e.average < std::numeric_limits<double>::infinity(), advance(e) / e.average, 0.0);
    e.w = e.w - e.rate[0] * (e.g * m);
  }
  void rates(std::span<double> r, int64_t samples) override {
    r[0] = rate_for(samples);
    r[1] = options_.gamma;
    r[2] = options_.inc;
    r[3] = options_.dec;
    r[4] = options_.max;
    r[5] = options_.min;
    r[6] = smoothed_count_ == 0;
    ++smoothed_count_;
  }

  Options options_;
};

}  // namespace

CANTIK_LEARNER(rmsprop) {
  learner.is<RmsProp>()
      .doc(
          "RMSProp, with factors for each element that grow while its gradient keeps its sign (Tieleman and "
          "Hinton 2012).")
      .rate_meaning(RateMeaning::scaled)
      .example("0.1, gamma=0.9, inc=1.2, dec=0.5, max=10, min=0.1");
}

}  // namespace cantik
