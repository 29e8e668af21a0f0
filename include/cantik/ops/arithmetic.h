// + - * / of variables and numbers, element by element.
#pragma once

#include <cantik/api.h>
#include <cantik/function.h>

namespace cantik {

// a + b, a - b, a * b, a / b, element by element, with an axis of size 1 repeated.
CANTIK_API Function operator+(const Variable& a, const Variable& b);
CANTIK_API Function operator-(const Variable& a, const Variable& b);
CANTIK_API Function operator*(const Variable& a, const Variable& b);
CANTIK_API Function operator/(const Variable& a, const Variable& b);
// -a
CANTIK_API Function operator-(const Variable& a);
// With a number on one side: a constant without axes, of the element type of the other side.
CANTIK_API Function operator+(const Variable& a, double b);
CANTIK_API Function operator+(double a, const Variable& b);
CANTIK_API Function operator-(const Variable& a, double b);
CANTIK_API Function operator-(double a, const Variable& b);
CANTIK_API Function operator*(const Variable& a, double b);
CANTIK_API Function operator*(double a, const Variable& b);
CANTIK_API Function operator/(const Variable& a, double b);
CANTIK_API Function operator/(double a, const Variable& b);

}  // namespace cantik
