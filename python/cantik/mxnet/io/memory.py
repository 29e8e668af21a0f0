"""NDArrayIter: batches of arrays in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import MXNetError
from ..ndarray import NDArray, array
from .batch import DataBatch, DataDesc, DataIter


def _as_floats(d: Any) -> np.ndarray:
    """Numbers of NumPy become float32, whatever they are."""
    made = np.asarray(d)
    return made.astype(np.float32, copy=False) if made.dtype.kind in 'fiub' else made


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
            made.append((name, d._np if isinstance(d, NDArray) else _as_floats(d)))
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
        self.idx, self.shuffle, self.last_batch_handle = np.arange(self.num_data), shuffle, last_batch_handle
        self.num_source = len(self.data)
        self._mixed = self.idx.copy()
        self._mix()
        self._begin(np.empty(0, int))

    def _mix(self):
        """Another order of the samples; as in MXNet, of those in the order of the last round."""
        if self.shuffle:
            np.random.shuffle(self.idx)
            self._mixed = self._mixed[self.idx]

    def _begin(self, carried):
        """A round over the samples, after those that the round before has left."""
        self._carried, self._order = len(carried), np.concatenate([carried, self._mixed])
        self.cursor = -self.batch_size

    @property
    def provide_data(self) -> list[DataDesc]:
        return [DataDesc(n, (self.batch_size,) + d.shape[1:], self._type(d)) for n, d in self.data]

    @property
    def provide_label(self) -> list[DataDesc]:
        return [DataDesc(n, (self.batch_size,) + d.shape[1:], self._type(d)) for n, d in self.label]

    @staticmethod
    def _type(d):
        return d.dtype.type

    def hard_reset(self) -> None:
        """Begins anew, without samples that the last round has left."""
        self._mix()
        self._begin(np.empty(0, int))

    def reset(self) -> None:
        left = self._rows() if self.last_batch_handle == 'roll_over' and self.cursor >= 0 else ()
        carried = left if 0 < len(left) < self.batch_size else np.empty(0, int)
        self._mix()
        self._begin(carried)

    def iter_next(self) -> bool:
        self.cursor += self.batch_size
        return self.cursor < len(self._order)

    def next(self) -> DataBatch:
        if not self.iter_next() or len(self._rows()) < self.batch_size:
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad())

    def _rows(self):
        """The samples of the batch; where it is padded, the first ones follow the last."""
        if self.cursor < 0:
            raise MXNetError('the iterator stands before its first batch: call next or iter_next')
        end = self.cursor + self.batch_size
        if self.last_batch_handle == 'pad' and self.cursor < len(self._order):
            return self._order[np.arange(self.cursor, end) % len(self._order)]
        return self._order[self.cursor : end]

    def _taken(self, source):
        rows = self._rows()
        return [array(d[rows], dtype=self._type(d)) for _, d in source]

    def getdata(self) -> list[NDArray]:
        return self._taken(self.data)

    def getlabel(self) -> list[NDArray]:
        return self._taken(self.label)

    def getpad(self) -> int:
        if self.last_batch_handle == 'roll_over':
            return self._carried if self.cursor == 0 else 0
        beyond = self.cursor + self.batch_size - len(self._order)
        return beyond if self.last_batch_handle == 'pad' and beyond > 0 else 0
