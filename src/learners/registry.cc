// All kinds of learners, by name, and making one of option values.
#include <cantik/learner_registry.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <variant>
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
               "the size that rates without a size of their own are meant for; IGNORE (0) for any"));
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
void check_names(const LearnerDescription& learner, const OptionValues& values) {
  std::vector<std::string> known;
  for (const LearnerOption& o : learner.options) known.push_back(o.name);
  for (const LearnerOption& o : learner_options()) known.push_back(o.name);
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& name = values[i].first;
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw type_error(learner.name + " has no option " + name).remedy("use the options " + listed(known));
    for (size_t k = 0; k < i; ++k)
      if (values[k].first == name) throw type_error("the option " + name + " is given twice");
  }
}

const char* text_of(OptionKind kind) {
  switch (kind) {
    case OptionKind::flag: return "true or false";
    case OptionKind::count: return "a whole number of at least 0";
    case OptionKind::number: return "a number";
    case OptionKind::schedule: return "a number or a schedule";
  }
  return "";
}

[[noreturn]] void refuse_kind(const char* option, OptionKind kind) {
  throw type_error(cat("the option ", option, " must be ", text_of(kind)));
}

}  // namespace

void assign(const char* option, const OptionValue& value, bool& to) {
  const bool* flag = std::get_if<bool>(&value.storage());
  if (!flag) refuse_kind(option, OptionKind::flag);
  to = *flag;
}

void assign(const char* option, const OptionValue& value, int64_t& to) {
  const int64_t* count = std::get_if<int64_t>(&value.storage());
  if (!count || *count < 0) refuse_kind(option, OptionKind::count);
  to = *count;
}

void assign(const char* option, const OptionValue& value, double& to) {
  if (const double* number = std::get_if<double>(&value.storage()))
    to = *number;
  else if (const int64_t* count = std::get_if<int64_t>(&value.storage()))
    to = static_cast<double>(*count);
  else
    refuse_kind(option, OptionKind::number);
}

void assign(const char* option, const OptionValue& value, TrainingParameterSchedule& to) {
  if (const auto* schedule = std::get_if<TrainingParameterSchedule>(&value.storage())) {
    to = *schedule;
    return;
  }
  if (std::holds_alternative<bool>(value.storage())) refuse_kind(option, OptionKind::schedule);
  double number = 0;
  assign(option, value, number);
  to = number;
}

const OptionValue* find_option(const OptionValues& values, const char* name) {
  for (const auto& [given, value] : values)
    if (given == name) return value.is_default() ? nullptr : &value;
  return nullptr;
}

void refuse_missing(const std::string& learner, const char* option) {
  throw type_error(cat(learner, " needs the option ", option, ", which has no default"))
      .remedy(cat("give ", option));
}

std::string OptionRange::text() const {
  std::string lower, upper;
  if (std::isfinite(least)) lower = cat(has_least ? "at least " : "above ", least);
  if (std::isfinite(most)) upper = cat("below ", most);
  return lower + (lower.empty() || upper.empty() ? "" : " and ") + upper;
}

void OptionRange::check(const char* option, double value) const {
  const bool low = std::isfinite(least) && (has_least ? value < least : !(value > least));
  const bool high = std::isfinite(most) && !(value < most);
  if (!low && !high) return;
  std::string said = refusal ? refusal : cat("the option ", option, " must be ", text(), ", and is %");
  if (size_t at = said.find('%'); at != std::string::npos) said.replace(at, 1, cat(value));
  throw Error(kind, said);
}

std::vector<std::string> learner_names() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds()) names.push_back(name);
  return names;
}

const LearnerDescription& describe_learner(const std::string& name) { return kind_named(name).description; }

const std::vector<LearnerOption>& learner_options() {
  static const std::vector<LearnerOption> all = describe_options<LearnerOptions, CommonFields>();
  return all;
}

LearnerPtr make_learner(const std::string& name, std::vector<Variable> parameters,
                        TrainingParameterSchedule rate, const OptionValues& options) {
  const LearnerKind& kind = kind_named(name);
  check_names(kind.description, options);
  LearnerArguments a{std::move(parameters), std::move(rate),
                     read_options<LearnerOptions, CommonFields>(name, options)};
  return kind.make(std::move(a), options);
}

}  // namespace cantik
