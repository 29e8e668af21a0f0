// Bodies of <cantik/learners.h>. Written by tools/generate.
#include <cantik/learners.h>

#include <utility>
#include <vector>

#include <cantik/learner_registry.h>

namespace cantik {

LearnerPtr adadelta(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                    const AdadeltaOptions& options) {
  return make_learner(
      "adadelta", std::move(parameters), std::move(lr),
      {{"rho", options.rho},
       {"epsilon", options.epsilon},
       {"l1_regularization_weight", options.l1_regularization_weight},
       {"l2_regularization_weight", options.l2_regularization_weight},
       {"gaussian_noise_injection_std_dev", options.gaussian_noise_injection_std_dev},
       {"gradient_clipping_threshold_per_sample", options.gradient_clipping_threshold_per_sample},
       {"gradient_clipping_with_truncation", options.gradient_clipping_with_truncation},
       {"use_mean_gradient", options.use_mean_gradient},
       {"minibatch_size", options.minibatch_size},
       {"gradient_clipping_global_norm", options.gradient_clipping_global_norm}});
}

LearnerPtr adagrad(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                   const AdagradOptions& options) {
  return make_learner(
      "adagrad", std::move(parameters), std::move(lr),
      {{"need_ave_multiplier", options.need_ave_multiplier},
       {"l1_regularization_weight", options.l1_regularization_weight},
       {"l2_regularization_weight", options.l2_regularization_weight},
       {"gaussian_noise_injection_std_dev", options.gaussian_noise_injection_std_dev},
       {"gradient_clipping_threshold_per_sample", options.gradient_clipping_threshold_per_sample},
       {"gradient_clipping_with_truncation", options.gradient_clipping_with_truncation},
       {"use_mean_gradient", options.use_mean_gradient},
       {"minibatch_size", options.minibatch_size},
       {"gradient_clipping_global_norm", options.gradient_clipping_global_norm}});
}

LearnerPtr adam(std::vector<Variable> parameters, TrainingParameterSchedule lr, const AdamOptions& options) {
  return make_learner(
      "adam", std::move(parameters), std::move(lr),
      {{"momentum", options.momentum},
       {"unit_gain", options.unit_gain},
       {"variance_momentum", options.variance_momentum},
       {"l1_regularization_weight", options.l1_regularization_weight},
       {"l2_regularization_weight", options.l2_regularization_weight},
       {"gaussian_noise_injection_std_dev", options.gaussian_noise_injection_std_dev},
       {"gradient_clipping_threshold_per_sample", options.gradient_clipping_threshold_per_sample},
       {"gradient_clipping_with_truncation", options.gradient_clipping_with_truncation},
       {"use_mean_gradient", options.use_mean_gradient},
       {"epsilon", options.epsilon},
       {"adamax", options.adamax},
       {"minibatch_size", options.minibatch_size},
       {"gradient_clipping_global_norm", options.gradient_clipping_global_norm}});
}

LearnerPtr adamw(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                 const AdamwOptions& options) {
  return make_learner(
      "adamw", std::move(parameters), std::move(lr),
      {{"momentum", options.momentum},
       {"variance_momentum", options.variance_momentum},
       {"weight_decay", options.weight_decay},
       {"l1_regularization_weight", options.l1_regularization_weight},
       {"l2_regularization_weight", options.l2_regularization_weight},
       {"gaussian_noise_injection_std_dev", options.gaussian_noise_injection_std_dev},
       {"gradient_clipping_threshold_per_sample", options.gradient_clipping_threshold_per_sample},
       {"gradient_clipping_with_truncation", options.gradient_clipping_with_truncation},
       {"use_mean_gradient", options.use_mean_gradient},
       {"epsilon", options.epsilon},
       {"correct_bias", options.correct_bias},
       {"minibatch_size", options.minibatch_size},
       {"gradient_clipping_global_norm", options.gradient_clipping_global_norm}});
}

LearnerPtr fsadagrad(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                     const FsadagradOptions& options) {
  return make_learner(
      "fsadagrad", std::move(parameters), std::move(lr),
      {{"momentum", options.momentum},
       {"unit_gain", options.unit_gain},
       {"variance_momentum", options.variance_momentum},
       {"l1_regularization_weight", options.l1_regularization_weight},
       {"l2_regularization_weight", options.l2_regularization_weight},
       {"gaussian_noise_injection_std_dev", options.gaussian_noise_injection_std_dev},
       {"gradient_clipping_threshold_per_sample", options.gradient_clipping_threshold_per_sample},
       {"gradient_clipping_with_truncation", options.gradient_clipping_with_truncation},
       {"use_mean_gradient", options.use_mean_gradient},
       {"minibatch_size", options.minibatch_size},
       {"gradient_clipping_global_norm", options.gradient_clipping_global_norm}});
}

LearnerPtr momentum_sgd(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                        const MomentumSgdOptions& options) {
  return make_learner(
      "momentum_sgd", std::move(parameters), std::move(lr),
      {{"momentum", options.momentum},
       {"unit_gain", options.unit_gain},
       {"l1_regularization_weight", options.l1_regularization_weight},
       {"l2_regularization_weight", options.l2_regularization_weight},
       {"gaussian_noise_injection_std_dev", options.gaussian_noise_injection_std_dev},
       {"gradient_clipping_threshold_per_sample", options.gradient_clipping_threshold_per_sample},
       {"gradient_clipping_with_truncation", options.gradient_clipping_with_truncation},
       {"use_mean_gradient", options.use_mean_gradient},
       {"minibatch_size", options.minibatch_size},
       {"gradient_clipping_global_norm", options.gradient_clipping_global_norm}});
}

LearnerPtr nesterov(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                    const NesterovOptions& options) {
  return make_learner(
      "nesterov", std::move(parameters), std::move(lr),
      {{"momentum", options.momentum},
       {"unit_gain", options.unit_gain},
       {"l1_regularization_weight", options.l1_regularization_weight},
       {"l2_regularization_weight", options.l2_regularization_weight},
       {"gaussian_noise_injection_std_dev", options.gaussian_noise_injection_std_dev},
       {"gradient_clipping_threshold_per_sample", options.gradient_clipping_threshold_per_sample},
       {"gradient_clipping_with_truncation", options.gradient_clipping_with_truncation},
       {"use_mean_gradient", options.use_mean_gradient},
       {"minibatch_size", options.minibatch_size},
       {"gradient_clipping_global_norm", options.gradient_clipping_global_norm}});
}

LearnerPtr rmsprop(std::vector<Variable> parameters, TrainingParameterSchedule lr,
                   const RmspropOptions& options) {
  return make_learner(
      "rmsprop", std::move(parameters), std::move(lr),
      {{"gamma", options.gamma},
       {"inc", options.inc},
       {"dec", options.dec},
       {"max", options.max},
       {"min", options.min},
       {"need_ave_multiplier", options.need_ave_multiplier},
       {"l1_regularization_weight", options.l1_regularization_weight},
       {"l2_regularization_weight", options.l2_regularization_weight},
       {"gaussian_noise_injection_std_dev", options.gaussian_noise_injection_std_dev},
       {"gradient_clipping_threshold_per_sample", options.gradient_clipping_threshold_per_sample},
       {"gradient_clipping_with_truncation", options.gradient_clipping_with_truncation},
       {"use_mean_gradient", options.use_mean_gradient},
       {"minibatch_size", options.minibatch_size},
       {"gradient_clipping_global_norm", options.gradient_clipping_global_norm}});
}

LearnerPtr sgd(std::vector<Variable> parameters, TrainingParameterSchedule lr, const SgdOptions& options) {
  return make_learner(
      "sgd", std::move(parameters), std::move(lr),
      {{"l1_regularization_weight", options.l1_regularization_weight},
       {"l2_regularization_weight", options.l2_regularization_weight},
       {"gaussian_noise_injection_std_dev", options.gaussian_noise_injection_std_dev},
       {"gradient_clipping_threshold_per_sample", options.gradient_clipping_threshold_per_sample},
       {"gradient_clipping_with_truncation", options.gradient_clipping_with_truncation},
       {"use_mean_gradient", options.use_mean_gradient},
       {"minibatch_size", options.minibatch_size},
       {"gradient_clipping_global_norm", options.gradient_clipping_global_norm}});
}

}  // namespace cantik
