"""mx.sym.random: random numbers as nodes."""

from .symbol import apply


def uniform(low=0, high=1, shape=(1,), dtype=None, name=None, **kwargs):
    return apply(
        '_random_uniform',
        [],
        {'low': low, 'high': high, 'shape': shape, 'dtype': dtype},
        name,
        called='_random_uniform',
    )


def normal(loc=0, scale=1, shape=(1,), dtype=None, name=None, **kwargs):
    return apply(
        '_random_normal',
        [],
        {'loc': loc, 'scale': scale, 'shape': shape, 'dtype': dtype},
        name,
        called='_random_normal',
    )
