"""Masks of CNTK's binding: which steps of sequences, side by side in a block, are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .core import Dims
from .device import DeviceDescriptor, cpu

if TYPE_CHECKING:
    from collections.abc import Sequence

INVALID, VALID, SEQUENCE_BEGIN = 0, 1, 2


class NDMask:
    """A number for each cell of a block, as in `Value.mask`: 0 where there is nothing, 2 where a sequence
    begins, 1 elsewhere. Offsets have the last axis first, shapes the first one, as in CNTK.

    Args:
        shape (tuple): of the block
        device (DeviceDescriptor): where it lives

    Example:
        >>> from cantik import cntk_py
        >>> mask = cntk_py.NDMask((2, 3))
        >>> mask.invalidate_section([1, 0], (1, 2))
        >>> mask.mark_sequence_begin([0, 1])
        >>> mask.to_ndarray()
        array([[1, 0, 0],
               [2, 1, 1]], dtype=int8)
    """

    def __init__(self, shape: Sequence[int], device: DeviceDescriptor | None = None):
        self._cells = np.full(tuple(shape), VALID, np.int8)
        self._device = device or cpu()

    @classmethod
    def of(cls, cells: np.ndarray) -> NDMask:
        """The mask of these cells."""
        mask = cls(())
        mask._cells = cells
        return mask

    def _part(self, offset, shape):
        offset = tuple(offset)[::-1]
        shape = (1,) * len(offset) if shape is None else tuple(shape)
        if len(offset) != self._cells.ndim or len(shape) != self._cells.ndim:
            raise ValueError(
                f'the offset {offset} and the shape {shape} must have the {self._cells.ndim} axes of the mask'
            )
        if any(o < 0 or n < 0 or o + n > size for o, n, size in zip(offset, shape, self._cells.shape)):
            raise ValueError(
                f'the section at {offset} of shape {shape} is outside of the mask of shape {self.shape()}'
            )
        return tuple(slice(o, o + n) for o, n in zip(offset, shape))

    def invalidate_section(self, section_offset: Sequence[int], section_shape: Sequence[int]) -> None:
        """There is nothing in a section of the block.

        Args:
            section_offset (list): the first cell of the section, the last axis first
            section_shape (tuple): its size along each axis
        """
        self._cells[self._part(section_offset, section_shape)] = INVALID

    def mark_sequence_begin(self, offset: Sequence[int], section_shape: Sequence[int] | None = None) -> None:
        """Sequences begin in a cell, or in the cells of a section.

        Args:
            offset (list): the cell, the last axis first
            section_shape (tuple): the size of the section along each axis
        """
        self._cells[self._part(offset, section_shape)] = SEQUENCE_BEGIN

    def clear(self) -> None:
        """All cells are there, and no sequence begins."""
        self._cells[...] = VALID

    def masked_count(self) -> int:
        """How many cells there is nothing in."""
        return int(np.count_nonzero(self._cells == INVALID))

    def shape(self) -> tuple[int, ...]:
        """The shape of the block."""
        return Dims(self._cells.shape)

    def device(self) -> DeviceDescriptor:
        """Where it lives."""
        return self._device

    def to_ndarray(self) -> Any:
        """A copy of the numbers."""
        return self._cells.copy()

    asarray = to_ndarray

    def copy_from(self, source: NDMask) -> None:
        """Takes the numbers of another mask of this shape."""
        if source.shape() != self.shape():
            raise ValueError(f'a mask of shape {source.shape()} cannot be copied to one of {self.shape()}')
        self._cells[...] = source._cells

    def deep_clone(self, device: DeviceDescriptor | None = None) -> NDMask:
        """A copy."""
        copy = NDMask(self.shape(), device or self._device)
        copy.copy_from(self)
        return copy

    def alias(self) -> NDMask:
        """Another mask on the same memory."""
        other = NDMask(self.shape(), self._device)
        other._cells = self._cells
        return other
