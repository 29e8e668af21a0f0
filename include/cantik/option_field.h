// Fields of options: a struct lists its options in fields(), each with its name, its member and its range.
// Checks, descriptions, calls of Python with their help, and references are made of the list.
//
//   struct GradientNormOptions {
//     int64_t every = 50;  // minibatches from one measurement to the next
//     static constexpr auto fields() {
//       return list(option("every", &GradientNormOptions::every).at_least(1));
//     }
//   };
#pragma once

#include <limits>
#include <string>

#include <cantik/api.h>
#include <cantik/error.h>
#include <cantik/field_list.h>

namespace cantik {

// Which numbers an option may be.
struct CANTIK_API OptionRange {
  double least = -std::numeric_limits<double>::infinity();  // the lower bound
  double most = std::numeric_limits<double>::infinity();    // the upper bound
  bool has_least = false, has_most = false;                 // whether the bounds themselves are possible
  ErrorKind kind = ErrorKind::value;                        // of the error
  const char* refusal = nullptr;  // the error's text in place of the usual one, % in place of the number

  // "at least 0 and below 1"; empty: any number.
  std::string text() const;
  // An error where the number is outside. owner: what has the option; empty where its name says enough.
  void check(const std::string& owner, const char* option, double value) const;
};

// An option: a member of the struct O, with its name in calls.
template <class O, class T>
struct Option {
  const char* name;  // in calls
  T O::* member;     // of the struct
  const char* doc;   // its line in help; empty: the comment of the member in the public header
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
  // Calls of Python do not have the option.
  constexpr Option cpp_only() const {
    return changed([](Option& o) { o.in_python_ = false; });
  }
  // Calls of C++ do not have the option.
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
  // Numbers are at least x,
  constexpr Option at_least(double x) const {
    return changed([&](Option& o) { o.range_.least = x, o.range_.has_least = true; });
  }
  // at most x,
  constexpr Option at_most(double x) const {
    return changed([&](Option& o) { o.range_.most = x, o.range_.has_most = true; });
  }
  // above x,
  constexpr Option above(double x) const {
    return changed([&](Option& o) { o.range_.least = x; });
  }
  // below x.
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
constexpr Option<O, T> option(const char* name, T O::* member, const char* doc = "") {
  return {name, member, doc};
}

}  // namespace cantik
