"""mx.sym.random: random numbers as nodes."""

from __future__ import annotations

from typing import Any

from ..base import all_or_none
from .symbol import Symbol, apply


def _draw(name, shape, dtype, called, **numbers):
    given = {'shape': shape, 'dtype': dtype}
    if all_or_none(numbers.values(), Symbol):  # of each element as many as the shape says
        name = name.replace('_random_', '_sample_')
        return apply(name, list(numbers.values()), given, called, called=name)
    return apply(name, [], {**numbers, **given, 'shape': shape or (1,)}, called, called=name)


def uniform(
    low: Any = 0, high: Any = 1, shape: Any = None, dtype: Any = None, name: str | None = None, **kwargs: Any
) -> Symbol:
    return _draw('_random_uniform', shape, dtype, name, low=low, high=high)


def normal(
    loc: Any = 0,
    scale: Any = 1,
    shape: Any = None,
    dtype: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Symbol:
    return _draw('_random_normal', shape, dtype, name, loc=loc, scale=scale)


def randn(
    *shape: Any, loc: Any = 0, scale: Any = 1, dtype: Any = None, name: str | None = None, **kwargs: Any
) -> Symbol:
    return normal(loc, scale, shape, dtype, name)


def exponential(
    scale: Any = 1, shape: Any = None, dtype: Any = None, name: str | None = None, **kwargs: Any
) -> Symbol:
    return _draw('_random_exponential', shape, dtype, name, lam=1.0 / scale)


def randint(
    low: Any, high: Any, shape: Any = None, dtype: Any = None, name: str | None = None, **kwargs: Any
) -> Symbol:
    return _draw('_random_randint', shape, dtype, name, low=low, high=high)


def multinomial(
    data: Symbol, shape: Any = (), get_prob: bool = True, dtype: Any = 'int32', **kwargs: Any
) -> Symbol:
    """As mx.nd.random.multinomial; the logarithms of the probabilities come along unless they are not
    wanted."""
    given = {'shape': shape, 'get_prob': get_prob, 'dtype': dtype}
    return apply('_sample_multinomial', [data], given, called='_sample_multinomial', **kwargs)


def shuffle(data: Symbol, **kwargs: Any) -> Symbol:
    """The parts along the first axis in a random order."""
    return apply('_shuffle', [data], {}, called='_shuffle', **kwargs)


def uniform_like(data: Symbol, low: Any = 0, high: Any = 1, name: str | None = None) -> Symbol:
    return apply('_random_uniform_like', [data], {'low': low, 'high': high}, name, called='uniform_like')


def normal_like(data: Symbol, loc: float = 0, scale: float = 1, name: str | None = None) -> Symbol:
    return apply('_random_normal_like', [data], {'loc': loc, 'scale': scale}, name, called='normal_like')


def exponential_like(data: Symbol, lam: float = 1, name: str | None = None) -> Symbol:
    return apply('_random_exponential_like', [data], {'lam': lam}, name, called='exponential_like')
