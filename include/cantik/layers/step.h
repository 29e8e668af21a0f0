// Steps of recurrences, and their states before the first step.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/tensor.h>

namespace cantik::layers {

namespace detail {
template <class R, class... A>
struct CodeOf {
  static constexpr int arity = sizeof...(A);
  using Result = R;
};
template <class F>
struct CallOf : CallOf<decltype(&F::operator())> {};
template <class R, class C, class... A>
struct CallOf<R (C::*)(A...) const> : CodeOf<R, A...> {};
template <class R, class C, class... A>
struct CallOf<R (C::*)(A...)> : CodeOf<R, A...> {};
template <class R, class C, class... A>
struct CallOf<R (C::*)(A...) const noexcept> : CodeOf<R, A...> {};
template <class R, class C, class... A>
struct CallOf<R (C::*)(A...) noexcept> : CodeOf<R, A...> {};
template <class R, class... A>
struct CallOf<R (*)(A...)> : CodeOf<R, A...> {};

inline Function results(const Function& f) { return f; }
inline Function results(const Variable& v) { return function_of({v}); }
inline Function results(const std::vector<Variable>& list) { return function_of(list); }
template <class... V>
Function results(const std::tuple<V...>& t) {
  return std::apply([](const auto&... v) { return function_of({Variable(v)...}); }, t);
}
template <class A, class B>
Function results(const std::pair<A, B>& p) {
  return function_of({Variable(p.first), Variable(p.second)});
}
}  // namespace detail

// A function, or code of variables: [](Variable h, Variable x) { return tanh(h + x); } of one result, or of
// several as a std::tuple, std::pair or std::vector of variables.
class CANTIK_API Step {
 public:
  // A function of states and an input.
  Step(const Function& f) : function_(f) {}
  // Code of variables: its arguments are the states and the input.
  template <class F>
    requires(!std::convertible_to<F, Function> && !std::same_as<std::decay_t<F>, Step>)
  Step(F code)
      : Step(detail::CallOf<std::decay_t<F>>::arity,
             [code = std::move(code)](const std::vector<Variable>& v) mutable {
               return [&]<size_t... I>(std::index_sequence<I...>) {
                 return detail::results(code(v[I]...));
               }(std::make_index_sequence<detail::CallOf<std::decay_t<F>>::arity>());
             }) {}

  // The step as a function.
  const Function& function() const { return function_; }

 private:
  Step(int arguments, const Body& body);
  Function function_;
};

// What a state is before the first step: a number for all elements, a tensor, a parameter or constant.
class CANTIK_API InitialState {
 public:
  // A number for all elements.
  InitialState(double number = 0) : number_(number) {}
  InitialState(int number) : number_(number) {}
  // A value for each element.
  InitialState(const Tensor& value) : variable_(constant(value)) {}
  // A parameter or constant.
  InitialState(const Variable& v) : variable_(v) {}

  // The state in a graph: the variable that was given, or a constant.
  operator Variable() const { return variable_ ? variable_ : constant(Shape{1}, number_); }
  // The number that was given; 0 where there was none.
  double number() const { return number_; }

 private:
  double number_ = 0;
  Variable variable_;
};

}  // namespace cantik::layers
