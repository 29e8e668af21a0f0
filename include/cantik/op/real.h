// Real: a number that may be traced. Written once as ordinary arithmetic, an expression becomes a flat array
// of opcodes.
#pragma once

#include <cmath>
#include <stdexcept>
#include <vector>

#include <cantik/op/opcode.h>

namespace cantik {

// The expression being traced in this thread.
struct Tape {
  std::vector<cantik_code> code;  // what has been traced

  // Adds an operation, unless the same one is there; its place.
  int32_t push(int32_t op, int32_t a = -1, int32_t b = -1, int32_t c = -1, double value = 0) {
    for (size_t i = 0; i < code.size(); ++i) {  // the same code again is the same value
      const cantik_code& k = code[i];
      if (k.op == op && k.arg[0] == a && k.arg[1] == b && k.arg[2] == c &&
          (k.value == value && std::signbit(k.value) == std::signbit(value)))
        return static_cast<int32_t>(i);
    }
    code.push_back({op, {a, b, c}, value});
    return static_cast<int32_t>(code.size() - 1);
  }
  // The tape of this thread; null outside of a trace.
  static Tape*& current() {
    static thread_local Tape* tape = nullptr;
    return tape;
  }
};

// A number, or a symbol of the expression that is being traced. Outside of a trace there are numbers only: in
// a type rule, in a kernel's factory.
class Real {
 public:
  // A number.
  Real(double value = 0) : value_(value) {}
  // An operand or an attribute, by its index.
  static Real symbol(int32_t op, int32_t index) { return Real(0, tape().push(op, index)); }
  // An operation on numbers or symbols.
  static Real make(int32_t op, Real a) {
    if (!Tape::current() && a.is_number()) return apply_opcode(op, a.value());
    return Real(0, tape().push(op, a.id()));
  }
  static Real make(int32_t op, Real a, Real b) {
    if (!Tape::current() && a.is_number() && b.is_number()) return apply_opcode(op, a.value(), b.value());
    int32_t left = a.id(), right = b.id();
    return Real(0, tape().push(op, left, right));
  }
  static Real make(int32_t op, Real a, Real b, Real c) {
    if (!Tape::current() && a.is_number() && b.is_number() && c.is_number())
      return apply_opcode(op, a.value(), b.value(), c.value());
    int32_t first = a.id(), second = b.id(), third = c.id();
    return Real(0, tape().push(op, first, second, third));
  }

  // Whether it is a number; otherwise it is a symbol.
  bool is_number() const { return id_ < 0; }
  double value() const { return value_; }  // of a number; a symbol has none
  // Its place on the tape; a number is put there.
  int32_t id() const { return id_ >= 0 ? id_ : tape().push(CANTIK_X_CONSTANT, -1, -1, -1, value_); }

 private:
  static Tape& tape() {
    if (!Tape::current()) throw std::logic_error("a symbol of an expression was used outside of it");
    return *Tape::current();
  }
  Real(double value, int32_t id) : value_(value), id_(id) {}
  double value_;
  int32_t id_ = -1;
};

inline Real operator+(Real a, Real b) {
  return a.is_number() && b.is_number() ? Real(a.value() + b.value()) : Real::make(CANTIK_X_ADD, a, b);
}
inline Real operator-(Real a, Real b) {
  return a.is_number() && b.is_number() ? Real(a.value() - b.value()) : Real::make(CANTIK_X_SUB, a, b);
}
inline Real operator*(Real a, Real b) {
  return a.is_number() && b.is_number() ? Real(a.value() * b.value()) : Real::make(CANTIK_X_MUL, a, b);
}
inline Real operator/(Real a, Real b) {
  return a.is_number() && b.is_number() ? Real(a.value() / b.value()) : Real::make(CANTIK_X_DIV, a, b);
}
inline Real operator-(Real a) { return a.is_number() ? Real(-a.value()) : Real::make(CANTIK_X_NEG, a); }
inline Real operator<(Real a, Real b) { return Real::make(CANTIK_X_LT, a, b); }
inline Real operator<=(Real a, Real b) { return Real::make(CANTIK_X_LE, a, b); }
inline Real operator>(Real a, Real b) { return Real::make(CANTIK_X_GT, a, b); }
inline Real operator>=(Real a, Real b) { return Real::make(CANTIK_X_GE, a, b); }
inline Real operator==(Real a, Real b) { return Real::make(CANTIK_X_EQ, a, b); }
inline Real operator!=(Real a, Real b) { return Real::make(CANTIK_X_NE, a, b); }

// The smaller one.
inline Real min(Real a, Real b) { return Real::make(CANTIK_X_MIN, a, b); }
// The larger one.
inline Real max(Real a, Real b) { return Real::make(CANTIK_X_MAX, a, b); }
// a to the power b.
inline Real pow(Real a, Real b) { return Real::make(CANTIK_X_POW, a, b); }
// log(e^a + e^b).
inline Real log_add_exp(Real a, Real b) { return Real::make(CANTIK_X_LOG_ADD_EXP, a, b); }
// a where the condition is not 0, b elsewhere.
inline Real select(Real condition, Real a, Real b) { return Real::make(CANTIK_X_SELECT, condition, a, b); }

#define CANTIK_REAL_FUNCTION(name, OP) \
  inline Real name(Real x) { return Real::make(CANTIK_X_##OP, x); }
// Functions of the mathematical library, of one number each.
CANTIK_REAL_FUNCTION(abs, ABS)
CANTIK_REAL_FUNCTION(sqrt, SQRT)
CANTIK_REAL_FUNCTION(floor, FLOOR)
CANTIK_REAL_FUNCTION(ceil, CEIL)
CANTIK_REAL_FUNCTION(exp, EXP)
CANTIK_REAL_FUNCTION(log, LOG)
CANTIK_REAL_FUNCTION(sin, SIN)
CANTIK_REAL_FUNCTION(cos, COS)
CANTIK_REAL_FUNCTION(tan, TAN)
CANTIK_REAL_FUNCTION(asin, ASIN)
CANTIK_REAL_FUNCTION(acos, ACOS)
CANTIK_REAL_FUNCTION(atan, ATAN)
CANTIK_REAL_FUNCTION(sinh, SINH)
CANTIK_REAL_FUNCTION(cosh, COSH)
CANTIK_REAL_FUNCTION(tanh, TANH)
CANTIK_REAL_FUNCTION(asinh, ASINH)
CANTIK_REAL_FUNCTION(acosh, ACOSH)
CANTIK_REAL_FUNCTION(atanh, ATANH)
CANTIK_REAL_FUNCTION(sigmoid, SIGMOID)
CANTIK_REAL_FUNCTION(sign, SIGN)
CANTIK_REAL_FUNCTION(reciprocal, RECIPROCAL)
CANTIK_REAL_FUNCTION(softplus, SOFTPLUS)
CANTIK_REAL_FUNCTION(erf, ERF)
#undef CANTIK_REAL_FUNCTION

// What a function of Reals computes, as opcodes.
class Trace {
 public:
  Trace() = default;
  // Traces a function without arguments that returns a Real.
  template <class F>
  explicit Trace(F&& f) {
    Tape tape;
    const Within within(&tape);
    result_ = f().id();
    code_ = std::move(tape.code);
  }
  // The expression, which points into this object.
  cantik_expression c() const { return {static_cast<int32_t>(code_.size()), result_, code_.data()}; }

 private:
  // What is traced goes on this tape, until f has returned or thrown.
  struct Within {
    Tape* outer = Tape::current();
    explicit Within(Tape* tape) { Tape::current() = tape; }
    ~Within() { Tape::current() = outer; }
  };
  std::vector<cantik_code> code_;
  int32_t result_ = -1;
};

}  // namespace cantik
