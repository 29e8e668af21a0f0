"""Observations of real numbers as numbers of cells."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ['BoxSpaceDiscretizer']


class BoxSpaceDiscretizer:
    """A grid over a box: every observation lies in one of `num_states` cells, counted from 0 with the last
    axis fastest.

    Args:
        space: with `low` and `high`, arrays of one shape
        resolution: how many cells an axis has, a number for all axes or an array in the shape of the space

    Example:
        >>> import numpy as np
        >>> from cantik.contrib.deeprl.tests.spaces import Box
        >>> grid = BoxSpaceDiscretizer(Box(0, 1, (2,)), 10)
        >>> grid.discretize([0.1, 0.25]), grid.num_states
        (12, 100)
    """

    def __init__(self, space: Any, resolution: Any):
        self._low, self._high = np.asarray(space.low, np.float64), np.asarray(space.high, np.float64)
        if not (np.isfinite(self._low) & np.isfinite(self._high) & (self._low < self._high)).all():
            raise ValueError(
                f'a grid needs a box with finite bounds, low < high, not {space.low} and {space.high}'
            )
        cells = np.asarray(resolution)
        if (
            cells.dtype.kind not in 'iu'
            or (cells < 1).any()
            or (cells.ndim and cells.shape != self._low.shape)
        ):
            raise ValueError(
                'the resolution is a whole number above 0, or an array of them in the shape '
                f'{self._low.shape}, not {resolution!r}'
            )
        self._cells = np.broadcast_to(cells, self._low.shape)
        self.num_states = int(np.prod(self._cells, dtype=np.int64))

    def discretize(self, value: Any) -> int:
        """The cell of an observation. One outside of the box belongs to the nearest cell.

        Args:
            value: an array in the shape of the space
        """
        value = np.asarray(value, np.float64)
        if value.shape != self._low.shape or np.isnan(value).any():
            raise ValueError(f'an observation has the shape {self._low.shape} and no NaN, got {value!r}')
        at = (np.clip(value, self._low, self._high) - self._low) * self._cells / (self._high - self._low)
        at = np.minimum(at.astype(np.int64), self._cells - 1)
        return int(np.ravel_multi_index(at.ravel(), self._cells.ravel()))
