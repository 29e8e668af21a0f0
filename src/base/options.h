// Options of what is described once: a struct and the list of its fields, from which come reading by name,
// checks of ranges, and the descriptions that calls and references are made of.
//
//   struct Options {
//     double rho = 0.95;
//     static constexpr auto fields() {
//       return list(option("rho", &Options::rho, "how slowly averages forget").at_least(0).below(1));
//     }
//   };
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/option.h>
#include <cantik/option_field.h>
#include <cantik/schedule.h>

namespace cantik {

// What is known of a type that options have: its kind, whether a value stands for nothing, and values as
// JSON. Types of a folder are described in the folder.
template <class T>
struct OptionType;

template <OptionKind k>
struct OptionTypeOf {
  static constexpr OptionKind kind = k;
  static constexpr bool is_optional = false;
  template <class T>
  static bool is_nothing(const T&) {
    return false;
  }
};
template <>
struct OptionType<bool> : OptionTypeOf<OptionKind::flag> {
  static std::string json(bool v) { return v ? "true" : "false"; }
};
template <>
struct OptionType<int64_t> : OptionTypeOf<OptionKind::whole> {
  static std::string json(int64_t v) { return std::to_string(v); }
};
template <>
struct OptionType<double> : OptionTypeOf<OptionKind::number> {
  static std::string json(double v);
};
template <>
struct OptionType<std::string> : OptionTypeOf<OptionKind::text> {
  static std::string json(const std::string& v);
};
template <class T>
  requires requires { OptionType<T>::kind; }
struct OptionType<std::optional<T>> {
  static constexpr OptionKind kind = OptionType<T>::kind;
  static constexpr bool is_optional = true;
  static bool is_nothing(const std::optional<T>& v) { return !v; }
  static std::string json(const std::optional<T>& v) { return v ? OptionType<T>::json(*v) : "null"; }
};

[[noreturn]] void refuse_kind(const char* option, OptionKind kind);
[[noreturn]] void refuse_missing(const std::string& owner, const char* option);

// A value into a member; a value of another kind is an error.
template <class T>
void assign(const char* option, const OptionValue& value, T& to) {
  const T* given = value.as<T>();
  if (!given) refuse_kind(option, OptionType<T>::kind);
  to = *given;
}
void assign(const char* option, const OptionValue& value, double& to);  // from whole numbers too
template <class T>
void assign(const char* option, const OptionValue& value, std::optional<T>& to) {
  if constexpr (std::is_default_constructible_v<T>) {
    assign(option, value, to.emplace());
  } else {
    const T* given = value.as<T>();
    if (!given) refuse_kind(option, OptionType<T>::kind);
    to = *given;
  }
}

// The value of that name; null where it is not named, or stands for the default.
const OptionValue* find_option(const OptionValues& values, const char* name);

// The number of a member; none of another kind, or of one that is left open.
template <class T>
std::optional<double> number_of(const T& v) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int64_t>)
    return static_cast<double>(v);
  else
    return {};
}
template <class T>
std::optional<double> number_of(const std::optional<T>& v) {
  return v ? number_of(*v) : std::nullopt;
}

// Errors where numbers of a member are outside of a range.
template <class T>
void check_range(const OptionRange& range, const std::string& owner, const char* option, const T& member) {
  if (std::optional<double> n = number_of(member)) range.check(owner, option, *n);
}
inline void check_range(const OptionRange& range, const std::string& owner, const char* option,
                        const TrainingParameterSchedule& member) {
  for (const TrainingParameterSchedule::Step& s : member.steps()) range.check(owner, option, s.value);
}

// An error where a number of the struct is outside of its range.
template <class O>
void check_options(const O& options) {
  auto check = [&](const auto& f) { check_range(f.range_, "", f.name, options.*(f.member)); };
  std::apply([&](const auto&... f) { (check(f), ...); }, O::fields());
}

// The struct of these values, checked. Fields: what says which members O has, O itself mostly. owner: what
// has the options, in errors.
template <class O, class Fields = O>
O read_options(const std::string& owner, const OptionValues& values) {
  O options;
  auto read = [&](const auto& f) {
    auto& member = options.*(f.member);
    if (const OptionValue* v = find_option(values, f.name))
      assign(f.name, *v, member);
    else if (f.required_)
      refuse_missing(owner, f.name);
    check_range(f.range_, owner, f.name, member);
  };
  std::apply([&](const auto&... f) { (read(f), ...); }, Fields::fields());
  return options;
}

// The description of a field; `defaults`: a struct in which nothing is chosen.
template <class Defaults, class O, class T>
OptionDescription describe_option(const Option<O, T>& f, const Defaults& defaults) {
  const T& member = defaults.*(f.member);
  using Kind = OptionType<T>;
  OptionDescription o{.name = f.name,
                      .doc = f.doc,
                      .kind = Kind::kind,
                      .required = f.required_,
                      .may_be_left = !f.required_ && Kind::is_nothing(member),
                      .optional = Kind::is_optional,
                      .value = {},
                      .value_text = "null",
                      .default_call = f.default_call_,
                      .range = f.range_.text(),
                      .leading = f.leading_ || f.required_,
                      .behind = f.behind_,
                      .keyword = f.keyword_,
                      .scoped = f.scoped_,
                      .truth = f.truth_,
                      .in_cpp = f.in_cpp_,
                      .in_python = f.in_python_,
                      .instead_of = f.instead_of_};
  if (!f.required_ && o.default_call.empty()) {
    o.value = OptionValue(member);
    o.value_text = Kind::json(member);
  }
  return o;
}

// The descriptions of the fields of O.
template <class O, class Fields = O>
std::vector<OptionDescription> describe_options() {
  O defaults;
  return std::apply(
      [&](const auto&... f) {
        return std::vector<OptionDescription>{describe_option(f, std::as_const(defaults))...};
      },
      Fields::fields());
}

// An error where a name stands for no option, or two values have one name.
void check_names(const std::string& owner, const std::vector<const OptionDescription*>& known,
                 const OptionValues& values);

}  // namespace cantik
