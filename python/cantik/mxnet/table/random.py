"""Random numbers, from Cantik's streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..lower import Val, call
from .entry import Bool, DType, Float, Int, Shape, Text, find, operator
from .index import ones_at

if TYPE_CHECKING:
    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes

COMMON = dict(shape=Shape(()), ctx=Text(''), dtype=DType(np.float32))


def _type(a, types):
    return a.dtype or np.float32


def _shape(a):
    return a.shape or (1,)


def drawn(g: Lowering, name: str, a: Attributes, *numbers: Any) -> Val:
    return Val(call(name, (), (_shape(a), g.compute) + numbers + (None,), ''), False, _shape(a), None)


@operator(
    '_random_uniform',
    (),
    aliases=('random_uniform', 'uniform'),
    random=True,
    types=_type,
    low=Float(0.0),
    high=Float(1.0),
    **COMMON,
)
def uniform(g: Lowering, a: Attributes) -> Val:
    """Uniform between low and high."""
    return drawn(g, 'uniform', a, a.low, a.high)


@operator(
    '_random_normal',
    (),
    aliases=('random_normal', 'normal'),
    random=True,
    types=_type,
    loc=Float(0.0),
    scale=Float(1.0),
    **COMMON,
)
def normal(g: Lowering, a: Attributes) -> Val:
    """Normal around loc."""
    return drawn(g, 'normal', a, a.loc, a.scale)


@operator(
    '_random_exponential',
    (),
    aliases=('random_exponential',),
    random=True,
    types=_type,
    lam=Float(1.0),
    **COMMON,
)
def exponential(g: Lowering, a: Attributes) -> Any:
    """Exponential with the rate lam."""
    u = drawn(g, 'uniform', a, 0.0, 1.0)
    return g.times(g.op('ieee_log', g.minus(1, u)), -1 / a.lam)


@operator(
    '_random_randint',
    (),
    aliases=('random_randint', 'randint'),
    random=True,
    types=lambda a, types: a.dtype or np.int32,
    low=Int(required=True),
    high=Int(required=True),
    shape=Shape(()),
    ctx=Text(''),
    dtype=DType(np.int32),
)
def randint(g: Lowering, a: Attributes) -> Any:
    """Whole numbers from low to high - 1."""
    return g.map('ieee_min', g.op('floor', drawn(g, 'uniform', a, float(a.low), float(a.high))), a.high - 1)


@operator(
    '_sample_multinomial',
    aliases=('sample_multinomial',),
    random=True,
    outputs=lambda a: ['output0', 'output1'] if a.get_prob else ['output'],
    types=lambda a, types: [a.dtype, np.float32] if a.get_prob else a.dtype,
    shape=Shape(()),
    get_prob=Bool(False),
    dtype=DType(np.int32),
)
def multinomial(g: Lowering, a: Attributes, p: Any) -> Any:
    """Places drawn with the probabilities along the last axis; with get_prob, the logarithms of what the
    drawn ones had, too, through which gradients come back."""
    k, lead = p.shape[-1], p.shape[:-1]
    rows, n = p.size // k, int(np.prod(a.shape))
    p = g.plain(g.reshape(p, (rows, k)))
    upto = Val(
        call('times', (p.v, g.constant(np.triu(np.ones((k, k)))).v), (1, None), ''), False, (rows, k), p.dtype
    )
    u = Val(call('uniform', (), ((rows, n, 1), g.compute, 0.0, 1.0, None), ''), False, (rows, n, 1), p.dtype)
    below = g.map('less_equal', g.reshape(upto, (rows, 1, k)), u)
    made = g.map('ieee_min', g.reduce('reduce_sum', below, [2], False), k - 1)
    shape = (lead + a.shape) or (1,)
    drawn_ones = g.reshape(made, shape)
    if not a.get_prob:
        return drawn_ones
    chosen = g.reduce('reduce_sum', g.times(g.reshape(p, (rows, 1, k)), ones_at(g, made, k)), [2], False)
    return [drawn_ones, g.reshape(g.op('log', chosen), shape)]


def _sampled(g, name, a, first):
    """Standard draws, a.shape of them for each element of the first parameter, and the way of the parameters
    beside them."""
    shape = first.shape + a.shape
    u = Val(call(name, (), (shape, g.compute, 0.0, 1.0, None), ''), False, shape, None)
    return u, lambda p: g.reshape(p, p.shape + (1,) * len(a.shape))


SAMPLES = dict(random=True, types=lambda a, types: a.dtype or np.float32)
OF_A_SAMPLE = dict(shape=Shape(()), dtype=DType(np.float32))


@operator('_sample_uniform', 'low high', aliases=('sample_uniform',), **SAMPLES, **OF_A_SAMPLE)
def sample_uniform(g: Lowering, a: Attributes, low: Any, high: Any) -> Any:
    """Uniform between each low and its high."""
    u, beside = _sampled(g, 'uniform', a, low)
    return g.plus(beside(low), g.times(u, beside(g.minus(high, low))))


@operator('_sample_normal', 'mu sigma', aliases=('sample_normal',), **SAMPLES, **OF_A_SAMPLE)
def sample_normal(g: Lowering, a: Attributes, mu: Any, sigma: Any) -> Any:
    """Normal around each mu, with its sigma."""
    u, beside = _sampled(g, 'normal', a, mu)
    return g.plus(beside(mu), g.times(u, beside(sigma)))


@operator('_sample_exponential', 'lam', aliases=('sample_exponential',), **SAMPLES, **OF_A_SAMPLE)
def sample_exponential(g: Lowering, a: Attributes, lam: Any) -> Any:
    """Exponential with each rate lam."""
    u, beside = _sampled(g, 'uniform', a, lam)
    return g.divide(g.op('ieee_log', g.minus(1, u)), g.times(beside(lam), -1))


def _like(name, **numbers):
    """The operator that draws as `name` does, an array of its operand's shape."""

    def lower(g: Lowering, a: Attributes, x: Any) -> Any:
        drawing = find(name)
        given = {k: a[k] for k in numbers}
        return drawing.lower(g, drawing.read({**given, 'shape': x.shape}))

    lower.__doc__ = f'As {name}, in the shape of the operand.'
    operator(name + '_like', aliases=(name[len('_random_') :] + '_like',), random=True, **numbers)(lower)


_like('_random_uniform', low=Float(0.0), high=Float(1.0))
_like('_random_normal', loc=Float(0.0), scale=Float(1.0))
_like('_random_exponential', lam=Float(1.0))


@operator('_shuffle', aliases=('shuffle',), random=True)
def shuffle(g: Lowering, a: Attributes, x: Any) -> Any:
    """The parts along the first axis in a random order."""
    rows = x.shape[:1]
    u = Val(call('uniform', (), (rows, g.compute, 0.0, 1.0, None), ''), False, rows, None)
    argsort, take = find('argsort'), find('take')
    return take.lower(g, take.read({}), x, argsort.lower(g, argsort.read({}), u))
