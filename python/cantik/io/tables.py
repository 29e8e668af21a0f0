"""Deserializers of tables and of data sets that are asked for their samples by number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import dictionary, flag, listed, path, refused, text, whole
from ..core import Value
from .chunks import UserDeserializer
from .columns import array, columns, is_csr, rows
from .sources import StreamInformation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._types import DTypeLike, PathLike


class _Columns(UserDeserializer):
    """Chunks of columns, which _columns_of brings.

    Args:
        sequences (list): names of streams whose samples are sequences, [steps, shape...]
        one_hot (dict): from names of streams of whole numbers to how many there are: they become sparse rows
          with a one
        dtype: of dense streams
        read_ahead (bool): training loops may read on another thread
    """

    def __init__(
        self,
        sequences: Sequence[Any] = (),
        one_hot: Mapping[Any, Any] | None = None,
        dtype: DTypeLike = np.float32,
        read_ahead: bool = False,
    ):
        super().__init__()
        self._sequences = {text(name, 'the name of a stream') for name in listed(sequences, 'sequences')}
        self._one_hot = {
            text(name, 'the name of a stream'): whole(n, 'one_hot', 1)
            for name, n in dictionary(one_hot or {}, 'one_hot').items()
        }
        self._dtype = _cantik.dtype(_cantik.as_dtype(dtype))
        self.read_ahead = flag(read_ahead, 'read_ahead')
        self._infos: list[StreamInformation] | None = None

    def _columns_of(self, chunk_id: int) -> dict[str, Any]:
        """The columns of a chunk by name: arrays, CSR matrices, or lists with an array for each row."""
        raise NotImplementedError('_columns_of')

    def stream_infos(self) -> Sequence[StreamInformation]:
        """A list of StreamInformation: names, shapes and storage as the first chunk has them."""
        if self._infos is None:
            if self.num_chunks() == 0:
                raise ValueError('the data are empty')
            first = self._columns_of(0)
            for name in (*self._sequences, *self._one_hot):
                if name not in first:
                    raise ValueError(f'the data have no column {name}; they have {", ".join(first)}')
            self._infos = [self._info(i, name, column) for i, (name, column) in enumerate(first.items())]
        return self._infos

    def _info(self, number, name, column):
        first = column[0] if isinstance(column, list) else column
        if name in self._one_hot:
            return StreamInformation(name, number, 'sparse', self._dtype, (self._one_hot[name],))
        if is_csr(first):
            return StreamInformation(name, number, 'sparse', self._dtype, (first.shape[1],))
        if first.dtype.kind not in 'fiub':
            raise TypeError(f'the column {name} has no numbers, but {first.dtype}')
        lead = (not isinstance(column, list)) + (name in self._sequences)
        return StreamInformation(name, number, 'dense', self._dtype, first.shape[lead:] or (1,))

    def get_chunk(self, chunk_id: int) -> Any:
        """One chunk, as the library takes it."""
        found = self._columns_of(chunk_id)
        missing = [info.name for info in self.stream_infos() if info.name not in found]
        if missing:
            raise ValueError(f'chunk {chunk_id} has no column {missing[0]}; it has {", ".join(found)}')
        return {info.name: self._stream(info, found[info.name]) for info in self._infos}

    def _stream(self, info, column):
        classes, is_sequence = self._one_hot.get(info.name), info.name in self._sequences
        if classes is not None and is_sequence:
            return Value.one_hot([np.asarray(item).ravel() for item in column], classes, info.m_element_type)
        if classes is not None:
            indices = np.asarray(column).reshape(-1)
            return Value.one_hot(indices, classes, info.m_element_type)
        if isinstance(column, list) and not is_sequence:
            if is_csr(column[0]):
                from scipy.sparse import vstack

                return vstack(column, 'csr')
            return np.stack(column)
        return list(column) if is_sequence else column


class DatasetDeserializer(_Columns):
    """Data in memory, or asked for by number, as chunks that take part in random orders, windows, shares of
    workers, parts of sequences, joining and checkpoints.

    A table is a dictionary of columns, a tuple of arrays, a structured array, or a table of pandas, polars or
    Arrow. A data set has `__len__` and `__getitem__`, as those of PyTorch and of Hugging Face; its samples
    are dictionaries, tuples or arrays, and each is asked for when a minibatch needs it, in every sweep anew.
    None of the packages is imported.

    Args:
        data: a table or a data set
        names (list): of the streams, where the data have none; x0, x1, ... otherwise
        sequences (list): names of streams whose samples are sequences, [steps, shape...]
        one_hot (dict): from names of streams of whole numbers to how many there are: they become sparse rows
          with a one
        dtype: of dense streams
        chunk_size (int): how many rows of a table, or samples, are taken at a time; 4096 and 1 if nothing is
          said
        read_ahead (bool): training loops may read on another thread

    Example:
        >>> import cantik as C, numpy as np
        >>> table = {'x': np.arange(10).reshape(5, 2), 'kind': [0, 2, 1, 1, 0]}
        >>> data = C.io.DatasetDeserializer(table, one_hot={'kind': 3})
        >>> source = C.io.MinibatchSource(data, minibatch_size=2, randomization_seed=1)
        >>> len(source)
        3
        >>> [batch['x'][:, 0].tolist() for batch in source]
        [[2.0, 0.0], [6.0, 4.0], [8.0]]
    """

    def __init__(
        self,
        data: Any,
        names: Sequence[str] | None = None,
        sequences: Sequence[Any] = (),
        one_hot: Mapping[Any, Any] | None = None,
        dtype: DTypeLike = np.float32,
        chunk_size: int | None = None,
        read_ahead: bool = False,
    ):
        super().__init__(sequences, one_hot, dtype, read_ahead)
        self._names = (
            None if names is None else [text(name, 'the name of a stream') for name in listed(names, 'names')]
        )
        self._table = None
        self._data = data
        if (
            not isinstance(data, (str, bytes))
            and not np.isscalar(data)
            and not (isinstance(data, list) or (hasattr(data, '__getitem__') and hasattr(data, 'features')))
        ):
            self._table = columns(data, names)
        if self._table is not None:
            self._table = {name: rows(column) for name, column in self._table.items()}
            for name, column in self._table.items():
                if not isinstance(column, list) and not column.shape:
                    raise ValueError(f'the stream {name} is a number, not a column')
            sizes = {name: _count(column) for name, column in self._table.items()}
            if len(set(sizes.values())) != 1:
                given = ', '.join(f'{n} of {name}' for name, n in sizes.items())
                raise ValueError(f'the streams have different numbers of samples: {given}')
            self._size = next(iter(sizes.values()))
        elif isinstance(data, (str, bytes)) or not (
            hasattr(data, '__getitem__') and hasattr(data, '__len__')
        ):
            raise refused('data', 'a table, or a data set with __len__ and __getitem__', data)
        else:
            self._size = len(data)
        if self._size == 0:
            raise ValueError('the data are empty')
        self.changes = self._table is None
        default = 1 if self.changes else 4096
        self._chunk = default if chunk_size is None else whole(chunk_size, 'chunk_size', 1)

    def num_chunks(self) -> int:
        """How many chunks there are."""
        return -(-self._size // self._chunk)

    def _columns_of(self, chunk_id: int) -> dict[str, Any]:
        """The columns of a chunk by name."""
        begin = chunk_id * self._chunk
        end = min(begin + self._chunk, self._size)
        if self._table is not None:
            return {name: column[begin:end] for name, column in self._table.items()}
        samples = [self._sample(i) for i in range(begin, end)]
        return {name: [sample[name] for sample in samples] for name in samples[0]}

    def _sample(self, number):
        sample = columns(self._data[number], self._names)
        if sample is None:
            given = type(self._data[number]).__name__
            raise TypeError(f'a sample is a dictionary, a tuple or an array, not {given}')
        return {name: array(part) for name, part in sample.items()}

    def sequence_lengths(self) -> Sequence[Any] | None:
        """The lengths of all sequences: of a table, and of samples that are no sequences."""
        if not self._sequences:
            lengths = np.ones(self._size, np.int64)
        elif self._table is None:
            return None
        else:
            each = [[len(item) for item in self._table[name]] for name in self._sequences]
            lengths = np.asarray(each, np.int64).max(0)
        return [lengths[i : i + self._chunk] for i in range(0, self._size, self._chunk)]


def _count(column):
    return len(column) if isinstance(column, list) else column.shape[0]


def _pyarrow(what):
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f'{what} reads its files by pyarrow: install it with pip install pyarrow') from None
    return pyarrow


def _paths(given):
    found = given if isinstance(given, (list, tuple)) else [given]
    if not found:
        raise refused('filename', 'the path of a file, or a list of them', given)
    return [path(name, 'filename') for name in found]


class _ArrowColumns(_Columns):
    """What is read by pyarrow: chunks are parts of files, each a table."""

    def __init__(self, filename, names, sequences, one_hot, dtype, read_ahead):
        super().__init__(sequences, one_hot, dtype, read_ahead)
        self.changes = False
        self._names = (
            None
            if names is None
            else [text(name, 'the name of a column') for name in listed(names, 'columns')]
        )
        self._files = [self._opened(name) for name in _paths(filename)]
        for file in self._files:
            there = self._names_in(file)
            for name in self._names or ():
                if name not in there:
                    raise ValueError(f'the file has no column {name}; it has {", ".join(there)}')
        # (file, part of it, rows)
        self._parts = [
            (file, part, count)
            for file in self._files
            for part, count in enumerate(self._rows_of(file))
            if count
        ]

    def num_chunks(self) -> int:
        """How many chunks there are: one for each part of the files that has rows."""
        return len(self._parts)

    def _columns_of(self, chunk_id: int) -> dict[str, Any]:
        """The columns of a chunk by name."""
        file, part, _ = self._parts[chunk_id]
        table = self._read(file, part)
        names = table.schema.names if self._names is None else self._names
        return {name: self._column(name, table.column(name)) for name in names}

    @staticmethod
    def _column(name, column):
        if column.null_count:
            raise ValueError(f'the column {name} has {column.null_count} values that are missing')
        return rows(column)

    def sequence_lengths(self) -> Sequence[Any] | None:
        """Of rows that are no sequences."""
        return None if self._sequences else [np.ones(count, np.int64) for _, _, count in self._parts]


class ParquetDeserializer(_ArrowColumns):
    """Files of Parquet, read by pyarrow: a chunk is a row group.

    Args:
        filename (str): the file, or a list of files with the same columns
        columns (list): which are read; all of them if nothing is said
        sequences (list): names of columns of lists that are sequences; the numbers of other lists are a
          sample, and have to be as many in each row
        one_hot (dict): from names of columns of whole numbers to how many there are: they become sparse rows
          with a one
        dtype: of dense streams
        read_ahead (bool): training loops may read on another thread
    """

    def __init__(
        self,
        filename: PathLike,
        columns: Sequence[str] | None = None,
        sequences: Sequence[Any] = (),
        one_hot: Mapping[Any, Any] | None = None,
        dtype: DTypeLike = np.float32,
        read_ahead: bool = False,
    ):
        super().__init__(filename, columns, sequences, one_hot, dtype, read_ahead)

    def _opened(self, name):
        _pyarrow('ParquetDeserializer')
        from pyarrow.parquet import ParquetFile

        return ParquetFile(name)

    def _rows_of(self, file):
        return [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]

    def _names_in(self, file):
        return file.schema_arrow.names

    def _read(self, file, part):
        return file.read_row_group(part, self._names)


class ArrowDeserializer(_ArrowColumns):
    """Files of Arrow's record batches (its file format, Feather 2 too), mapped into memory by pyarrow: a
    chunk is a record batch.

    Args:
        filename (str): the file, or a list of files with the same columns
        columns (list): which are read; all of them if nothing is said
        sequences (list): names of columns of lists that are sequences; the numbers of other lists are a
          sample, and have to be as many in each row
        one_hot (dict): from names of columns of whole numbers to how many there are: they become sparse rows
          with a one
        dtype: of dense streams
        read_ahead (bool): training loops may read on another thread
    """

    def __init__(
        self,
        filename: PathLike,
        columns: Sequence[str] | None = None,
        sequences: Sequence[Any] = (),
        one_hot: Mapping[Any, Any] | None = None,
        dtype: DTypeLike = np.float32,
        read_ahead: bool = False,
    ):
        super().__init__(filename, columns, sequences, one_hot, dtype, read_ahead)

    def _opened(self, name):
        pyarrow = _pyarrow('ArrowDeserializer')
        return pyarrow.ipc.open_file(pyarrow.memory_map(name))

    def _rows_of(self, file):
        return [file.get_batch(i).num_rows for i in range(file.num_record_batches)]

    def _names_in(self, file):
        return file.schema.names

    def _read(self, file, part):
        return file.get_batch(part)
