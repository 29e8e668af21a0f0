"""mx.random: the seed of all draws, and the draws of mx.nd.random."""

from .. import cntk_py
from .ndarray.eager import forget_random
from .ndarray.random import (  # noqa: F401  mx.random.uniform and its like
    exponential,
    multinomial,
    normal,
    randint,
    randn,
    shuffle,
    uniform,
)


def seed(seed_state, ctx='all'):
    """Every stream of random numbers begins anew."""
    if not isinstance(seed_state, int):
        raise ValueError('seed_state must be int')
    cntk_py.set_fixed_random_seed(seed_state & 0xFFFFFFFF)
    cntk_py.reset_random_seed(seed_state & 0xFFFFFFFF)
    forget_random()
