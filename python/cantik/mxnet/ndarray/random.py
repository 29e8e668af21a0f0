"""mx.nd.random: arrays of random numbers."""

from __future__ import annotations

from typing import Any

from ..base import all_or_none
from .array import NDArray
from .function import named


def _draw(name, shape, dtype, ctx, out, **numbers):
    typed = {} if dtype is None else {'dtype': dtype}
    if all_or_none(numbers.values(), NDArray):  # of each element as many as the shape says
        sample = named(name.replace('_random_', '_sample_'))
        return sample(*numbers.values(), shape=shape or (), out=out, **typed)
    if out is not None:
        shape, typed = out.shape, {'dtype': out.dtype}
    return named(name)(shape=(1,) if shape in (None, ()) else shape, out=out, ctx=ctx, **typed, **numbers)


def uniform(
    low: Any = 0,
    high: Any = 1,
    shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
    **kwargs: Any,
) -> Any:
    return _draw('_random_uniform', shape, dtype, ctx, out, low=low, high=high)


def normal(
    loc: float = 0,
    scale: float = 1,
    shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
    **kwargs: Any,
) -> Any:
    return _draw('_random_normal', shape, dtype, ctx, out, loc=loc, scale=scale)


def randn(
    *shape: Any, loc: float = 0, scale: float = 1, dtype: Any = None, ctx: Any = None, **kwargs: Any
) -> Any:
    return normal(loc, scale, shape or None, dtype, ctx)


def exponential(
    scale: float = 1, shape: Any = None, dtype: Any = None, ctx: Any = None, out: Any = None, **kwargs: Any
) -> Any:
    return _draw('_random_exponential', shape, dtype, ctx, out, lam=1.0 / scale)


def randint(
    low: Any, high: Any, shape: Any = None, dtype: Any = None, ctx: Any = None, out: Any = None, **kwargs: Any
) -> Any:
    return _draw('_random_randint', shape, dtype, ctx, out, low=low, high=high)


def multinomial(
    data: Any, shape: Any = (), get_prob: bool = False, out: Any = None, dtype: Any = 'int32', **kwargs: Any
) -> Any:
    return named('_sample_multinomial')(
        data, shape=(shape,) if isinstance(shape, int) else shape, get_prob=get_prob, dtype=dtype, out=out
    )


def shuffle(data: Any, out: Any = None, **kwargs: Any) -> Any:
    """The parts along the first axis in a random order."""
    return named('_shuffle')(data, out=out)


def uniform_like(data: Any, low: Any = 0, high: Any = 1, out: Any = None, **kwargs: Any) -> Any:
    return named('_random_uniform_like')(data, low=low, high=high, out=out)


def normal_like(data: Any, loc: float = 0, scale: float = 1, out: Any = None, **kwargs: Any) -> Any:
    return named('_random_normal_like')(data, loc=loc, scale=scale, out=out)


def exponential_like(data: Any, lam: float = 1, out: Any = None, **kwargs: Any) -> Any:
    return named('_random_exponential_like')(data, lam=lam, out=out)
