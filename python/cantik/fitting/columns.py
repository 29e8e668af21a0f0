"""Columns of training data: what one input of a network gets, sample by sample."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import refused
from ..io.columns import array, is_csr, rows
from ..ops import input_variable, sequence

if TYPE_CHECKING:
    from ..variables import Variable


class Column:
    """Samples as an array [n, ...], a CSR matrix, or a list of sequences [steps, ...].

    Args:
        data: such samples, or what can be turned into them
        what (str): its name in errors

    Attributes:
        joined (tuple): the names of a table's columns that lie side by side in it
        is_whole (bool): whether the data that were given are whole numbers, by their element type
    """

    joined: tuple[str, ...] = ()

    def __init__(self, data: Any, what: str):
        self.what = what
        try:
            found = rows(data)
        except (TypeError, ValueError) as error:
            raise refused(what, 'an array, a CSR matrix, a table or a list of sequences', data) from error
        self.is_sequence = isinstance(found, list) and len({np.shape(item)[:1] for item in found}) > 1
        self.data = found if self.is_sequence or not isinstance(found, list) else _stacked(found, what)
        self.is_whole = _is_whole(self.data)
        if not self.is_sequence and not self.data.shape:
            raise refused(what, 'an array, a CSR matrix, a table or a list of sequences', data)

    def __len__(self) -> int:
        return len(self.data) if isinstance(self.data, list) else self.data.shape[0]

    @property
    def is_sparse(self) -> bool:
        """Whether it is a CSR matrix."""
        return is_csr(self.data)

    @property
    def sample_shape(self) -> tuple[int, ...]:
        """The shape of one sample, or of one step of a sequence."""
        return np.shape(self.data[0])[1:] if isinstance(self.data, list) else self.data.shape[1:]

    def numbers(self, dtype: Any) -> Column:
        """The same column as numbers of an element type."""
        if self.is_sparse:
            self.data = self.data.astype(dtype, copy=False)
        elif isinstance(self.data, list):
            self.data = [_numbers(item, dtype, self.what) for item in self.data]
        else:
            self.data = _numbers(self.data, dtype, self.what)
        return self

    def largest(self) -> float:
        """The largest number."""
        parts = self.data if isinstance(self.data, list) else [self.data]
        return max((float(part.max()) for part in parts if part.size), default=0.0)

    def may_be_steps(self) -> bool:
        """Whether samples [n, steps] or [n, steps, ...] may be sequences of one length."""
        return not isinstance(self.data, list) and not self.is_sparse and self.data.ndim >= 2

    def as_steps(self) -> Column:
        """The samples as sequences, if they may be such."""
        column = copy.copy(self)
        if self.may_be_steps():
            column.data, column.is_sequence = list(self.data), True
        return column

    def for_input(self, variable: Variable) -> Column:
        """The column as data of an input: its element type, and its shape where only axes of one differ."""
        self.numbers(variable.dtype)
        wants_sequences = any(axis.is_sequence_axis for axis in variable.dynamic_axes)
        if wants_sequences and not isinstance(self.data, list):
            if self.data.ndim < 2:
                raise ValueError(self._mismatch(variable, 'samples that are no sequences'))
            self.data = list(self.data)
        if isinstance(self.data, list) and not wants_sequences:
            raise ValueError(self._mismatch(variable, 'sequences of different lengths'))
        self.is_sequence = wants_sequences
        self.store_as(variable)
        shape = tuple(variable.shape)
        is_open = any(d < 0 for d in shape)
        if self.sample_shape == shape or (is_open and len(shape) == len(self.sample_shape)):
            return self
        if self.is_sparse or is_open or int(np.prod(shape)) != int(np.prod(self.sample_shape)):
            raise ValueError(self._mismatch(variable, f'the shape {self.sample_shape}'))
        if self.is_sequence:
            self.data = [item.reshape((len(item), *shape)) for item in self.data]
        elif [d for d in shape if d != 1] == [d for d in self.sample_shape if d != 1]:
            self.data = self.data.reshape((len(self), *shape))
        else:
            raise ValueError(self._mismatch(variable, f'the shape {self.sample_shape}'))
        return self

    def store_as(self, variable: Variable) -> None:
        """Sparse rows for a sparse input, dense ones for a dense input."""
        if isinstance(self.data, list) or self.is_sparse == variable.is_sparse:
            return
        if self.is_sparse:
            self.data = self.data.toarray()
            return
        from scipy.sparse import csr_matrix

        self.data = csr_matrix(self.data.reshape(len(self), -1))

    def _mismatch(self, variable, got):
        name = variable.name or variable.uid
        steps = 'steps' if any(a.is_sequence_axis for a in variable.dynamic_axes) else 'samples'
        return (
            f'{self.what} does not fit the input {name}\n'
            f'  expected {steps} of the shape {tuple(variable.shape)}\n'
            f'  got      {got}'
        )

    def make_input(self, dtype: Any, name: str = '') -> Variable:
        """An input that takes these samples."""
        shape = self.sample_shape or (1,)  # layers take vectors
        if self.is_sequence:
            return sequence.input_variable(shape, dtype, name=name)
        return input_variable(shape, dtype, is_sparse=self.is_sparse, name=name)

    def taken(self, which: np.ndarray) -> Column:
        """The column of some samples, in this order."""
        column = copy.copy(self)
        column.data = [self.data[i] for i in which] if isinstance(self.data, list) else self.data[which]
        return column

    def part(self, begin: int, end: int) -> Any:
        """The data of samples that lie side by side."""
        return self.data[begin:end]


def _is_whole(data):
    parts = data if isinstance(data, list) else [data]
    return bool(parts) and all(part.dtype.kind in 'iu' for part in parts)


def _stacked(items, what):
    if any(is_csr(item) for item in items):
        raise refused(what, 'one CSR matrix in place of a list of them', items)
    if not items:
        raise ValueError(f'{what} has no samples')
    shapes = {item.shape for item in items}
    if len(shapes) > 1:
        raise ValueError(f'{what}: its samples have different shapes: {", ".join(map(str, sorted(shapes)))}')
    return np.stack(items)


def _numbers(data, dtype, what):
    if np.iscomplexobj(data):
        raise ValueError(f'Complex data not supported: {what} has complex numbers')
    try:
        return np.ascontiguousarray(data, dtype)
    except (TypeError, ValueError) as error:
        kind = getattr(data, 'dtype', type(data).__name__)
        raise TypeError(f'{what} has no numbers, but {kind}') from error


def joined(columns: list[tuple[str, Any]], what: str) -> np.ndarray:
    """Columns of numbers side by side, as a matrix [n, numbers]."""
    parts = []
    for name, column in columns:
        data = array(column)
        if is_csr(data) or data.dtype == object or data.dtype.kind not in 'fiub':
            kind = 'a CSR matrix' if is_csr(data) else str(data.dtype)
            raise TypeError(f"{what}: the column '{name}' has no numbers, but {kind}")
        parts.append(data.reshape(len(data), -1))
    sizes = {len(part) for part in parts}
    if len(sizes) > 1:
        raise ValueError(f'{what}: its columns have different lengths: {sorted(sizes)}')
    return np.concatenate(parts, axis=1)
