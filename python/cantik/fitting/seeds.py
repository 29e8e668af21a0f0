"""One seed for everything that is drawn at random."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from .. import _cantik
from .._checks import whole
from .._seeds import Shared

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 2**32 - 1


def set_seed(seed: int) -> None:
    """Makes a program repeatable: first values of parameters, dropout, and the order of samples in `fit`.

    From now on each parameter, each layer that draws and each order gets a seed of its own, which follows
    from this one and from how many were made before.

    Args:
        seed (int): at least 0

    Example:
        >>> import cantik as C, numpy as np
        >>> def weights():
        ...     C.set_seed(1)
        ...     return [C.layers.Dense(2)(C.input_variable(3)).W.value for _ in range(2)]
        >>> first, second = weights(), weights()
        >>> np.array_equal(first, second), np.array_equal(first[0], first[1])
        (True, False)
    """
    seed = whole(seed, 'seed', 0, _MOST)
    _cantik.set_seed(seed)
    Shared.generator = np.random.default_rng(seed)


@contextmanager
def seeded(seed: int | None) -> Iterator[None]:
    """A part of a program that a seed makes repeatable; afterwards seeds go on as before. None: no such."""
    if seed is None:
        yield
        return
    source, generator = _cantik.seed_source(), Shared.generator
    set_seed(seed)
    try:
        yield
    finally:
        _cantik.set_seed_source(source)
        Shared.generator = generator
