"""The generator that orders of samples are drawn from where a call names no seed."""

from __future__ import annotations

import numpy as np

from ._limits import MOST


class Shared:
    """The program's generator; `set_seed` makes it anew."""

    generator = np.random.default_rng()


def new_seed() -> int:
    """A seed for the orders of a training."""
    return int(Shared.generator.integers(MOST))
