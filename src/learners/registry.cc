// All kinds of learners, by name, and making one of option values.
#include <cantik/learner_registry.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "learners/define.h"

namespace cantik {
namespace {

// The options that every learner has.
struct CommonFields {
  static constexpr auto fields() {
    using O = LearnerOptions;
    return list(
        option("l1_regularization_weight", &O::l1_regularization_weight, "weight of |w|, a sample"),
        option("l2_regularization_weight", &O::l2_regularization_weight, "weight of |w|^2/2, a sample"),
        option("gaussian_noise_injection_std_dev", &O::gaussian_noise_injection_std_dev,
               "noise on the gradient"),
        option("gradient_clipping_threshold_per_sample", &O::gradient_clipping_threshold_per_sample,
               "how large a gradient may be"),
        option("gradient_clipping_with_truncation", &O::gradient_clipping_with_truncation,
               "each element is cut; otherwise the norm is"),
        option(
            "use_mean_gradient", &O::use_mean_gradient,
            "gradients are averaged over the minibatch before anything else, and a rate is taken as it is"),
        option("minibatch_size", &O::minibatch_size,
               "the size that rates without a size of their own are meant for; IGNORE (0) for any")
            .at_least(0),
        option("gradient_clipping_global_norm", &O::gradient_clipping_global_norm,
               "the most that the norm of all gradients together, means over the samples, may be; beyond it "
               "all are scaled alike, before the other ways of clipping")
            .above(0));
  }
};

std::string listed(const std::vector<std::string>& names) {
  return join(names, ", ", [](const std::string& s) { return s; });
}

const std::map<std::string, LearnerKind>& kinds() {
  static const std::map<std::string, LearnerKind> all = [] {
    std::map<std::string, LearnerKind> made;
    for (int i = 0; i < kLearnerFileCount; ++i) {
      LearnerKind& kind = made[kLearnerFiles[i].name];
      kind.description.name = kLearnerFiles[i].name;
      LearnerDefinition definition(kind);
      kLearnerFiles[i].define(definition);
    }
    return made;
  }();
  return all;
}

const LearnerKind& kind_named(const std::string& name) {
  auto at = kinds().find(name);
  if (at == kinds().end())
    throw key_error("there is no learner " + name).remedy("use one of: " + listed(learner_names()));
  return at->second;
}

// Every value belongs to an option, and to one only.
void check_options(const LearnerDescription& learner, const OptionValues& values) {
  std::vector<const OptionDescription*> known;
  for (const OptionDescription& o : learner.options) known.push_back(&o);
  for (const OptionDescription& o : learner_options()) known.push_back(&o);
  check_names(learner.name, known, values);
}

}  // namespace

std::string OptionType<TrainingParameterSchedule>::json(const TrainingParameterSchedule& s) {
  // Defaults have one value for ever.
  return cat("{\"value\": ", OptionType<double>::json(s.steps().front().value), ", \"minibatch_size\": ",
             s.has_own_minibatch_size() ? std::to_string(s.minibatch_size()) : "null", "}");
}

void assign(const char* option, const OptionValue& value, TrainingParameterSchedule& to) {
  if (const auto* schedule = value.as<TrainingParameterSchedule>())
    to = *schedule;
  else if (value.as<double>() || value.as<int64_t>())
    to = value.as<double>() ? *value.as<double>() : static_cast<double>(*value.as<int64_t>());
  else
    refuse_kind(option, OptionKind::schedule);
}

std::vector<std::string> learner_names() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds()) names.push_back(name);
  return names;
}

const LearnerDescription& describe_learner(const std::string& name) { return kind_named(name).description; }

const std::vector<OptionDescription>& learner_options() {
  static const std::vector<OptionDescription> all = describe_options<LearnerOptions, CommonFields>();
  return all;
}

LearnerPtr make_learner(const std::string& name, std::vector<Variable> parameters,
                        TrainingParameterSchedule rate, const OptionValues& options) {
  const LearnerKind& kind = kind_named(name);
  check_options(kind.description, options);
  LearnerArguments a{std::move(parameters), std::move(rate),
                     read_options<LearnerOptions, CommonFields>(name, options)};
  return kind.make(std::move(a), options);
}

}  // namespace cantik
