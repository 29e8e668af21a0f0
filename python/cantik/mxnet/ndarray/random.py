"""mx.nd.random: arrays of random numbers."""

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


def uniform(low=0, high=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    return _draw('_random_uniform', shape, dtype, ctx, out, low=low, high=high)


def normal(loc=0, scale=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    return _draw('_random_normal', shape, dtype, ctx, out, loc=loc, scale=scale)


def randn(*shape, loc=0, scale=1, dtype=None, ctx=None, **kwargs):
    return normal(loc, scale, shape or None, dtype, ctx)


def exponential(scale=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    return _draw('_random_exponential', shape, dtype, ctx, out, lam=1.0 / scale)


def randint(low, high, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    return _draw('_random_randint', shape, dtype, ctx, out, low=low, high=high)


def multinomial(data, shape=(), get_prob=False, out=None, dtype='int32', **kwargs):
    if get_prob:
        missing('mx.nd.random.multinomial with get_prob')
    return named('_sample_multinomial')(
        data, shape=(shape,) if isinstance(shape, int) else shape, dtype=dtype, out=out
    )


def shuffle(data, out=None, **kwargs):
    """The parts along the first axis in a random order."""
    order = named('argsort')(uniform(shape=(data.shape[0],)))
    made = named('take')(data, order)
    if out is None:
        return made
    out[:] = made
    return out
