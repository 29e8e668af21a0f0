// The built-in learners. Written by tools/generate from the learners' files: change those.
//
//   LearnerPtr l = adam(z.parameters(), 0.001, {.momentum = 0.9, .l2_regularization_weight = 1e-4});
//
// The meaning of a rate is CNTK's. A rate without a minibatch size (a plain number) is for the mean gradient
// of a minibatch. Steps of adaptive learners do not grow with the gradient: for them such a rate is divided
// by the number of samples, so that on 50 samples a step is a fiftieth of that of other toolkits. With
// {.use_mean_gradient = true}, or with a schedule for one sample, a step is as large as the rate says.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <cantik/api.h>
#include <cantik/learner.h>
#include <cantik/option.h>
#include <cantik/schedule.h>

namespace cantik {

// Options of adadelta().
struct AdadeltaOptions {
  // how slowly averages forget
  double rho = 0.95;
  // added under the roots
  double epsilon = 1e-08;
  // weight of |w|, a sample
  double l1_regularization_weight = 0;
  // weight of |w|^2/2, a sample
  double l2_regularization_weight = 0;
  // noise on the gradient
  TrainingParameterSchedule gaussian_noise_injection_std_dev = 0;
  // how large a gradient may be
  double gradient_clipping_threshold_per_sample = std::numeric_limits<double>::infinity();
  // each element is cut; otherwise the norm is
  bool gradient_clipping_with_truncation = true;
  // gradients are averaged over the minibatch before anything else, and a rate is taken as it is
  std::optional<bool> use_mean_gradient = {};
  // the size that rates without a size of their own are meant for; IGNORE (0) for any; at least 0
  std::optional<int64_t> minibatch_size = {};
  // the most that the norm of all gradients together, means over the samples, may be; beyond it all are
  // scaled alike, before the other ways of clipping; above 0
  double gradient_clipping_global_norm = std::numeric_limits<double>::infinity();
};

// AdaDelta: steps as large as the steps before them (Zeiler 2012).
//
//   a = rho a + (1 - rho) g²
//   d = g sqrt(x + epsilon) / sqrt(a + epsilon)
//   x = rho x + (1 - rho) d²
//   w = w - rate d
CANTIK_API LearnerPtr adadelta(std::vector<Variable> parameters, TrainingParameterSchedule lr = {1, 1},
                               const AdadeltaOptions& options = {});

// Options of adagrad().
struct AdagradOptions {
  // steps are scaled to the average of the factors
  bool need_ave_multiplier = true;
  // weight of |w|, a sample
  double l1_regularization_weight = 0;
  // weight of |w|^2/2, a sample
  double l2_regularization_weight = 0;
  // noise on the gradient
  TrainingParameterSchedule gaussian_noise_injection_std_dev = 0;
  // how large a gradient may be
  double gradient_clipping_threshold_per_sample = std::numeric_limits<double>::infinity();
  // each element is cut; otherwise the norm is
  bool gradient_clipping_with_truncation = true;
  // gradients are averaged over the minibatch before anything else, and a rate is taken as it is
  std::optional<bool> use_mean_gradient = {};
  // the size that rates without a size of their own are meant for; IGNORE (0) for any; at least 0
  std::optional<int64_t> minibatch_size = {};
  // the most that the norm of all gradients together, means over the samples, may be; beyond it all are
  // scaled alike, before the other ways of clipping; above 0
  double gradient_clipping_global_norm = std::numeric_limits<double>::infinity();
};

// AdaGrad: rates fall with the sum of squared gradients (Duchi et al. 2011).
//
//   a = a + g²;  w = w - rate g / sqrt(a + 1e-16), divided by the mean of 1 / sqrt(a + 1e-16) over the
//   parameter if wanted.
CANTIK_API LearnerPtr adagrad(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                              const AdagradOptions& options = {});

// Options of adam().
struct AdamOptions {
  // the share of the smoothed gradient that stays
  Required<TrainingParameterSchedule> momentum;
  // the new gradient is scaled by 1 - momentum
  bool unit_gain = default_unit_gain();
  // the share of the smoothed squared gradient that stays
  TrainingParameterSchedule variance_momentum = default_variance_momentum();
  // weight of |w|, a sample
  double l1_regularization_weight = 0;
  // weight of |w|^2/2, a sample
  double l2_regularization_weight = 0;
  // noise on the gradient
  TrainingParameterSchedule gaussian_noise_injection_std_dev = 0;
  // how large a gradient may be
  double gradient_clipping_threshold_per_sample = std::numeric_limits<double>::infinity();
  // each element is cut; otherwise the norm is
  bool gradient_clipping_with_truncation = true;
  // gradients are averaged over the minibatch before anything else, and a rate is taken as it is
  std::optional<bool> use_mean_gradient = {};
  // added to the root; at least 0
  double epsilon = 1e-08;
  // the variant with the largest gradient
  bool adamax = false;
  // the size that rates without a size of their own are meant for; IGNORE (0) for any; at least 0
  std::optional<int64_t> minibatch_size = {};
  // the most that the norm of all gradients together, means over the samples, may be; beyond it all are
  // scaled alike, before the other ways of clipping; above 0
  double gradient_clipping_global_norm = std::numeric_limits<double>::infinity();
};

// Adam (Kingma and Ba 2015), with CNTK's order of operations; adamax: its variant with the largest
// gradient.
//
//   a = v a + (1 - v) g²;  s = momentum s + gain g;  w = w - c s / (sqrt(a) + epsilon),
//   c = rate sqrt(1 - v^t) / (1 - momentum^t) in the t-th update. AdaMax: a = max(v a, |g|), c = rate / (1 -
//   momentum^t), no root.
CANTIK_API LearnerPtr adam(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                           const AdamOptions& options);

// Options of adamw().
struct AdamwOptions {
  // the share of the smoothed gradient that stays, 0.9 by default
  TrainingParameterSchedule momentum = 0.9;
  // the share of the smoothed squared gradient that stays, 0.999 by default
  TrainingParameterSchedule variance_momentum = 0.999;
  // the share of w, times the rate, that a step takes away; at least 0
  double weight_decay = 0.01;
  // weight of |w|, a sample
  double l1_regularization_weight = 0;
  // weight of |w|^2/2, a sample
  double l2_regularization_weight = 0;
  // noise on the gradient
  TrainingParameterSchedule gaussian_noise_injection_std_dev = 0;
  // how large a gradient may be
  double gradient_clipping_threshold_per_sample = std::numeric_limits<double>::infinity();
  // each element is cut; otherwise the norm is
  bool gradient_clipping_with_truncation = true;
  // gradients are averaged over the minibatch before anything else, and a rate is taken as it is
  std::optional<bool> use_mean_gradient = {};
  // added to the root; at least 0
  double epsilon = 1e-08;
  // whether the first averages are scaled up, which begin at 0
  bool correct_bias = true;
  // the size that rates without a size of their own are meant for; IGNORE (0) for any; at least 0
  std::optional<int64_t> minibatch_size = {};
  // the most that the norm of all gradients together, means over the samples, may be; beyond it all are
  // scaled alike, before the other ways of clipping; above 0
  double gradient_clipping_global_norm = std::numeric_limits<double>::infinity();
};

// AdamW (Loshchilov and Hutter 2019): Adam with a decay of the parameters that is no part of the gradient.
//
//   a = v a + (1 - v) g²;  s = momentum s + (1 - momentum) g
//   w = w - c s / (sqrt(a) + epsilon) - rate weight_decay w
//   c = rate sqrt(1 - v^t) / (1 - momentum^t) in the t-th update; epsilon is scaled by sqrt(1 - v^t), too
CANTIK_API LearnerPtr adamw(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                            const AdamwOptions& options = {});

// Options of fsadagrad().
struct FsadagradOptions {
  // the share of the smoothed gradient that stays
  Required<TrainingParameterSchedule> momentum;
  // the new gradient is scaled by 1 - momentum
  bool unit_gain = default_unit_gain();
  // the share of the smoothed squared gradient that stays
  TrainingParameterSchedule variance_momentum = default_variance_momentum();
  // weight of |w|, a sample
  double l1_regularization_weight = 0;
  // weight of |w|^2/2, a sample
  double l2_regularization_weight = 0;
  // noise on the gradient
  TrainingParameterSchedule gaussian_noise_injection_std_dev = 0;
  // how large a gradient may be
  double gradient_clipping_threshold_per_sample = std::numeric_limits<double>::infinity();
  // each element is cut; otherwise the norm is
  bool gradient_clipping_with_truncation = true;
  // gradients are averaged over the minibatch before anything else, and a rate is taken as it is
  std::optional<bool> use_mean_gradient = {};
  // the size that rates without a size of their own are meant for; IGNORE (0) for any; at least 0
  std::optional<int64_t> minibatch_size = {};
  // the most that the norm of all gradients together, means over the samples, may be; beyond it all are
  // scaled alike, before the other ways of clipping; above 0
  double gradient_clipping_global_norm = std::numeric_limits<double>::infinity();
};

// CNTK's FSAdaGrad: momentum over gradients that are divided by their running magnitude.
//
//   a = v a + (1 - v) g²;  g' = g min(target / sqrt(a), 10);  s = momentum s + gain g';  w = w - rate s.
//   The target is the root of the number of samples, smoothed as a is: n = v n + (1 - v) samples.
CANTIK_API LearnerPtr fsadagrad(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                                const FsadagradOptions& options);

// Options of momentum_sgd().
struct MomentumSgdOptions {
  // the share of the smoothed gradient that stays
  Required<TrainingParameterSchedule> momentum;
  // the new gradient is scaled by 1 - momentum
  bool unit_gain = default_unit_gain();
  // weight of |w|, a sample
  double l1_regularization_weight = 0;
  // weight of |w|^2/2, a sample
  double l2_regularization_weight = 0;
  // noise on the gradient
  TrainingParameterSchedule gaussian_noise_injection_std_dev = 0;
  // how large a gradient may be
  double gradient_clipping_threshold_per_sample = std::numeric_limits<double>::infinity();
  // each element is cut; otherwise the norm is
  bool gradient_clipping_with_truncation = true;
  // gradients are averaged over the minibatch before anything else, and a rate is taken as it is
  std::optional<bool> use_mean_gradient = {};
  // the size that rates without a size of their own are meant for; IGNORE (0) for any; at least 0
  std::optional<int64_t> minibatch_size = {};
  // the most that the norm of all gradients together, means over the samples, may be; beyond it all are
  // scaled alike, before the other ways of clipping; above 0
  double gradient_clipping_global_norm = std::numeric_limits<double>::infinity();
};

// Momentum: v = m v + (1 - m) g, w -= rate * v; without unit gain v = m v + g.
//
//   s = momentum s + gain rate g;  w = w - s. The gain is 1 - momentum, or 1 without unit gain.
CANTIK_API LearnerPtr momentum_sgd(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                                   const MomentumSgdOptions& options);

// Options of nesterov().
struct NesterovOptions {
  // the share of the smoothed gradient that stays
  Required<TrainingParameterSchedule> momentum;
  // the new gradient is scaled by 1 - momentum
  bool unit_gain = default_unit_gain();
  // weight of |w|, a sample
  double l1_regularization_weight = 0;
  // weight of |w|^2/2, a sample
  double l2_regularization_weight = 0;
  // noise on the gradient
  TrainingParameterSchedule gaussian_noise_injection_std_dev = 0;
  // how large a gradient may be
  double gradient_clipping_threshold_per_sample = std::numeric_limits<double>::infinity();
  // each element is cut; otherwise the norm is
  bool gradient_clipping_with_truncation = true;
  // gradients are averaged over the minibatch before anything else, and a rate is taken as it is
  std::optional<bool> use_mean_gradient = {};
  // the size that rates without a size of their own are meant for; IGNORE (0) for any; at least 0
  std::optional<int64_t> minibatch_size = {};
  // the most that the norm of all gradients together, means over the samples, may be; beyond it all are
  // scaled alike, before the other ways of clipping; above 0
  double gradient_clipping_global_norm = std::numeric_limits<double>::infinity();
};

// Nesterov's accelerated gradient: momentum, with a look ahead along it (Sutskever et al. 2013).
//
//   s = momentum s + gain rate g;  w = w - momentum s - gain rate g: the step looks one momentum step ahead.
CANTIK_API LearnerPtr nesterov(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                               const NesterovOptions& options);

// Options of rmsprop().
struct RmspropOptions {
  // how slowly the average of squares forgets; above 0 and below 1
  Required<double> gamma;
  // by what a factor is multiplied while the sign stays; above 1
  Required<double> inc;
  // by what a factor is multiplied when the sign changes; above 0 and below 1
  Required<double> dec;
  // the largest factor, above min
  Required<double> max;
  // the smallest factor; above 0
  Required<double> min;
  // steps are scaled to the average of the factors
  bool need_ave_multiplier = true;
  // weight of |w|, a sample
  double l1_regularization_weight = 0;
  // weight of |w|^2/2, a sample
  double l2_regularization_weight = 0;
  // noise on the gradient
  TrainingParameterSchedule gaussian_noise_injection_std_dev = 0;
  // how large a gradient may be
  double gradient_clipping_threshold_per_sample = std::numeric_limits<double>::infinity();
  // each element is cut; otherwise the norm is
  bool gradient_clipping_with_truncation = true;
  // gradients are averaged over the minibatch before anything else, and a rate is taken as it is
  std::optional<bool> use_mean_gradient = {};
  // the size that rates without a size of their own are meant for; IGNORE (0) for any; at least 0
  std::optional<int64_t> minibatch_size = {};
  // the most that the norm of all gradients together, means over the samples, may be; beyond it all are
  // scaled alike, before the other ways of clipping; above 0
  double gradient_clipping_global_norm = std::numeric_limits<double>::infinity();
};

// RMSProp, with factors for each element that grow while its gradient keeps its sign (Tieleman and Hinton
// 2012).
//
//   a = gamma a + (1 - gamma) g²; a step size for each element grows by `inc` up to `max` while the sign of g
//   stays, and shrinks by `dec` down to `min` when it changes;  w = w - rate g step / sqrt(a + 1e-6), divided
//   by the mean of step / sqrt(a + 1e-6) if wanted.
CANTIK_API LearnerPtr rmsprop(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                              const RmspropOptions& options);

// Options of sgd().
struct SgdOptions {
  // weight of |w|, a sample
  double l1_regularization_weight = 0;
  // weight of |w|^2/2, a sample
  double l2_regularization_weight = 0;
  // noise on the gradient
  TrainingParameterSchedule gaussian_noise_injection_std_dev = 0;
  // how large a gradient may be
  double gradient_clipping_threshold_per_sample = std::numeric_limits<double>::infinity();
  // each element is cut; otherwise the norm is
  bool gradient_clipping_with_truncation = true;
  // gradients are averaged over the minibatch before anything else, and a rate is taken as it is
  std::optional<bool> use_mean_gradient = {};
  // the size that rates without a size of their own are meant for; IGNORE (0) for any; at least 0
  std::optional<int64_t> minibatch_size = {};
  // the most that the norm of all gradients together, means over the samples, may be; beyond it all are
  // scaled alike, before the other ways of clipping; above 0
  double gradient_clipping_global_norm = std::numeric_limits<double>::infinity();
};

// Stochastic gradient descent: w -= rate * g.
//
//   w = w - rate g
CANTIK_API LearnerPtr sgd(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                          const SgdOptions& options = {});

}  // namespace cantik
