"""What iterators give, and those that go round others."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from ..base import missing


class DataDesc(namedtuple('DataDesc', ['name', 'shape'])):
    """Name, shape, element type and layout of data."""

    def __new__(cls, name, shape, dtype=np.float32, layout='NCHW'):
        made = super().__new__(cls, name, tuple(shape))
        made.dtype, made.layout = dtype, layout
        return made

    def __repr__(self):
        return f'DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]'

    __str__ = __repr__

    @staticmethod
    def get_batch_axis(layout: str) -> int:
        return 0 if layout is None else layout.find('N')

    @staticmethod
    def get_list(shapes: Any, types: Any) -> list[DataDesc]:
        types = dict(types) if types is not None else {}
        return [DataDesc(s[0], s[1], *([types[s[0]]] if s[0] in types else [])) for s in shapes]


class DataBatch:
    """Arrays of data and labels of one batch; the last `pad` samples of it are no new ones."""

    def __init__(
        self,
        data: Any,
        label: Any = None,
        pad: Any = None,
        index: Any = None,
        bucket_key: Any = None,
        provide_data: Any = None,
        provide_label: Any = None,
    ):
        if data is not None and not isinstance(data, (list, tuple)):
            raise AssertionError('Data must be list of NDArrays')
        if label is not None and not isinstance(label, (list, tuple)):
            raise AssertionError('Label must be list of NDArrays')
        self.data, self.label, self.pad, self.index = data, label, pad, index
        self.bucket_key, self.provide_data, self.provide_label = bucket_key, provide_data, provide_label

    def __str__(self):
        return (
            f'{type(self).__name__}: data shapes: {[d.shape for d in self.data]} label shapes: '
            f'{[x.shape for x in self.label] if self.label else None}'
        )


class DataIter:
    """Goes over batches. Derived classes have iter_next, getdata, getlabel, getpad, or next itself."""

    def __init__(self, batch_size: int = 0):
        self.batch_size = batch_size

    def __iter__(self):
        return self

    def __next__(self):
        return self.next()

    def reset(self) -> None:
        pass

    def next(self) -> DataBatch:
        if self.iter_next():
            return DataBatch(self.getdata(), self.getlabel(), self.getpad(), self.getindex())
        raise StopIteration

    def iter_next(self) -> bool:
        return False

    def getdata(self) -> None:
        return None

    def getlabel(self) -> None:
        return None

    def getindex(self) -> None:
        return None

    def getpad(self) -> None:
        return None


class _Around(DataIter):
    """Batches that another iterator makes. Derived classes have _one, which gives the next one."""

    current_batch: Any = None

    def iter_next(self) -> bool:
        try:
            self.current_batch = self._one()
        except StopIteration:
            return False
        return True

    def next(self) -> Any:
        if not self.iter_next():
            raise StopIteration
        return self.current_batch

    def _one(self):
        raise NotImplementedError

    def getdata(self) -> Any:
        return self.current_batch.data

    def getlabel(self) -> Any:
        return self.current_batch.label

    def getindex(self) -> Any:
        return self.current_batch.index

    def getpad(self) -> Any:
        return self.current_batch.pad


class ResizeIter(_Around):
    """So many batches of another iterator, which begins anew as often as needed."""

    def __init__(self, data_iter: Any, size: int, reset_internal: bool = True):
        super().__init__(data_iter.batch_size)
        self.data_iter, self.size, self.reset_internal, self.cur = data_iter, size, reset_internal, 0
        self.provide_data, self.provide_label = data_iter.provide_data, data_iter.provide_label

    def reset(self) -> None:
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def _one(self):
        if self.cur == self.size:
            raise StopIteration
        self.cur += 1
        try:
            return self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            return self.data_iter.next()


class PrefetchingIter(_Around):
    """The batches of one iterator (they are made when they are asked for)."""

    def __init__(self, iters: Any, rename_data: Any = None, rename_label: Any = None):
        iters = iters if isinstance(iters, (list, tuple)) else [iters]
        if len(iters) != 1:
            missing('PrefetchingIter over several iterators')
        super().__init__(iters[0].batch_size)
        self.iters = iters
        self.provide_data = self._renamed(iters[0].provide_data, rename_data)
        self.provide_label = self._renamed(iters[0].provide_label, rename_label)

    @staticmethod
    def _renamed(descriptions, names):
        return (
            descriptions
            if names is None
            else [DataDesc(names[0][d.name], d.shape, d.dtype, d.layout) for d in descriptions]
        )

    def reset(self) -> None:
        self.iters[0].reset()

    def _one(self):
        return self.iters[0].next()
