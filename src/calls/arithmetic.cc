#include <cantik/ops/arithmetic.h>

namespace cantik {
namespace {

// A number has the element type of what it stands beside.
Variable number(double value, const Variable& beside) { return constant(Shape(), value, beside.dtype()); }

}  // namespace

Function operator+(const Variable& a, const Variable& b) { return call("plus", {a, b}); }
Function operator-(const Variable& a, const Variable& b) { return call("minus", {a, b}); }
Function operator*(const Variable& a, const Variable& b) { return call("element_times", {a, b}); }
Function operator/(const Variable& a, const Variable& b) { return call("element_divide", {a, b}); }
Function operator-(const Variable& a) { return call("negate", {a}); }

Function operator+(const Variable& a, double b) { return a + number(b, a); }
Function operator+(double a, const Variable& b) { return number(a, b) + b; }
Function operator-(const Variable& a, double b) { return a - number(b, a); }
Function operator-(double a, const Variable& b) { return number(a, b) - b; }
Function operator*(const Variable& a, double b) { return a * number(b, a); }
Function operator*(double a, const Variable& b) { return number(a, b) * b; }
Function operator/(const Variable& a, double b) { return a / number(b, a); }
Function operator/(double a, const Variable& b) { return number(a, b) / b; }

}  // namespace cantik
