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
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/learner_registry.h>
#include <cantik/op/attributes.h>

namespace cantik {

// What every learner is made of.
struct LearnerArguments {
  std::vector<Variable> parameters;
  TrainingParameterSchedule rate;
  LearnerOptions options;
};

// Which numbers an option may be.
struct OptionRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool has_least = false;  // `least` itself is possible
  ErrorKind kind = ErrorKind::value;
  const char* refusal = nullptr;  // the error's text in place of the usual one, % in place of the number

  std::string text() const;
  void check(const char* option, double value) const;
};

// An option: a member of the struct O, with its name in calls.
template <class O, class T>
struct Option {
  const char* name;
  T O::* member;
  const char* doc;
  bool required_ = false;
  bool behind_ = false;
  const char* default_call_ = "";
  OptionRange range_ = {};

  // The option has no default.
  constexpr Option required() const {
    return changed([](Option& o) { o.required_ = true; });
  }
  // In calls the option stands behind those that every learner has.
  constexpr Option behind() const {
    return changed([](Option& o) { o.behind_ = true; });
  }
  // The default is what this call of C++ gives, each time.
  constexpr Option default_call(const char* call) const {
    return changed([&](Option& o) { o.default_call_ = call; });
  }
  // Numbers are at least x, above x, below x.
  constexpr Option at_least(double x) const {
    return changed([&](Option& o) { o.range_.least = x, o.range_.has_least = true; });
  }
  constexpr Option above(double x) const {
    return changed([&](Option& o) { o.range_.least = x; });
  }
  constexpr Option below(double x) const {
    return changed([&](Option& o) { o.range_.most = x; });
  }
  // The error for numbers outside, where CNTK has a text of its own.
  constexpr Option refusal(ErrorKind kind, const char* text) const {
    return changed([&](Option& o) { o.range_.kind = kind, o.range_.refusal = text; });
  }

 private:
  template <class F>
  constexpr Option changed(F&& f) const {
    Option o = *this;
    f(o);
    return o;
  }
};

// The option that the member `member` holds; `doc` is its line in help.
template <class O, class T>
constexpr Option<O, T> option(const char* name, T O::* member, const char* doc) {
  return {name, member, doc};
}

// The options of a learner that has none of its own.
struct NoOptions {
  static constexpr auto fields() { return list(); }
};

// An OptionValue into a member; another kind of value is an error.
void assign(const char* option, const OptionValue& value, bool& to);
void assign(const char* option, const OptionValue& value, int64_t& to);
void assign(const char* option, const OptionValue& value, double& to);
void assign(const char* option, const OptionValue& value, TrainingParameterSchedule& to);
template <class T>
void assign(const char* option, const OptionValue& value, std::optional<T>& to) {
  assign(option, value, to.emplace());
}

constexpr OptionKind kind_of(const bool&) { return OptionKind::flag; }
constexpr OptionKind kind_of(const int64_t&) { return OptionKind::count; }
constexpr OptionKind kind_of(const double&) { return OptionKind::number; }
constexpr OptionKind kind_of(const TrainingParameterSchedule&) { return OptionKind::schedule; }
template <class T>
constexpr OptionKind kind_of(const std::optional<T>&) {
  return kind_of(T());
}

// The value of that name; null where it is not named, or stands for the default.
const OptionValue* find_option(const OptionValues& values, const char* name);
[[noreturn]] void refuse_missing(const std::string& learner, const char* option);

// The struct of these values, checked. Fields: what says which members O has, O itself mostly.
template <class O, class Fields = O>
O read_options(const std::string& learner, const OptionValues& values) {
  O options;
  auto read = [&](const auto& f) {
    auto& member = options.*(f.member);
    if (const OptionValue* v = find_option(values, f.name))
      assign(f.name, *v, member);
    else if (f.required_)
      refuse_missing(learner, f.name);
    if constexpr (std::is_same_v<std::decay_t<decltype(member)>, double>) f.range_.check(f.name, member);
  };
  std::apply([&](const auto&... f) { (read(f), ...); }, Fields::fields());
  return options;
}

// The descriptions of the fields of O.
template <class O, class Fields = O>
std::vector<LearnerOption> describe_options() {
  std::vector<LearnerOption> list;
  const O defaults{};
  auto describe = [&](const auto& f) {
    const auto& member = defaults.*(f.member);
    LearnerOption o{f.name, f.doc,           kind_of(member), f.required_,
                    {},     f.default_call_, f.range_.text(), f.behind_};
    if (!f.required_ && o.default_call.empty()) o.value = OptionValue(member);
    list.push_back(std::move(o));
  };
  std::apply([&](const auto&... f) { (describe(f), ...); }, Fields::fields());
  return list;
}

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
