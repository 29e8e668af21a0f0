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
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cantik/error.h>
#include <cantik/op/attributes.h>
#include <cantik/option.h>

namespace cantik {

// Which numbers an option may be.
struct OptionRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool has_least = false, has_most = false;  // whether the bounds themselves are possible
  ErrorKind kind = ErrorKind::value;
  const char* refusal = nullptr;  // the error's text in place of the usual one, % in place of the number

  std::string text() const;
  // An error where the number is outside. owner: what has the option.
  void check(const std::string& owner, const char* option, double value) const;
};

// An option: a member of the struct O, with its name in calls.
template <class O, class T>
struct Option {
  const char* name;
  T O::* member;
  const char* doc;
  bool required_ = false, leading_ = false, behind_ = false, keyword_ = false, scoped_ = false,
       truth_ = false;
  bool in_cpp_ = true, in_python_ = true;
  const char* default_call_ = "";
  const char* instead_of_ = "";
  OptionRange range_ = {};

  // The option has no default.
  constexpr Option required() const {
    return changed([](Option& o) { o.required_ = true; });
  }
  // In C++ the option stands before the struct of options.
  constexpr Option leading() const {
    return changed([](Option& o) { o.leading_ = true; });
  }
  // In Python the option stands behind those that every learner, or layer, has.
  constexpr Option behind() const {
    return changed([](Option& o) { o.behind_ = true; });
  }
  // In Python the option is given by its name alone.
  constexpr Option keyword() const {
    return changed([](Option& o) { o.behind_ = o.keyword_ = true; });
  }
  // In Python the default is that of default_options.
  constexpr Option scoped() const {
    return changed([](Option& o) { o.scoped_ = true; });
  }
  // In Python a flag is whatever is true or false.
  constexpr Option truth() const {
    return changed([](Option& o) { o.truth_ = true; });
  }
  // Calls of the other language do not have the option.
  constexpr Option cpp_only() const {
    return changed([](Option& o) { o.in_python_ = false; });
  }
  constexpr Option python_only() const {
    return changed([](Option& o) { o.in_cpp_ = false; });
  }
  // The default is what this call of C++ gives, each time.
  constexpr Option default_call(const char* call) const {
    return changed([&](Option& o) { o.default_call_ = call; });
  }
  // Where the option `other` is given, default_options do not count for this one.
  constexpr Option instead_of(const char* other) const {
    return changed([&](Option& o) { o.instead_of_ = other; });
  }
  // Numbers are at least x, at most x, above x, below x.
  constexpr Option at_least(double x) const {
    return changed([&](Option& o) { o.range_.least = x, o.range_.has_least = true; });
  }
  constexpr Option at_most(double x) const {
    return changed([&](Option& o) { o.range_.most = x, o.range_.has_most = true; });
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
    if (std::optional<double> n = number_of(member)) f.range_.check(owner, f.name, *n);
  };
  std::apply([&](const auto&... f) { (read(f), ...); }, Fields::fields());
  return options;
}

// The descriptions of the fields of O.
template <class O, class Fields = O>
std::vector<OptionDescription> describe_options() {
  std::vector<OptionDescription> found;
  O defaults;
  auto describe = [&](const auto& f) {
    const auto& member = std::as_const(defaults).*(f.member);
    using Kind = OptionType<std::decay_t<decltype(member)>>;
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
    found.push_back(std::move(o));
  };
  std::apply([&](const auto&... f) { (describe(f), ...); }, Fields::fields());
  return found;
}

// An error where a name stands for no option, or two values have one name.
void check_names(const std::string& owner, const std::vector<const OptionDescription*>& known,
                 const OptionValues& values);

}  // namespace cantik
