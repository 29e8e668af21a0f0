"""Operators that go element by element."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import MXNetError
from ..lower import broadcast, call, is_whole, spread, text
from .entry import Bool, Float, Int, Text, apart, numbered, operator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes


def unary(name: str, cantik: Any, *aliases: Any) -> Any:
    @operator(name, aliases=aliases, alike=True)
    def lower(g, a, x):
        return g.op(cantik, x)

    lower.__doc__ = f"Element by element, Cantik's {cantik}."


for _name, _cantik, *_aliases in [
    ('abs', 'abs'),
    ('sign', 'sign'),
    ('ceil', 'ceil'),
    ('floor', 'floor'),
    ('exp', 'exp'),
    ('log', 'ieee_log'),
    ('sqrt', 'ieee_sqrt'),
    ('square', 'square'),
    ('sin', 'sin'),
    ('cos', 'cos'),
    ('tan', 'tan'),
    ('arcsin', 'asin'),
    ('arccos', 'acos'),
    ('arctan', 'atan'),
    ('sinh', 'sinh'),
    ('cosh', 'cosh'),
    ('tanh', 'tanh'),
    ('arcsinh', 'asinh'),
    ('arctanh', 'atanh'),
    ('relu', 'ieee_relu'),
    ('sigmoid', 'sigmoid'),
    ('softsign', 'softsign'),
    ('negative', 'negate', '_np_negative'),
    ('zeros_like', 'zeros_like'),
    ('ones_like', 'ones_like'),
    ('identity', 'alias', '_copy', '_identity'),
    ('gamma', 'gamma'),
    ('gammaln', 'log_gamma'),
    ('erf', 'erf'),
    ('erfinv', 'erfinv'),
    ('cbrt', 'cbrt'),
    ('log1p', 'log1p'),
    ('expm1', 'expm1'),
]:
    unary(_name, _cantik, *_aliases)


@operator('BlockGrad', aliases=('stop_gradient',), alike=True)
def block_grad(g: Lowering, a: Attributes, x: Any) -> Any:
    """The operand; no gradient goes through."""
    return g.stop(x)


def composed(name: str, *aliases: Any) -> Any:
    """A unary operator that is several of Cantik's."""

    def add(f):
        operator(name, aliases=aliases, alike=True)(lambda g, a, x: f(g, x))
        return f

    return add


composed('reciprocal')(lambda g, x: g.divide(1, x))
composed('rsqrt')(lambda g, x: g.divide(1, g.op('ieee_sqrt', x)))
composed('rcbrt')(lambda g, x: g.divide(1, g.op('cbrt', x)))
composed('log2')(lambda g, x: g.times(g.op('ieee_log', x), 1 / math.log(2)))
composed('log10')(lambda g, x: g.times(g.op('ieee_log', x), 1 / math.log(10)))
composed('degrees')(lambda g, x: g.times(x, 180 / math.pi))
composed('radians')(lambda g, x: g.times(x, math.pi / 180))
composed('fix', 'trunc')(lambda g, x: g.stop(g.op('truncate', x)))
composed('round')(lambda g, x: rounded(g, x))
composed('rint')(lambda g, x: nearer(g, x))
composed('logical_not')(lambda g, x: g.map('equal', x, 0))
composed('arccosh')(
    lambda g, x: g.op('ieee_log', g.plus(x, g.op('ieee_sqrt', g.minus(g.op('square', x), 1))))
)


def rounded(g: Lowering, x: Any) -> Any:
    """The nearest whole number; halves go away from 0."""
    x = g.stop(x)
    whole = g.op('truncate', x)
    return g.map(
        'element_select',
        g.map('less', g.op('abs', g.minus(x, whole)), 0.5),
        whole,
        g.plus(whole, g.op('sign', x)),
    )


def nearer(g: Lowering, x: Any) -> Any:
    """The nearest whole number; halves go down."""
    x = g.stop(x)
    below, above = g.op('floor', x), g.op('ceil', x)
    return g.map('element_select', g.map('less', g.minus(above, x), g.minus(x, below)), above, below)


def truth(g: Lowering, x: Any) -> Any:
    """1 where x is not 0."""
    return g.map('not_equal', x, 0)


def modulo(g: Lowering, x: Any, y: Any) -> Any:
    """The remainder with the sign of the divisor; 0 where that is 0."""
    shape = broadcast([x.shape, y.shape])
    x, y = (g.plain(spread(g, v, shape)) if v.shape != shape else g.plain(v) for v in (x, y))
    return g.like(call('remainder', (x.v, y.v), (), ''), x)


def both(g: Lowering, x: Any, y: Any) -> Any:
    return g.times(truth(g, x), truth(g, y))


def either(g: Lowering, x: Any, y: Any) -> Any:
    return g.map('element_max', truth(g, x), truth(g, y))


# Name of the arithmetic, how it is lowered, the names of its forms: elementwise (equal shapes), broadcasting,
# with a number.
BINARY = [
    ('plus', 'plus', ('elemwise_add', '_plus', '_add', '_Plus'), ('broadcast_add', 'broadcast_plus')),
    ('minus', 'minus', ('elemwise_sub', '_minus', '_sub', '_Minus'), ('broadcast_sub', 'broadcast_minus')),
    ('mul', 'element_times', ('elemwise_mul', '_mul', '_Mul'), ('broadcast_mul',)),
    ('div', 'ieee_divide', ('elemwise_div', '_div', '_Div'), ('broadcast_div',)),
    ('mod', modulo, ('_mod', '_Mod'), ('broadcast_mod',)),
    ('power', 'ieee_pow', ('_power', '_Power'), ('broadcast_power',)),
    ('maximum', 'ieee_max', ('_maximum', '_Maximum'), ('broadcast_maximum',)),
    ('minimum', 'ieee_min', ('_minimum', '_Minimum'), ('broadcast_minimum',)),
    (
        'hypot',
        lambda g, x, y: g.op('ieee_sqrt', g.plus(g.op('square', x), g.op('square', y))),
        ('_hypot',),
        ('broadcast_hypot',),
    ),
    ('equal', 'equal', ('_equal', '_Equal'), ('broadcast_equal',)),
    ('not_equal', 'not_equal', ('_not_equal', '_Not_Equal'), ('broadcast_not_equal',)),
    ('greater', 'greater', ('_greater', '_Greater'), ('broadcast_greater',)),
    ('greater_equal', 'greater_equal', ('_greater_equal', '_Greater_Equal'), ('broadcast_greater_equal',)),
    ('lesser', 'less', ('_lesser', '_Lesser'), ('broadcast_lesser',)),
    ('lesser_equal', 'less_equal', ('_lesser_equal', '_Lesser_Equal'), ('broadcast_lesser_equal',)),
    ('logical_and', both, ('_logical_and', '_Logical_And'), ('broadcast_logical_and',)),
    ('logical_or', either, ('_logical_or', '_Logical_Or'), ('broadcast_logical_or',)),
    (
        'logical_xor',
        lambda g, x, y: g.map('not_equal', truth(g, x), truth(g, y)),
        ('_logical_xor', '_Logical_Xor'),
        ('broadcast_logical_xor',),
    ),
]


def whole_division(g: Lowering, x: Any, y: Any) -> Any:
    """The whole part of the quotient. As MXNet computes them, the slopes lose their broken parts before they
    meet the gradient."""
    quotient = g.map('ieee_divide', x, y)
    slopes = g.divide(1, y), g.op('negate', g.divide(x, g.op('square', y)))
    return g.by_slopes(quotient, *((v, g.op('truncate', s)) for v, s in zip((x, y), slopes)))


def whole_remainder(g: Lowering, x: Any, y: Any) -> Any:
    """The remainder, whose slopes are 0: broken parts of quotients are cut off."""
    return g.stop(modulo(g, x, y))


def applied(how: Any, g: Lowering, x: Any, y: Any) -> Any:
    return g.map(how, x, y) if isinstance(how, str) else how(g, x, y)


def same_types(x: Any, y: Any) -> Any:
    if x.dtype is not None and y.dtype is not None and x.dtype != y.dtype:
        raise MXNetError(
            'Check failed: assign(&dattr, vec.at(i)): Incompatible attr in node  at 1-th input: expected '
            f'{x.dtype}, got {y.dtype}'
        )


def same_shapes(values: Any) -> Any:
    """Refuses operands of several shapes."""
    for i, v in enumerate(values):
        if v.shape != values[0].shape:
            raise MXNetError(
                f'Check failed: assign(&dattr, vec.at(i)): Incompatible attr in node  at {i}-th input: '
                f'expected {text(values[0].shape)}, got {text(v.shape)}'
            )


WHOLE = {'div': whole_division, 'mod': whole_remainder}  # arithmetic that whole numbers have in their own way


def _add_binary(name, how, elementwise, broadcasting):
    @operator(elementwise[0], 'lhs rhs', aliases=elementwise[1:], alike=True)
    def lower_same(g, a, x, y):
        """Element by element; the shapes are the same."""
        same_shapes([x, y])
        same_types(x, y)
        return applied(WHOLE.get(name, how) if is_whole(x.dtype) else how, g, x, y)

    @operator(broadcasting[0], 'lhs rhs', aliases=broadcasting[1:])
    def lower_broadcast(g, a, x, y):
        """Element by element; axes of size 1 are spread over the other operand's."""
        same_types(x, y)
        return applied(WHOLE.get(name, how) if is_whole(x.dtype) else how, g, x, y)


for _row in BINARY:
    _add_binary(*_row)


@operator(
    'add_n',
    lambda a: numbered('arg', a.num_args),
    aliases=('ElementWiseSum', '_sum'),
    variadic='num_args',
    alike=True,
    num_args=Int(required=True),
)
def add_n(g: Lowering, a: Attributes, *values: Any) -> Any:
    """The sum of all operands, which have one shape."""
    same_shapes(values)
    total = values[0]
    for v in values[1:]:
        total = g.plus(total, v)
    return total


@operator('clip', alike=True, a_min=Float(required=True), a_max=Float(required=True))
def clip(g: Lowering, a: Attributes, x: Any) -> Any:
    """The operand, not below a_min nor above a_max."""
    low, high = (int(v) for v in (a.a_min, a.a_max)) if is_whole(x.dtype) else (a.a_min, a.a_max)
    return g.map('ieee_clip', x, low, high)


def where_back(a: Attributes, shapes: Sequence[Any], results: Any) -> Any:
    """x, y and the result have one shape."""
    known = [s for s in (*shapes[1:], results[0]) if s is not None]
    one = tuple(max(sizes) for sizes in zip(*known)) if known and len({len(s) for s in known}) == 1 else None
    return [shapes[0], one, one]


@operator('where', 'condition x y', back=where_back, types=lambda a, types: types[1], complete_types=apart(0))
def where(g: Lowering, a: Attributes, condition: Any, x: Any, y: Any) -> Any:
    """x where the condition is not 0, y elsewhere. A condition of one axis chooses whole items."""
    if condition.ndim != x.ndim:
        condition = g.reshape(condition, condition.shape + (1,) * (x.ndim - 1))
    return g.map('element_select', condition, x, y)


@operator('smooth_l1', alike=True, scalar=Float(1.0))
def smooth_l1(g: Lowering, a: Attributes, x: Any) -> Any:
    """(scalar x)^2 / 2 near 0, |x| - 1 / (2 scalar^2) elsewhere: where |x| is below 1 / scalar^2."""
    return g.op('smooth_l1', x, a.scalar)


@operator('hard_sigmoid', alike=True, alpha=Float(0.2), beta=Float(0.5))
def hard_sigmoid(g: Lowering, a: Attributes, x: Any) -> Any:
    """max(0, min(1, alpha x + beta))."""
    return g.op('hard_sigmoid', x, a.alpha, a.beta)


ACTIVATIONS = {
    'relu': 'ieee_relu',
    'sigmoid': 'sigmoid',
    'tanh': 'tanh',
    'softrelu': 'softplus',
    'softsign': 'softsign',
}


@operator('Activation', by_batch=True, alike=True, act_type=Text(required=True, choices=tuple(ACTIVATIONS)))
def activation(g: Lowering, a: Attributes, x: Any) -> Any:
    """A nonlinearity, element by element."""
    return g.op(ACTIVATIONS[a.act_type], x)


@operator('_contrib_isnan', alike=True)
def is_nan(g: Lowering, a: Attributes, x: Any) -> Any:
    """1 where the operand is not a number."""
    return g.map('not_equal', x, x)


@operator('_contrib_isinf', alike=True)
def is_infinite(g: Lowering, a: Attributes, x: Any) -> Any:
    """1 where the operand is infinite."""
    return g.map('equal', g.op('abs', x), math.inf)


@operator('_contrib_isfinite', alike=True)
def is_finite(g: Lowering, a: Attributes, x: Any) -> Any:
    """1 where the operand is a number, and not infinite."""
    return g.map('less', g.op('abs', x), math.inf)


@operator('_contrib_div_sqrt_dim', alike=True)
def div_sqrt_dim(g: Lowering, a: Attributes, x: Any) -> Any:
    """The operand over the root of its last axis's size."""
    return g.times(x, x.shape[-1] ** -0.5)


@operator('_contrib_quadratic', alike=True, a=Float(0.0), b=Float(0.0), c=Float(0.0))
def quadratic(g: Lowering, a: Attributes, x: Any) -> Any:
    """a x^2 + b x + c."""
    return g.plus(g.times(g.plus(g.times(x, a.a), a.b), x), a.c)


def _straight_through(name, f):
    @operator(name, alike=True)
    def lower(g, a, x):
        """Whole numbers or signs, with the gradient of the operand itself."""
        return g.by_slopes(f(g, x), (x, g.number_value(1)))


_straight_through('_contrib_round_ste', rounded)
_straight_through('_contrib_sign_ste', lambda g, x: g.op('sign', x))


@operator('_identity_with_attr_like_rhs', 'lhs rhs', alike=True)
def identity_like(g: Lowering, a: Attributes, x: Any, like: Any) -> Any:
    """The left operand."""
    return g.op('alias', x)


@operator(
    'all_finite',
    init_output=Bool(True),
    shapes_of=lambda a, shapes: [(1,)],
    types=lambda a, types: np.float32,
)
def all_finite(g: Lowering, a: Attributes, x: Any) -> Any:
    """1 if all numbers are finite."""
    beyond = g.sum_all(g.map('greater_equal', g.op('abs', x), math.inf))
    nowhere = g.sum_all(g.map('not_equal', x, x))
    return g.reshape(g.map('equal', g.plus(beyond, nowhere), 0), (1,))


@operator(
    'multi_sum_sq',
    lambda a: numbered('array_', a.num_arrays),
    variadic='num_arrays',
    num_arrays=Int(required=True),
    types=lambda a, types: np.float32,
)
def multi_sum_sq(g: Lowering, a: Attributes, *values: Any) -> Any:
    """The sum of squares of each operand."""
    return g.splice([g.reshape(g.sum_all(g.op('square', v)), (1,)) for v in values], 0)


@operator(
    'amp_multicast',
    lambda a: numbered('data_', a.num_outputs),
    variadic='num_outputs',
    num_outputs=Int(required=True),
    cast_narrow=Bool(False),
    outputs=lambda a: numbered('output', a.num_outputs),
    types=lambda a, types: (
        [min(types, key=size_of_type) if a.cast_narrow else max(types, key=size_of_type)] * len(types)
    ),
)
def amp_multicast(g: Lowering, a: Attributes, *values: Any) -> Any:
    """The operands in the widest of their types, or in the narrowest."""
    return [g.op('alias', v) for v in values]


def size_of_type(t: Any) -> int:
    return np.dtype(t).itemsize
