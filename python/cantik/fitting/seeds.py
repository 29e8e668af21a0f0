"""One seed for everything that is drawn at random."""

from __future__ import annotations

import numpy as np

from .. import _cantik
from .._checks import whole
from .._seeds import Shared

_MOST = 2**32 - 1


def set_seed(seed: int) -> None:
    """Makes a program repeatable: initial parameters, dropout, and the order of samples in `fit`.

    Args:
        seed (int): at least 0

    Example:
        >>> import cantik as C, numpy as np
        >>> def weights():
        ...     C.set_seed(1)
        ...     return C.layers.Dense(2)(C.input_variable(3)).W.value
        >>> np.array_equal(weights(), weights())
        True
    """
    seed = whole(seed, 'seed', 0, _MOST)
    _cantik.set_fixed_random_seed(seed)
    Shared.generator = np.random.default_rng(seed)


def generator_of(seed: int | None) -> np.random.Generator:
    """The generator of one call. A seed sets the library's random numbers too."""
    if seed is not None:
        set_seed(seed)
    return Shared.generator
