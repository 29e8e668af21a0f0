// Learners by name: what each takes, and how one is made. The typed calls of learners.h, Python's functions
// and the reference are made of these descriptions; a program may use them where the name is known at run
// time only.
//
//   LearnerPtr l = make_learner("adam", z.parameters(), 0.001, {{"momentum", 0.9}, {"epsilon", 1e-6}});
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <cantik/api.h>
#include <cantik/learner.h>
#include <cantik/schedule.h>
#include <cantik/variable.h>

namespace cantik {

// A member of an options struct that has no default: an initializer that leaves it out does not compile.
template <class T>
class Required {
 public:
  // The value, from all that a T is made of.
  template <std::convertible_to<T> U>
  Required(U&& value) : value_(std::forward<U>(value)) {}
  // The value from several arguments: {0.9, 256}.
  template <class A, class B, class... Rest>
    requires std::constructible_from<T, A, B, Rest...>
  Required(A&& a, B&& b, Rest&&... rest)
      : value_(std::forward<A>(a), std::forward<B>(b), std::forward<Rest>(rest)...) {}
  // The value.
  operator const T&() const { return value_; }

 private:
  T value_;
};

// What an option of a learner is.
enum class OptionKind : uint8_t { flag, count, number, schedule };

// A value of a learner's option. Nothing stands for the option's default.
class OptionValue {
 public:
  // One of the kinds of values, or nothing.
  using Storage = std::variant<std::monostate, bool, int64_t, double, TrainingParameterSchedule>;

  OptionValue() = default;
  // A flag.
  OptionValue(bool flag) : storage_(flag) {}
  // A count, or a whole number for an option that is a number.
  OptionValue(int64_t count) : storage_(count) {}
  OptionValue(int count) : storage_(int64_t{count}) {}
  // A number.
  OptionValue(double number) : storage_(number) {}
  // A schedule.
  OptionValue(TrainingParameterSchedule schedule) : storage_(std::move(schedule)) {}
  // Nothing, where the optional is empty.
  template <class T>
  OptionValue(const std::optional<T>& value) {
    if (value) *this = OptionValue(*value);
  }
  template <class T>
  OptionValue(const Required<T>& value) : OptionValue(static_cast<const T&>(value)) {}

  // The value in its form.
  const Storage& storage() const { return storage_; }
  // Whether it stands for the option's default.
  bool is_default() const { return storage_.index() == 0; }

 private:
  Storage storage_;
};

// An option of a learner.
struct LearnerOption {
  std::string name;
  std::string doc;  // one line
  OptionKind kind = OptionKind::number;
  bool required = false;     // it has no default
  OptionValue value;         // the default; none: nothing is chosen
  std::string default_call;  // the default is asked for each time: the call in C++
  std::string range;         // of a number, in words: above 0; empty: any
  bool behind = false;       // in calls it stands behind the options that every learner has
};

// What the rate of a learner means where it is given for a minibatch.
enum class RateMeaning : uint8_t {
  mean_gradient,  // the rate is for the mean gradient
  adaptive,       // steps do not grow with the gradient: the rate is divided by the number of samples
  scaled,         // mean_gradient with the option need_ave_multiplier, adaptive without
};

// A kind of learner.
struct LearnerDescription {
  std::string name;
  std::string doc;      // the method, with its reference
  std::string example;  // what follows the parameters in a call of Python
  RateMeaning rate_meaning = RateMeaning::mean_gradient;
  std::optional<TrainingParameterSchedule> rate;  // the default
  std::vector<LearnerOption> options;             // its own; those of every learner are in learner_options()
};

// The names of all kinds of learners, sorted.
CANTIK_API std::vector<std::string> learner_names();
// The kind of learner with this name. An unknown name is an error that lists all.
CANTIK_API const LearnerDescription& describe_learner(const std::string& name);
// The options that every kind of learner has: the members of LearnerOptions.
CANTIK_API const std::vector<LearnerOption>& learner_options();

// Options by their names.
using OptionValues = std::vector<std::pair<std::string, OptionValue>>;
// A learner of a kind, by name. Options that are not named have their defaults. An unknown option, a value of
// another kind and a number out of its range are errors, and so is a required option that is not named.
CANTIK_API LearnerPtr make_learner(const std::string& name, std::vector<Variable> parameters,
                                   TrainingParameterSchedule rate, const OptionValues& options = {});

}  // namespace cantik
