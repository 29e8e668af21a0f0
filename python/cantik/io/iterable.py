"""IterableSource: any Python iterable, or any table, as a source of minibatches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import dictionary, flag, listed, refused, text, whole
from .._limits import INFINITELY_REPEAT
from ..core import Value
from ..ops import input_variable, sequence
from .columns import array, columns, is_csr, rows
from .sources import MinibatchData, StreamInformation, UserMinibatchSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._cantik import DeviceDescriptor
    from .._types import DTypeLike


def _whole_numbers(name, values):
    """Indices of classes, as a row; floating types may hold them."""
    indices = np.asarray(values).ravel()
    if indices.dtype.kind in 'iu':
        return indices
    with np.errstate(invalid='ignore'):
        found = indices.astype(np.int64)
    if (found != indices).any():
        wrong = indices[found != indices][0]
        raise ValueError(f'the stream {name} is one-hot, and has {wrong}, which is no whole number')
    return found


class _Block:
    """Some samples: a column for each stream."""

    def __init__(self, parts, as_columns):
        self.columns = (
            {name: rows(part) for name, part in parts.items()}
            if as_columns
            else {name: [array(part)] for name, part in parts.items()}
        )
        for name, column in self.columns.items():
            if not isinstance(column, list) and not column.shape:
                raise ValueError(f'the stream {name} is a number, not a column')
        sizes = {
            name: len(column) if isinstance(column, list) else column.shape[0]
            for name, column in self.columns.items()
        }
        if len(set(sizes.values())) != 1:
            raise ValueError(
                'the streams have different numbers of samples: {}'.format(
                    ', '.join(f'{n} of {name}' for name, n in sizes.items())
                )
            )
        self.size = next(iter(sizes.values()))

    def column(self, name):
        """The column of a stream."""
        if name not in self.columns:
            raise ValueError(
                f'the first sample has the stream {name}, and a later one has only {", ".join(self.columns)}'
            )
        return self.columns[name]


class IterableSource(UserMinibatchSource):
    """Any iterable as a source: a table, or a Python iterable of samples or of tables. Nothing is imported
    for it, and rows are not copied where a minibatch lies in one block of memory.

    A table is a dictionary of columns, a tuple of arrays, a structured array, or a table of pandas, polars or
    Arrow. A sample is a dictionary, a tuple or an array. A data set of PyTorch's is an iterable of samples;
    its DataLoader, a reader of Arrow's record batches and a generator of dictionaries of arrays are iterables
    of tables.

    Args:
        data: a table; an iterable; or a function without arguments that returns an iterable, called anew for
          each sweep
        batches (bool): what the iterable brings are tables, of any sizes; minibatches are cut of them
        names (list): of the streams, where the data have none; x0, x1, ... otherwise
        sequences (list): names of streams whose samples are sequences, [steps, shape...]; a minibatch is
          counted in the steps of the longest
        one_hot (dict): from names of streams of whole numbers to how many there are: they become sparse rows
          with a one
        dtype: of dense streams
        max_sweeps (int): how often the data are gone through; INFINITELY_REPEAT for ever. A generator can be
          gone through once
        read_ahead (bool): training loops may call it on another thread

    Example:
        >>> import cantik as C, numpy as np
        >>> def samples():
        ...     for i in range(5):
        ...         yield {'x': np.full(2, i), 'digit': i}
        >>> source = C.io.IterableSource(samples, one_hot={'digit': 10}, max_sweeps=2)
        >>> source.next_minibatch(3)[source.streams.x].asarray()
        array([[0., 0.],
               [1., 1.],
               [2., 2.]], dtype=float32)
        >>> [batch[source.streams.digit].num_samples for batch in iter(lambda: source.next_minibatch(3), {})]
        [2, 3, 2]
    """

    def __init__(
        self,
        data: Any,
        batches: bool = False,
        names: Sequence[str] | None = None,
        sequences: Sequence[Any] = (),
        one_hot: Mapping[Any, Any] | None = None,
        dtype: DTypeLike = np.float32,
        max_sweeps: int = 1,
        read_ahead: bool = False,
    ):
        if names is not None:
            names = [text(name, 'the name of a stream') for name in listed(names, 'names')]
        self._data, self._batches, self._names = data, flag(batches, 'batches'), names
        self._sequences = {text(name, 'the name of a stream') for name in listed(sequences, 'sequences')}
        self._one_hot = {
            text(name, 'the name of a stream'): whole(n, 'one_hot', 1)
            for name, n in dictionary(one_hot or {}, 'one_hot').items()
        }
        self._dtype = _cantik.dtype(_cantik.as_dtype(dtype))
        self._max_sweeps, self.read_ahead = whole(max_sweeps, 'max_sweeps', 1), flag(read_ahead, 'read_ahead')
        self._table = (
            columns(data, names)
            if not callable(data) and not isinstance(data, list) and not np.isscalar(data)
            else None
        )
        by_number = hasattr(data, '__getitem__') and hasattr(data, '__len__')
        if self._table is None and not callable(data) and not hasattr(data, '__iter__') and not by_number:
            raise TypeError(
                'a table, an iterable, or a function that returns one was expected, not '
                f'{type(data).__name__}'
            )
        self._once = (
            self._table is None and not callable(data) and hasattr(data, '__iter__') and iter(data) is data
        )
        self._iterator = self._block = self._next_block = None
        self._sweep = self._row = 0
        self._begin()
        if self._block is None:
            raise ValueError('the data are empty')
        self._infos = [self._info(i, name) for i, name in enumerate(self._block.columns)]
        self._variables = {info.name: self._variable(info) for info in self._infos}
        super().__init__()

    # ---- what comes one after another ----

    def _items(self, first):
        """The blocks of a sweep, from the one that has this row on if that can be reached directly; and the
        row it begins with."""
        if self._table is not None:
            return iter([self._table]), 0
        data = self._data() if callable(self._data) else self._data
        if not hasattr(data, '__iter__'):  # a data set that is asked for its samples by number
            begin = 0 if self._batches else min(first, len(data))
            return (data[i] for i in range(begin, len(data))), begin
        return iter(data), 0

    def _begin(self):
        """Goes to the sample of the sweep that is to come."""
        if self._once and self._iterator is not None:
            if self._sweep or self._row < self._start:
                raise RuntimeError(
                    f'what can be gone through only once cannot go back to sample {self._row}: give a '
                    'function that makes it anew'
                )
        else:
            self._block = self._next_block = None
            self._iterator, self._start = self._items(self._row)
            self._advance()
            self._advance()
        while self._block is not None and self._row >= self._start + self._block.size:
            self._advance()
        self._offset = self._row - self._start
        if self._block is None and self._offset > 0:
            raise RuntimeError(
                f'the checkpoint stopped at sample {self._row} of a sweep, there are {self._start}: restore '
                'with the same data'
            )

    def _advance(self):
        """The next block; one more is known, to tell the end of a sweep."""
        if self._block is not None:
            self._start += self._block.size
        self._block, self._next_block, self._offset = self._next_block, None, 0
        while self._next_block is None:
            try:
                item = next(self._iterator)
            except StopIteration:
                return
            parts = columns(item, self._names)
            if parts is None:
                raise TypeError(f'a sample is a dictionary, a tuple or an array, not {type(item).__name__}')
            block = _Block(parts, self._batches or self._table is not None)
            self._next_block = block if block.size else None

    # ---- what the streams are ----

    def _info(self, number, name):
        column = self._block.columns[name]
        first = column[0] if isinstance(column, list) else column
        if name in self._one_hot:
            return StreamInformation(name, number, 'sparse', self._dtype, (self._one_hot[name],))
        if is_csr(first):
            return StreamInformation(
                name,
                number,
                'sparse',
                first.dtype if first.dtype in (np.float32, np.float64) else np.float32,
                (first.shape[1],),
            )
        lead = (0 if isinstance(column, list) else 1) + (name in self._sequences)
        if first.dtype.kind not in 'fiub':
            raise TypeError(f'the stream {name} has no numbers, but {first.dtype}')
        return StreamInformation(name, number, 'dense', self._dtype, first.shape[lead:] or (1,))

    def _variable(self, info):
        make = sequence.input_variable if info.name in self._sequences else input_variable
        return make(
            info.sample_shape, _cantik.dtype(info.m_element_type), is_sparse=info.storage_format == 'sparse'
        )

    def stream_infos(self) -> list[StreamInformation]:
        """A list of StreamInformation."""
        return self._infos

    def is_infinite(self) -> bool:
        """Whether it never ends."""
        return self._max_sweeps >= INFINITELY_REPEAT

    # ---- minibatches ----

    def next_minibatch(
        self,
        num_samples: int,
        number_of_workers: int = 1,
        worker_rank: int = 0,
        device: DeviceDescriptor | None = None,
    ) -> dict[Any, Any] | dict[StreamInformation, MinibatchData]:
        """The next samples: as many as asked for, fewer at the end of a sweep. Each worker gets every so
        many-th of them."""
        num_samples = whole(num_samples, 'num_samples', 1)
        number_of_workers = whole(number_of_workers, 'number_of_workers', 1)
        worker_rank = whole(worker_rank, 'worker_rank', 0)
        if self._block is None:
            if self._sweep + 1 >= self._max_sweeps:
                return {}
            self._sweep, self._row = self._sweep + 1, 0
            self._begin()
        pieces, count = [], 0
        while self._block is not None and count < num_samples:
            n, cost = self._fitting(num_samples - count, not pieces)
            if n == 0:
                break
            pieces.append((self._block, self._offset, self._offset + n, self._row))
            count += cost
            self._row += n
            self._offset += n
            if self._offset == self._block.size:
                self._advance()
        if number_of_workers > 1:
            pieces = [
                (block, slice(begin + (worker_rank - row) % number_of_workers, end, number_of_workers))
                for block, begin, end, row in pieces
            ]
        else:
            pieces = [(block, slice(begin, end)) for block, begin, end, _ in pieces]
        return {info: self._minibatch(info, pieces) for info in self._infos}

    def _fitting(self, room, at_least_one):
        """How many samples of the block fit, and what they count."""
        left = self._block.size - self._offset
        if not self._sequences:
            return min(left, room), min(left, room)
        taken = cost = 0
        while taken < left:
            place = self._offset + taken
            steps = max(self._block.column(name)[place].shape[0] for name in self._sequences)
            if cost + steps > room and not (at_least_one and taken == 0):
                break
            taken, cost = taken + 1, cost + steps
        return taken, cost

    def _minibatch(self, info, pieces):
        parts = [block.column(info.name)[where] for block, where in pieces]
        sweep_end = self._block is None
        variable = self._variables[info.name]
        if info.name in self._sequences:
            items = [item for part in parts for item in part]
            steps = sum(item.shape[0] for item in items)
            if info.name in self._one_hot:
                value = Value.one_hot(
                    [_whole_numbers(info.name, item) for item in items],
                    self._one_hot[info.name],
                    info.m_element_type,
                )
            else:
                value = Value.create(variable, items)
            batch = MinibatchData(value, len(items), steps, sweep_end)
            batch.has_steps = True
            return batch
        self._check_shapes(info, parts)
        data = self._joined(parts)
        if info.name in self._one_hot:
            value = Value.one_hot(
                _whole_numbers(info.name, data), self._one_hot[info.name], info.m_element_type
            )
        else:
            data = (
                data
                if is_csr(data)
                else np.asarray(data, _cantik.dtype(info.m_element_type)).reshape(
                    (-1,) + tuple(info.sample_shape)
                )
            )
            value = _cantik.value_for(variable, data)
        return MinibatchData(value, data.shape[0], data.shape[0], sweep_end)

    def _check_shapes(self, info, parts):
        """An error if a sample has not as many numbers as those of its stream."""
        wanted = (1,) if info.name in self._one_hot else tuple(info.sample_shape)
        for part in parts:
            for shape in {item.shape for item in part} if isinstance(part, list) else {part.shape[1:]}:
                if math.prod(shape) != math.prod(wanted):
                    raise ValueError(
                        f'the stream {info.name} has samples of the shape {wanted}, and one of the shape '
                        f'{shape}\n  remedy   where its samples are sequences, name it in `sequences`'
                    )

    @staticmethod
    def _joined(parts):
        """Columns one after another; a single one stays where it is."""
        if any(isinstance(part, list) for part in parts):
            items = [item for part in parts for item in part]
            return np.stack(items) if items and not is_csr(items[0]) else IterableSource._joined(items)
        if len(parts) == 1:
            return parts[0]
        if parts and is_csr(parts[0]):
            from scipy.sparse import vstack

            return vstack(parts, 'csr')
        return np.concatenate(parts) if parts else np.empty(0)

    # ---- checkpoints ----

    def get_checkpoint_state(self) -> dict[str, int | Any]:
        """Where it stands: the sweep, and the sample in it."""
        return {'sweep': self._sweep, 'sample': self._row}

    def restore_from_checkpoint(self, state: Any) -> None:
        """Goes to where get_checkpoint_state stood. What cannot be asked for its samples by number is gone
        through from its beginning."""
        if not isinstance(state, dict) or not {'sweep', 'sample'} <= state.keys():
            raise refused('state', 'what get_checkpoint_state gave', state)
        self._sweep, self._row = int(state['sweep']), int(state['sample'])
        self._begin()
