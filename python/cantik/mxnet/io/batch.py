"""What iterators give, and those that go round others."""

from collections import namedtuple

import numpy as np

from ..base import missing


class DataDesc(namedtuple('DataDesc', ['name', 'shape'])):
    """Name, shape, element type and layout of data."""

    def __new__(cls, name, shape, dtype=np.float32, layout='NCHW'):
        made = super().__new__(cls, name, tuple(shape))
        made.dtype, made.layout = dtype, layout
        return made

    def __repr__(self):
        return 'DataDesc[{},{},{},{}]'.format(self.name, self.shape, self.dtype, self.layout)

    __str__ = __repr__

    @staticmethod
    def get_batch_axis(layout):
        return 0 if layout is None else layout.find('N')

    @staticmethod
    def get_list(shapes, types):
        types = dict(types) if types is not None else {}
        return [DataDesc(s[0], s[1], *([types[s[0]]] if s[0] in types else [])) for s in shapes]


class DataBatch:
    """Arrays of data and labels of one batch; the last `pad` samples of it are no new ones."""

    def __init__(
        self, data, label=None, pad=None, index=None, bucket_key=None, provide_data=None, provide_label=None
    ):
        if data is not None and not isinstance(data, (list, tuple)):
            raise AssertionError('Data must be list of NDArrays')
        if label is not None and not isinstance(label, (list, tuple)):
            raise AssertionError('Label must be list of NDArrays')
        self.data, self.label, self.pad, self.index = data, label, pad, index
        self.bucket_key, self.provide_data, self.provide_label = bucket_key, provide_data, provide_label

    def __str__(self):
        return '{}: data shapes: {} label shapes: {}'.format(
            type(self).__name__,
            [d.shape for d in self.data],
            [x.shape for x in self.label] if self.label else None,
        )


class DataIter:
    """Goes over batches. Derived classes have iter_next, getdata, getlabel, getpad, or next itself."""

    def __init__(self, batch_size=0):
        self.batch_size = batch_size

    def __iter__(self):
        return self

    def __next__(self):
        return self.next()

    def reset(self):
        pass

    def next(self):
        if self.iter_next():
            return DataBatch(self.getdata(), self.getlabel(), self.getpad(), self.getindex())
        raise StopIteration

    def iter_next(self):
        return False

    def getdata(self):
        return None

    def getlabel(self):
        return None

    def getindex(self):
        return None

    def getpad(self):
        return None


class ResizeIter(DataIter):
    """So many batches of another iterator, which begins anew as often as needed."""

    def __init__(self, data_iter, size, reset_internal=True):
        super().__init__(data_iter.batch_size)
        self.data_iter, self.size, self.reset_internal, self.cur = data_iter, size, reset_internal, 0
        self.provide_data, self.provide_label = data_iter.provide_data, data_iter.provide_label

    def reset(self):
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def next(self):
        if self.cur == self.size:
            raise StopIteration
        self.cur += 1
        try:
            return self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            return self.data_iter.next()


class PrefetchingIter(DataIter):
    """The batches of one iterator (they are made when they are asked for)."""

    def __init__(self, iters, rename_data=None, rename_label=None):
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

    def reset(self):
        self.iters[0].reset()

    def next(self):
        return self.iters[0].next()
