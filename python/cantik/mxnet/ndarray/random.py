"""mx.nd.random: arrays of random numbers."""

from __future__ import annotations

from typing import Any

from ..base import missing
from .array import NDArray
from .function import named


def _draw(name, shape, dtype, ctx, out, **numbers):
    if any(isinstance(v, NDArray) for v in numbers.values()):
        missing('mx.nd.random with arrays as parameters')
    if out is not None:
        shape, dtype = out.shape, out.dtype
    shape = (1,) if shape in (None, ()) else shape
    return named(name)(
        shape=shape, out=out, ctx=ctx, **({} if dtype is None else {'dtype': dtype}), **numbers
    )


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
    if get_prob:
        missing('mx.nd.random.multinomial with get_prob')
    return named('_sample_multinomial')(
        data, shape=(shape,) if isinstance(shape, int) else shape, dtype=dtype, out=out
    )


def shuffle(data: Any, out: Any = None, **kwargs: Any) -> Any:
    """The parts along the first axis in a random order."""
    order = named('argsort')(uniform(shape=(data.shape[0],)))
    made = named('take')(data, order)
    if out is None:
        return made
    out[:] = made
    return out
