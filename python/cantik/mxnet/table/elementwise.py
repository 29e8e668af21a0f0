"""Operators that go element by element."""
import math

from ..base import MXNetError
from ..lower import text
from .entry import Float, Int, Text, operator


def unary(name, cantik, *aliases):
    @operator(name, aliases=aliases)
    def lower(g, a, x):
        return g.op(cantik, x)
    lower.__doc__ = "Element by element, Cantik's {}.".format(cantik)


for _name, _cantik, *_aliases in [
        ('abs', 'abs'), ('sign', 'sign'), ('ceil', 'ceil'), ('floor', 'floor'), ('exp', 'exp'), ('log', 'ieee_log'), ('sqrt', 'ieee_sqrt'),
        ('square', 'square'), ('sin', 'sin'), ('cos', 'cos'), ('tan', 'tan'), ('arcsin', 'asin'), ('arccos', 'acos'), ('arctan', 'atan'), ('sinh', 'sinh'),
        ('cosh', 'cosh'), ('tanh', 'tanh'), ('arcsinh', 'asinh'), ('arctanh', 'atanh'), ('relu', 'relu'), ('sigmoid', 'sigmoid'), ('softsign', 'softsign'),
        ('negative', 'negate', '_np_negative'), ('zeros_like', 'zeros_like'), ('ones_like', 'ones_like'),
        ('identity', 'alias', '_copy')]:
    unary(_name, _cantik, *_aliases)


@operator('BlockGrad', aliases=('stop_gradient',))
def block_grad(g, a, x):
    """The operand; no gradient goes through."""
    return g.stop(x)


def composed(name, *aliases):
    """A unary operator that is several of Cantik's."""
    def add(f):
        operator(name, aliases=aliases)(lambda g, a, x: f(g, x))
        return f
    return add


composed('reciprocal')(lambda g, x: g.divide(1, x))
composed('rsqrt')(lambda g, x: g.divide(1, g.op('ieee_sqrt', x)))
composed('cbrt')(lambda g, x: g.times(g.op('sign', x), g.map('pow', g.op('abs', x), 1 / 3)))
composed('log2')(lambda g, x: g.times(g.op('ieee_log', x), 1 / math.log(2)))
composed('log10')(lambda g, x: g.times(g.op('ieee_log', x), 1 / math.log(10)))
composed('log1p')(lambda g, x: g.op('ieee_log', g.plus(x, 1)))
composed('expm1')(lambda g, x: g.minus(g.op('exp', x), 1))
composed('degrees')(lambda g, x: g.times(x, 180 / math.pi))
composed('radians')(lambda g, x: g.times(x, math.pi / 180))
composed('fix', 'trunc')(lambda g, x: g.times(g.op('sign', x), g.op('floor', g.op('abs', x))))
composed('round')(lambda g, x: g.times(g.op('sign', x), g.op('floor', g.plus(g.op('abs', x), 0.5))))
composed('rint')(lambda g, x: g.op('ceil', g.minus(x, 0.5)))
composed('logical_not')(lambda g, x: g.map('equal', x, 0))
composed('arccosh')(lambda g, x: g.op('ieee_log', g.plus(x, g.op('ieee_sqrt', g.minus(g.op('square', x), 1)))))


def truth(g, x):
    """1 where x is not 0."""
    return g.map('not_equal', x, 0)


def modulo(g, x, y):
    """The remainder with the sign of the divisor; 0 where that is 0."""
    quotient = g.map('element_divide', x, y)
    return g.times(g.minus(x, g.times(g.stop(g.op('floor', quotient)), y)), g.map('not_equal', y, 0))


def both(g, x, y):
    return g.times(truth(g, x), truth(g, y))


def either(g, x, y):
    return g.map('element_max', truth(g, x), truth(g, y))


# Name of the arithmetic, how it is lowered, the names of its forms: elementwise (equal shapes), broadcasting, with a number.
BINARY = [
    ('plus', 'plus', ('elemwise_add', '_plus', '_add', '_Plus'), ('broadcast_add', 'broadcast_plus')),
    ('minus', 'minus', ('elemwise_sub', '_minus', '_sub', '_Minus'), ('broadcast_sub', 'broadcast_minus')),
    ('mul', 'element_times', ('elemwise_mul', '_mul', '_Mul'), ('broadcast_mul',)),
    ('div', 'ieee_divide', ('elemwise_div', '_div', '_Div'), ('broadcast_div',)),
    ('mod', modulo, ('_mod', '_Mod'), ('broadcast_mod',)),
    ('power', 'ieee_pow', ('_power', '_Power'), ('broadcast_power',)),
    ('maximum', 'element_max', ('_maximum', '_Maximum'), ('broadcast_maximum',)),
    ('minimum', 'element_min', ('_minimum', '_Minimum'), ('broadcast_minimum',)),
    ('hypot', lambda g, x, y: g.op('ieee_sqrt', g.plus(g.op('square', x), g.op('square', y))), ('_hypot',), ('broadcast_hypot',)),
    ('equal', 'equal', ('_equal', '_Equal'), ('broadcast_equal',)),
    ('not_equal', 'not_equal', ('_not_equal', '_Not_Equal'), ('broadcast_not_equal',)),
    ('greater', 'greater', ('_greater', '_Greater'), ('broadcast_greater',)),
    ('greater_equal', 'greater_equal', ('_greater_equal', '_Greater_Equal'), ('broadcast_greater_equal',)),
    ('lesser', 'less', ('_lesser', '_Lesser'), ('broadcast_lesser',)),
    ('lesser_equal', 'less_equal', ('_lesser_equal', '_Lesser_Equal'), ('broadcast_lesser_equal',)),
    ('logical_and', both, ('_logical_and', '_Logical_And'), ('broadcast_logical_and',)),
    ('logical_or', either, ('_logical_or', '_Logical_Or'), ('broadcast_logical_or',)),
    ('logical_xor', lambda g, x, y: g.map('not_equal', truth(g, x), truth(g, y)), ('_logical_xor', '_Logical_Xor'), ('broadcast_logical_xor',)),
]


def applied(how, g, x, y):
    return g.map(how, x, y) if isinstance(how, str) else how(g, x, y)


def same_types(x, y):
    if x.dtype is not None and y.dtype is not None and x.dtype != y.dtype:
        raise MXNetError('Check failed: assign(&dattr, vec.at(i)): Incompatible attr in node  at 1-th input: expected {}, got {}'.format(x.dtype, y.dtype))


def same_shapes(a, shapes):
    """Elementwise operators give each operand the shape of the others."""
    known = next((s for s in shapes if s is not None), None)
    for i, s in enumerate(shapes):
        if s is not None and tuple(s) != tuple(known):
            raise MXNetError('Check failed: assign(&dattr, vec.at(i)): Incompatible attr in node  at {}-th input: expected {}, got {}'.format(i, text(known), text(s)))
    return [known] * len(shapes)


def _add_binary(how, elementwise, broadcasting):
    @operator(elementwise[0], 'lhs rhs', aliases=elementwise[1:], complete=same_shapes)
    def lower_same(g, a, x, y):
        """Element by element; the shapes are the same."""
        same_shapes(a, [x.shape, y.shape])
        same_types(x, y)
        return applied(how, g, x, y)

    @operator(broadcasting[0], 'lhs rhs', aliases=broadcasting[1:])
    def lower_broadcast(g, a, x, y):
        """Element by element; axes of size 1 are spread over the other operand's."""
        same_types(x, y)
        return applied(how, g, x, y)


for _row in BINARY:
    _add_binary(*_row[1:])


@operator('add_n', lambda a: ['arg{}'.format(i) for i in range(a.num_args)], aliases=('ElementWiseSum', '_sum'), variadic='num_args', complete=same_shapes, num_args=Int(required=True))
def add_n(g, a, *values):
    """The sum of all operands, which have one shape."""
    same_shapes(a, [v.shape for v in values])
    total = values[0]
    for v in values[1:]:
        total = g.plus(total, v)
    return total


@operator('clip', a_min=Float(required=True), a_max=Float(required=True))
def clip(g, a, x):
    """The operand, not below a_min nor above a_max."""
    return g.map('clip', x, a.a_min, a.a_max)


@operator('where', 'condition x y', types=lambda a, types: types[1])
def where(g, a, condition, x, y):
    """x where the condition is not 0, y elsewhere. A condition of one axis chooses whole items."""
    if condition.ndim != x.ndim:
        condition = g.reshape(condition, condition.shape + (1,) * (x.ndim - 1))
    return g.map('element_select', condition, x, y)


@operator('smooth_l1', scalar=Float(1.0))
def smooth_l1(g, a, x):
    """(scalar x)^2 / 2 near 0, |x| - 1 / (2 scalar^2) elsewhere: where |x| is below 1 / scalar^2."""
    s2 = a.scalar * a.scalar
    size = g.op('abs', x)
    return g.map('element_select', g.map('less', size, 1 / s2), g.times(g.op('square', x), s2 / 2), g.minus(size, 0.5 / s2))


@operator('hard_sigmoid', alpha=Float(0.2), beta=Float(0.5))
def hard_sigmoid(g, a, x):
    """max(0, min(1, alpha x + beta))."""
    return g.op('hard_sigmoid', x, a.alpha, a.beta)


ACTIVATIONS = {'relu': 'relu', 'sigmoid': 'sigmoid', 'tanh': 'tanh', 'softrelu': 'softplus', 'softsign': 'softsign'}


@operator('Activation', act_type=Text(required=True, choices=tuple(ACTIVATIONS)))
def activation(g, a, x):
    """A nonlinearity, element by element."""
    return g.op(ACTIVATIONS[a.act_type], x)
