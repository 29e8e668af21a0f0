"""Spaces like gym's, for programs without gym."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ...._types import ShapeLike


class Box:
    """Real numbers between bounds.

    Args:
        low, high: arrays of one shape, or numbers
        shape (tuple): with numbers, the shape
    """

    def __init__(self, low: Any, high: Any, shape: ShapeLike | None = None):
        if shape is not None:
            low, high = np.full(shape, low, np.float64), np.full(shape, high, np.float64)
        if np.shape(low) != np.shape(high):
            raise ValueError(f'the bounds have the shapes {np.shape(low)} and {np.shape(high)}')
        self.low, self.high = low, high

    @property
    def shape(self) -> tuple[int]:
        """The shape of an observation."""
        return np.shape(self.low)


class Discrete:
    """The whole numbers 0 to n - 1."""

    def __init__(self, n: int):
        self.n = n


class MultiBinary:
    """Vectors of n zeros and ones."""

    def __init__(self, n: int):
        self.n = n


class Tuple:
    """Several spaces side by side. No agent takes it."""

    def __init__(self, spaces: Any):
        self.spaces = spaces
