"""Random numbers, from Cantik's streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..lower import Val, call
from .entry import DType, Float, Int, Shape, Text, operator

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
    types=lambda a, types: a.dtype,
    shape=Shape(()),
    dtype=DType(np.int32),
)
def multinomial(g: Lowering, a: Attributes, p: Any) -> Any:
    """Places drawn with the probabilities along the last axis."""
    k, lead = p.shape[-1], p.shape[:-1]
    rows, n = p.size // k, int(np.prod(a.shape))
    p = g.plain(g.reshape(p, (rows, k)))
    upto = Val(
        call('times', (p.v, g.constant(np.triu(np.ones((k, k)))).v), (1, None), ''), False, (rows, k), p.dtype
    )
    u = Val(call('uniform', (), ((rows, n, 1), g.compute, 0.0, 1.0, None), ''), False, (rows, n, 1), p.dtype)
    below = g.map('less_equal', g.reshape(upto, (rows, 1, k)), u)
    made = g.map('ieee_min', g.reduce('reduce_sum', below, [2], False), k - 1)
    return g.reshape(made, (lead + a.shape) or (1,))
