"""Functions of two operands, each an array or a number."""

import operator as _o

from .array import NDArray
from .function import named


def _pair(name, infix):
    def function(lhs, rhs):
        return infix(lhs, rhs)

    function.__name__ = name
    function.__doc__ = f'{name} of arrays (which broadcast) and numbers.'
    return function


def _by_table(name, broadcasting, scalar):
    def function(lhs, rhs):
        if isinstance(lhs, NDArray) and isinstance(rhs, NDArray):
            return named(broadcasting)(lhs, rhs)
        if isinstance(lhs, NDArray):
            return named(scalar)(lhs, scalar=float(rhs))
        if isinstance(rhs, NDArray):
            return named(scalar)(rhs, scalar=float(lhs))
        return PLAIN[name](lhs, rhs)

    function.__name__ = name
    function.__doc__ = f'{name} of arrays (which broadcast) and numbers.'
    return function


PLAIN = {
    'maximum': max,
    'minimum': min,
    'hypot': lambda x, y: (x * x + y * y) ** 0.5,
    'logical_and': lambda x, y: float(bool(x and y)),
    'logical_or': lambda x, y: float(bool(x or y)),
    'logical_xor': lambda x, y: float(bool(x) != bool(y)),
}

add, subtract, multiply, divide = (
    _pair(n, f)
    for n, f in (('add', _o.add), ('subtract', _o.sub), ('multiply', _o.mul), ('divide', _o.truediv))
)
true_divide, modulo, power = divide, _pair('modulo', _o.mod), _pair('power', _o.pow)
equal, not_equal, greater = _pair('equal', _o.eq), _pair('not_equal', _o.ne), _pair('greater', _o.gt)
greater_equal, lesser, lesser_equal = (
    _pair('greater_equal', _o.ge),
    _pair('lesser', _o.lt),
    _pair('lesser_equal', _o.le),
)
maximum, minimum, hypot = (
    _by_table(n, 'broadcast_' + n, f'_{n}_scalar') for n in ('maximum', 'minimum', 'hypot')
)
logical_and, logical_or, logical_xor = (
    _by_table(n, 'broadcast_' + n, f'_{n}_scalar') for n in ('logical_and', 'logical_or', 'logical_xor')
)
