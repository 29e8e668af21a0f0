"""Functions of two operands, each a symbol or a number."""

from __future__ import annotations

from typing import Any

from .symbol import Symbol, apply


def _pair(same, scalar, name):
    def function(left, right):
        if isinstance(left, Symbol) and isinstance(right, Symbol):
            return apply(same, [left, right], {}, called=same)
        if isinstance(left, Symbol):
            return apply(_SCALARS[scalar], [left], {'scalar': right}, called=scalar)
        if isinstance(right, Symbol):
            return apply(_SCALARS[scalar], [right], {'scalar': left}, called=scalar)
        raise TypeError(f'types ({type(left).__name__}, {type(right).__name__}) not supported')

    function.__name__ = name
    function.__doc__ = f'{name} of symbols of one shape and numbers.'
    return function


_SCALARS = {
    '_MaximumScalar': '_maximum_scalar',
    '_MinimumScalar': '_minimum_scalar',
    '_HypotScalar': '_hypot_scalar',
}
maximum = _pair('_maximum', '_MaximumScalar', 'maximum')
minimum = _pair('_minimum', '_MinimumScalar', 'minimum')
hypot = _pair('_hypot', '_HypotScalar', 'hypot')


def pow(base: Any, exp: Any) -> Any:
    """base to the power of exp; one of them may be a number."""
    return base**exp


power = pow
NAMES = ('maximum', 'minimum', 'hypot', 'pow', 'power')
