#include <cantik/ops/arithmetic.h>

namespace cantik {
namespace {

Variable number(double value) { return constant(Shape(), value); }

}  // namespace

Function operator+(const Variable& a, const Variable& b) { return call("plus", {a, b}); }
Function operator-(const Variable& a, const Variable& b) { return call("minus", {a, b}); }
Function operator*(const Variable& a, const Variable& b) { return call("element_times", {a, b}); }
Function operator/(const Variable& a, const Variable& b) { return call("element_divide", {a, b}); }
Function operator-(const Variable& a) { return call("negate", {a}); }

Function operator+(const Variable& a, double b) { return a + number(b); }
Function operator+(double a, const Variable& b) { return number(a) + b; }
Function operator-(const Variable& a, double b) { return a - number(b); }
Function operator-(double a, const Variable& b) { return number(a) - b; }
Function operator*(const Variable& a, double b) { return a * number(b); }
Function operator*(double a, const Variable& b) { return number(a) * b; }
Function operator/(const Variable& a, double b) { return a / number(b); }
Function operator/(double a, const Variable& b) { return number(a) / b; }

}  // namespace cantik
