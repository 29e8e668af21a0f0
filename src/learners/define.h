// How a file in rules/ states its learner: a class, the struct of its options and their fields,
// documentation. Calls in C++ and Python, checks of ranges and the reference are made of it.
//
//   CANTIK_LEARNER(adadelta) {
//     learner.is<AdaDelta>()
//         .doc("AdaDelta: steps as large as the steps before them (Zeiler 2012).")
//         .example("1, use_mean_gradient=True");
//   }
//
// The class L has a struct L::Options with fields(), and a constructor L(LearnerArguments, const Options&).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cantik/learner_registry.h>

#include "base/options.h"

namespace cantik {

// What every learner is made of.
struct LearnerArguments {
  std::vector<Variable> parameters;
  TrainingParameterSchedule rate;
  LearnerOptions options;
};

// The options of a learner that has none of its own.
struct NoOptions {
  static constexpr auto fields() { return list(); }
};

template <>
struct OptionType<TrainingParameterSchedule> : OptionTypeOf<OptionKind::schedule> {
  static std::string json(const TrainingParameterSchedule& s);
};
// A schedule, or a number.
void assign(const char* option, const OptionValue& value, TrainingParameterSchedule& to);

// A kind of learner: what is said about it, and how one is made.
struct LearnerKind {
  LearnerDescription description;
  std::function<LearnerPtr(LearnerArguments, const OptionValues&)> make;
};

// What CANTIK_LEARNER gets as `learner`.
class LearnerDefinition {
 public:
  explicit LearnerDefinition(LearnerKind& kind) : kind_(kind) {}

  // The class of the learner.
  template <class L>
  LearnerDefinition& is() {
    using Options = typename L::Options;
    kind_.description.options = describe_options<Options>();
    kind_.make = [name = kind_.description.name](LearnerArguments a, const OptionValues& values) {
      return std::make_shared<L>(std::move(a), read_options<Options>(name, values));
    };
    return *this;
  }
  // The method, with its reference.
  LearnerDefinition& doc(const char* text) {
    kind_.description.doc = text;
    return *this;
  }
  // What a rate means; without this call it is for the mean gradient.
  LearnerDefinition& rate_meaning(RateMeaning meaning) {
    kind_.description.rate_meaning = meaning;
    return *this;
  }
  // The rate where none is given.
  LearnerDefinition& rate(TrainingParameterSchedule schedule) {
    kind_.description.rate = std::move(schedule);
    return *this;
  }
  // What follows the parameters in a call of Python, for the example in the documentation.
  LearnerDefinition& example(const char* arguments) {
    kind_.description.example = arguments;
    return *this;
  }

 private:
  LearnerKind& kind_;
};

// From the manifest that CMake writes of the names of the files in rules/.
struct LearnerFile {
  const char* name;
  void (*define)(LearnerDefinition&);
};
extern const LearnerFile kLearnerFiles[];
extern const int kLearnerFileCount;

}  // namespace cantik

// The definition of a learner in namespace cantik, in the file of that name.
#define CANTIK_LEARNER(name) void define_learner_##name(LearnerDefinition& learner)
