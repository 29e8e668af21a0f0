// The rate finder: L. N. Smith, Cyclical learning rates for training neural networks (2017).
#include <cantik/rate_finder.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include <cantik/error.h>

#include "base/text.h"
#include "learners/define.h"  // how an option that is a schedule is described
#include "train/calls.h"
#include "train/minibatch_size.h"

namespace cantik {
namespace {

void check_rates(const RateFinderOptions& o) {
  if (!(o.from > 0 && o.to > o.from && std::isfinite(o.to)))
    throw value_error(cat("the rates must be above 0 and rise, and are ", o.from, " and ", o.to));
  check_options(o);
}

// Where the loss falls steepest, by the logarithm of the rate: from the mean of some losses to that of as
// many behind them, since single ones differ by what is in their minibatches.
double steepest(const RateCurve& c) {
  const size_t n = c.losses.size(), some = std::max<size_t>(n / 8, 1);
  size_t best = 0;
  double slope = 0;
  for (size_t i = some; i + some <= n; ++i) {
    const auto at = c.losses.begin() + static_cast<std::ptrdiff_t>(i);
    const auto part = static_cast<std::ptrdiff_t>(some);
    const double fall = std::accumulate(at - part, at, 0.0) - std::accumulate(at, at + part, 0.0);
    if (fall > slope) slope = fall, best = i;
  }
  return c.rates[best];
}

// Puts trainer and source back, however the search ends.
class TrainingPosition {
 public:
  TrainingPosition(Trainer& trainer, FeedSource& source)
      : trainer_(trainer), source_(source), trained_(trainer.checkpoint()), read_(source.state()) {}
  void restore() {
    trainer_.restore_checkpoint(trained_);
    source_.restore(read_);
  }

 private:
  Trainer& trainer_;
  FeedSource& source_;
  Dictionary trained_, read_;
};

RateCurve curve_of(Trainer& trainer, FeedSource& source, const RateFinderOptions& o) {
  RateCurve curve;
  double average = 0, weight = 0, smallest = INFINITY;
  const double growth = std::pow(o.to / o.from, 1.0 / static_cast<double>(o.minibatches - 1));
  int64_t seen = 0;
  for (int64_t i = 0; i < o.minibatches; ++i) {
    const std::optional<FeedMinibatch> next = source.next(whole_size(o.minibatch_size[seen]));
    if (!next) break;
    const double rate = o.from * std::pow(growth, static_cast<double>(i));
    for (const LearnerPtr& l : trainer.parameter_learners()) l->reset_learning_rate(rate);
    trainer.train_minibatch(next->feeds, {.sweep_end = next->sweep_end, .threads = o.threads});
    seen += trainer.previous_minibatch_sample_count();
    if (trainer.previous_minibatch_sample_count() == 0) continue;
    average = o.smoothing * average + (1 - o.smoothing) * trainer.previous_minibatch_loss_average();
    weight = o.smoothing * weight + (1 - o.smoothing);
    const double loss = average / weight;
    if (!std::isfinite(loss) || loss > o.stop_at * smallest) break;
    smallest = std::min(smallest, std::max(loss, 0.0));
    curve.rates.push_back(rate);
    curve.losses.push_back(loss);
  }
  return curve;
}

}  // namespace

RateCurve find_learning_rate(Trainer& trainer, FeedSource& source, const RateFinderOptions& options) {
  check_rates(options);
  TrainingPosition position(trainer, source);
  RateCurve curve;
  try {
    curve = curve_of(trainer, source, options);
  } catch (...) {
    position.restore();
    throw;
  }
  position.restore();
  if (curve.rates.size() < 2)
    throw value_error(cat("the rate finder needs at least two minibatches with finite losses, and has ",
                          curve.rates.size()))
        .remedy("give a source with more samples, smaller minibatches, or a smaller first rate");
  curve.suggestion = steepest(curve);
  return curve;
}

void describe_rate_finder(CallDefinitions& calls) {
  using O = RateFinderOptions;
  calls.add("find_learning_rate", "train", "function")
      .is("find_learning_rate")
      .body("curve_of")
      .given("trainer", "Trainer", "", "all its learners get the same rate")
      .given("minibatch_source", "Any", "",
             "a source, or a tuple of arrays in the order of the loss's arguments")
      .option<O>("RateFinderOptions", "minibatch_size", {"Any", "32", "; a number or a schedule"})
      .given("model_inputs_to_streams", "Any", "None", "which input gets which stream of a source")
      .option<O>("RateFinderOptions", "start")
      .option<O>("RateFinderOptions", "stop")
      .option<O>("RateFinderOptions", "minibatches")
      .option<O>("RateFinderOptions", "smoothing")
      .option<O>("RateFinderOptions", "stop_at")
      .returns("RateCurve")
      .raises("ValueError: rates that do not rise, or fewer than two minibatches with finite losses")
      .example(
          "x, y = C.input_variable(2), C.input_variable(1)\n"
          "z = C.layers.Dense(1)(x)\n"
          "data = np.ones((100, 2), np.float32), np.ones((100, 1), np.float32)\n"
          "trainer = C.Trainer(z, C.squared_error(z, y), [C.sgd(z.parameters, 1.0)])\n"
          "curve = C.train.find_learning_rate(trainer, data, minibatch_size=10, stop=0.1)\n"
          "1e-6 < curve.suggestion <= 0.1");
}

}  // namespace cantik
