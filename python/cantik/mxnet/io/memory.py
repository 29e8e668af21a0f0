"""NDArrayIter: batches of arrays in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ndarray import NDArray, array
from .batch import DataBatch, DataDesc, DataIter


def named_arrays(data: Any, allow_empty: Any, default_name: Any) -> list[Any]:
    """A list of pairs of a name and an array, from an array, a list or a dictionary."""
    if data is None:
        data = []
    if isinstance(data, (np.ndarray, NDArray)) or (
        hasattr(data, '__array__') and not isinstance(data, (list, tuple, dict))
    ):
        data = [data]
    if isinstance(data, (list, tuple)):
        if not data and not allow_empty:
            raise AssertionError('data is empty')
        data = (
            {default_name: data[0]}
            if len(data) == 1
            else {f'_{i}_{default_name}': d for i, d in enumerate(data)}
        )
    if not isinstance(data, dict):
        raise TypeError(
            'Input must be NDArray, numpy.ndarray, h5py.Dataset a list of them or dict with them as values'
        )
    made = []
    for name, d in sorted(data.items()):  # the order of MXNet's batches
        try:
            made.append((name, d._np if isinstance(d, NDArray) else np.asarray(d)))
        except ValueError:
            made.append((name, None))
        if made[-1][1] is None or made[-1][1].ndim == 0 or made[-1][1].dtype.kind not in 'fiub':
            raise TypeError(
                f"Invalid type '{type(d)}' for {name}, should be NDArray, numpy.ndarray or h5py.Dataset"
            )
    return made


class NDArrayIter(DataIter):
    """Batches of arrays. last_batch_handle: 'pad' fills the last one up from the beginning, 'discard' leaves
    it out, 'roll_over' keeps it for the next round."""

    def __init__(
        self,
        data: Any,
        label: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        last_batch_handle: str = 'pad',
        data_name: str = 'data',
        label_name: str = 'softmax_label',
    ):
        super().__init__(batch_size)
        if last_batch_handle not in ('pad', 'discard', 'roll_over'):
            raise ValueError(
                f"last_batch_handle is 'pad', 'discard' or 'roll_over', not {last_batch_handle!r}"
            )
        self.data, self.label = named_arrays(data, False, data_name), named_arrays(label, True, label_name)
        self.num_data = len(self.data[0][1])
        for name, d in self.data + self.label:
            if len(d) < self.num_data:
                raise ValueError(f'{name} has {len(d)} samples, {self.data[0][0]} has {self.num_data}')
        if batch_size > self.num_data:
            raise AssertionError('batch_size needs to be smaller than data size.')
        self.idx, self.shuffle, self.last_batch_handle = np.arange(self.num_data), shuffle, last_batch_handle
        if last_batch_handle == 'discard':
            self.num_data -= self.num_data % batch_size
        self.cursor, self._kept = -batch_size, np.empty(0, int)
        self.num_source = len(self.data)
        if shuffle:
            np.random.shuffle(self.idx)
        self._order = self.idx

    @property
    def provide_data(self) -> list[DataDesc]:
        return [DataDesc(n, (self.batch_size,) + d.shape[1:], self._type(d)) for n, d in self.data]

    @property
    def provide_label(self) -> list[DataDesc]:
        return [DataDesc(n, (self.batch_size,) + d.shape[1:], self._type(d)) for n, d in self.label]

    @staticmethod
    def _type(d):
        return np.float32 if d.dtype == np.float64 else d.dtype.type

    def hard_reset(self) -> None:
        self._kept = np.empty(0, int)
        self.reset()

    def reset(self) -> None:
        if self.shuffle:
            np.random.shuffle(self.idx)
        self._order = np.concatenate([self._kept, self.idx])
        self._kept = np.empty(0, int)
        self.cursor = -self.batch_size

    def _end(self):
        return self.num_data if self.last_batch_handle == 'discard' else len(self._order)

    def iter_next(self) -> bool:
        self.cursor += self.batch_size
        return self.cursor < self._end()

    def next(self) -> DataBatch:
        if not self.iter_next():
            raise StopIteration
        rows = self._order[self.cursor : min(self.cursor + self.batch_size, self._end())]
        if len(rows) < self.batch_size:
            if self.last_batch_handle == 'roll_over':
                self._kept = rows
                raise StopIteration
            rows = np.concatenate([rows, self._order[: self.batch_size - len(rows)]])
        self._rows = rows
        return DataBatch(self.getdata(), self.getlabel(), self.getpad())

    def _taken(self, source):
        return [array(d[self._rows], dtype=self._type(d)) for _, d in source]

    def getdata(self) -> list[NDArray]:
        return self._taken(self.data)

    def getlabel(self) -> list[NDArray]:
        return self._taken(self.label)

    def getpad(self) -> int:
        beyond = self.cursor + self.batch_size - self._end()
        return beyond if self.last_batch_handle == 'pad' and beyond > 0 else 0
