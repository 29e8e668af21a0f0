"""Values under the names that CNTK's binding has for them: an element type in each name, numbers one after
the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cantik
from .axis import Axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import VariableLike
    from .core import Value

__all__ = ['NativeValues']


_AXES = [Axis.default_batch_axis(), Axis.default_dynamic_axis()]


def _shape(dimension):
    return (int(dimension),) if isinstance(dimension, (int, np.integer)) else tuple(dimension)


def _flags(options, count):
    """Of what may stand behind the data (flags, device, read_only): the flags, and whether the value is read
    only."""
    options = list(options)
    flags = options.pop(0) if options and isinstance(options[0], (list, tuple)) else None
    if flags is not None and len(flags) not in (0, count):
        raise ValueError(
            f'there must be one flag for each of the {count} sequences, and {len(flags)} were given'
        )
    device, read_only = (options + [None, False])[:2]
    if len(options) > 2 or isinstance(device, bool):
        raise TypeError(
            'after the data, the arguments must be flags of the sequences, a device and read_only'
        )
    return list(flags) if flags else None, bool(read_only)


def _dense(dtype, sample_shape, sequences, options):
    shape, arrays = _shape(sample_shape), []
    flags, read_only = _flags(options, len(sequences))
    size = int(np.prod(shape, dtype=np.int64))
    for i, numbers in enumerate(sequences):
        array = np.asarray(numbers, dtype).ravel()
        if not size or array.size % size:
            raise ValueError(
                f'sequence {i} has {array.size} numbers, which is not a multiple of the {size} of a '
                f'sample of shape {shape}'
            )
        arrays.append(array.reshape((-1,) + shape))
    return _made(dtype, shape, arrays, flags, read_only, False)


def _one_hot(dtype, dimension, sequences, options):
    flags, read_only = _flags(options, len(sequences))
    value = _cantik.Value.one_hot([list(s) for s in sequences], _shape(dimension), dtype)
    if flags is None and not read_only:
        return value
    x = _variable(dtype, _shape(dimension), True)
    return _cantik.Value.create(x, value.as_sequences(x), flags, None, read_only)


def _variable(dtype, shape, is_sparse):
    return _cantik.input_variable(shape, dtype, False, is_sparse, _AXES, '')


def _made(dtype, shape, arrays, flags, read_only, is_sparse):
    return _cantik.Value.create(_variable(dtype, shape, is_sparse), arrays, flags, None, read_only)


def _batch(dtype, shape, numbers, options):
    """One-hot rows of indices where `shape` is a number, samples where it is a tuple."""
    if isinstance(shape, (int, np.integer)):
        return _one_hot(dtype, shape, [[i] for i in numbers], options)
    array = np.asarray(numbers, dtype).ravel()
    size = int(np.prod(shape, dtype=np.int64))
    return _dense(dtype, shape, np.split(array, range(size, array.size, size)) if size else [array], options)


def _sequence(dtype, shape, numbers, options):
    """One sequence, which begins or, with the flag False, goes on with that of the last minibatch."""
    options = [[options[0]], *options[1:]] if options and isinstance(options[0], bool) else list(options)
    make = _one_hot if isinstance(shape, (int, np.integer)) else _dense
    return make(dtype, shape, [numbers], options)


class NativeValues:
    """Values made of plain lists, with an element type in the method's name."""

    __slots__ = ()

    @staticmethod
    def create_batch_float(sample_shape: Any, batch_data: Sequence[Any], *options: Any) -> Value:
        """A batch of samples of float32.

        Args:
            sample_shape: a tuple; or a number n, for one-hot samples with n classes
            batch_data (list): numbers, one sample after the other; for one-hot samples an index for each
            options: a device, and whether the value is read only

        Example:
            >>> import cantik as C
            >>> C.Value.create_batch_float((2,), [1, 2, 3, 4], C.cpu()).asarray()
            array([[[1., 2.]],
            <BLANKLINE>
                   [[3., 4.]]], dtype=float32)
        """
        return _batch(np.float32, sample_shape, batch_data, options)

    @staticmethod
    def create_batch_double(sample_shape: Any, batch_data: Sequence[Any], *options: Any) -> Value:
        """create_batch_float with elements of float64."""
        return _batch(np.float64, sample_shape, batch_data, options)

    @staticmethod
    def create_sequence_float(sample_shape: Any, sequence_data: Sequence[Any], *options: Any) -> Value:
        """A sequence of float32.

        Args:
            sample_shape: a tuple; or a number n, for one-hot steps with n classes
            sequence_data (list): numbers, one step after the other; for one-hot steps an index for each
            options: whether the sequence begins (or goes on), a device, and whether the value is read only

        Example:
            >>> import cantik as C
            >>> C.Value.create_sequence_float(4, [3, 0], C.cpu())
            Value([1 x 2 x 4], CPU)
        """
        return _sequence(np.float32, sample_shape, sequence_data, options)

    @staticmethod
    def create_sequence_double(sample_shape: Any, sequence_data: Sequence[Any], *options: Any) -> Value:
        """create_sequence_float with elements of float64."""
        return _sequence(np.float64, sample_shape, sequence_data, options)

    @staticmethod
    def create_dense_float(sample_shape: Any, sequences: list[Any], *options: Any) -> Value:
        """Sequences of float32.

        Args:
            sample_shape (tuple): of a step
            sequences (list): for each sequence its numbers, one step after the other
            options: a list that says of each sequence whether it begins, a device, and whether the value is
              read only

        Example:
            >>> import cantik as C
            >>> C.Value.create_dense_float((2,), [[1, 2, 3, 4], [5, 6]], C.cpu()).asarray().tolist()
            [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [0.0, 0.0]]]
        """
        return _dense(np.float32, sample_shape, sequences, options)

    @staticmethod
    def create_dense_double(sample_shape: Any, sequences: list[Any], *options: Any) -> Value:
        """create_dense_float with elements of float64."""
        return _dense(np.float64, sample_shape, sequences, options)

    @staticmethod
    def create_one_hot_float(dimension: Any, one_hot_sequences: Sequence[Any], *options: Any) -> Value:
        """One-hot sequences of float32, sparse.

        Args:
            dimension: how many classes, a number or a tuple
            one_hot_sequences (list): for each sequence its indices
            options: a list that says of each sequence whether it begins, a device, and whether the value is
              read only

        Example:
            >>> import cantik as C
            >>> C.Value.create_one_hot_float(4, [[1, 3], [0]], C.cpu())
            Value([2 x 2 x 4], CPU)
        """
        return _one_hot(np.float32, dimension, one_hot_sequences, options)

    @staticmethod
    def create_one_hot_double(dimension: Any, one_hot_sequences: Sequence[Any], *options: Any) -> Value:
        """create_one_hot_float with elements of float64."""
        return _one_hot(np.float64, dimension, one_hot_sequences, options)

    def copy_variable_value_to(self, output_variable: VariableLike, sequences: list[Any]) -> None:
        """Puts the indices of one-hot sequences into a list: for each sequence a list of them.

        Args:
            output_variable: the variable that the value is of, with or without a sequence axis
            sequences (list): what it holds is replaced

        Example:
            >>> import cantik as C
            >>> x, found = C.sequence.input_variable(4, is_sparse=True), []
            >>> C.Value.create_one_hot_float(4, [[1, 3], [0]], C.cpu()).copy_variable_value_to(x, found)
            >>> found
            [[1, 3], [0]]
        """
        found = []
        for rows in self._rows(output_variable):
            if not ((rows == 0) | (rows == 1)).all() or not (rows.sum(axis=1) == 1).all():
                raise ValueError('the value is not one-hot: each row must be zeros and a single 1')
            found.append(rows.argmax(axis=1).tolist())
        sequences[:] = found

    def copy_variable_value_to_float(self, output_variable: VariableLike, sequences: list[Any]) -> None:
        """Puts the numbers of sequences into a list: for each sequence a list of them, one step after the
        other.

        Args:
            output_variable: the variable that the value is of, with or without a sequence axis
            sequences (list): what it holds is replaced

        Example:
            >>> import cantik as C
            >>> x, found = C.sequence.input_variable(2), []
            >>> value = C.Value.create_dense_float((2,), [[1, 2, 3, 4], [5, 6]], C.cpu())
            >>> value.copy_variable_value_to_float(x, found)
            >>> found
            [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0]]
        """
        self._copy(output_variable, sequences, np.float32)

    def copy_variable_value_to_double(self, output_variable: VariableLike, sequences: list[Any]) -> None:
        """copy_variable_value_to_float of a value of float64."""
        self._copy(output_variable, sequences, np.float64)

    def _copy(self, output_variable, sequences, dtype):
        if self.dtype != dtype:
            raise RuntimeError(f'the value has elements of {np.dtype(self.dtype)}, not of {np.dtype(dtype)}')
        sequences[:] = [rows.ravel().tolist() for rows in self._rows(output_variable)]

    def _rows(self, variable):
        """For each sequence, or sample, its rows as an array of two axes."""
        size = int(np.prod(variable.shape, dtype=np.int64))
        parts = self.as_sequences(variable)
        return [(p.toarray() if hasattr(p, 'toarray') else np.asarray(p)).reshape(-1, size) for p in parts]
