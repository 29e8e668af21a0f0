// Learners by name: what each takes, and how one is made. The typed calls of learners.h, Python's functions
// and the reference are made of these descriptions; a program may use them where the name is known at run
// time only.
//
//   LearnerPtr l = make_learner("adam", z.parameters(), 0.001, {{"momentum", 0.9}, {"epsilon", 1e-6}});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/learner.h>
#include <cantik/option.h>
#include <cantik/schedule.h>
#include <cantik/variable.h>

namespace cantik {

// What the rate of a learner means where it is given for a minibatch.
enum class RateMeaning : uint8_t {
  mean_gradient,  // the rate is for the mean gradient
  adaptive,       // steps do not grow with the gradient: the rate is divided by the number of samples
  scaled,         // mean_gradient with the option need_ave_multiplier, adaptive without
};

// A kind of learner.
struct LearnerDescription {
  std::string name;                                       // in both languages
  std::string doc;                                        // the method, with its reference
  std::string example;                                    // what follows the parameters in a call of Python
  RateMeaning rate_meaning = RateMeaning::mean_gradient;  // of a rate for a minibatch
  std::optional<TrainingParameterSchedule> rate;          // the default
  std::vector<OptionDescription> options;  // its own; those of every learner are in learner_options()
};

// The names of all kinds of learners, sorted.
CANTIK_API std::vector<std::string> learner_names();
// The kind of learner with this name. An unknown name is an error that lists all.
CANTIK_API const LearnerDescription& describe_learner(const std::string& name);
// The options that every kind of learner has: the members of LearnerOptions.
CANTIK_API const std::vector<OptionDescription>& learner_options();

// A learner of a kind, by name. Options that are not named have their defaults. An unknown option, a value of
// another kind and a number out of its range are errors, and so is a required option that is not named.
CANTIK_API LearnerPtr make_learner(const std::string& name, std::vector<Variable> parameters,
                                   TrainingParameterSchedule rate, const OptionValues& options = {});

}  // namespace cantik
