"""Sums, means, extremes, places of extremes, norms, sorting."""
import numpy as np

from ..base import MXNetError
from .entry import Axes, Bool, DType, Int, Text, operator


def axes_of(a, x):
    """The axes that an operator goes over: those named, or all others, or all."""
    axis = a.axis
    named = range(x.ndim) if axis is None or axis == () else (axis,) if isinstance(axis, int) else axis
    for i in named:
        if not -x.ndim <= i < x.ndim:
            raise MXNetError('axis {} is out of bounds for array of dimension {}'.format(i, x.ndim))
    named = {i % x.ndim for i in named}
    if a.get('exclude') and axis is not None and axis != ():
        return [i for i in range(x.ndim) if i not in named]
    return sorted(named)


def at_least_one_axis(g, x):
    """MXNet's arrays have at least one axis: a number is an array of one."""
    return g.reshape(x, (1,)) if not x.shape else x


def _add(name, cantik, *aliases):
    @operator(name, aliases=aliases, axis=Axes(None), keepdims=Bool(False), exclude=Bool(False))
    def lower(g, a, x):
        return at_least_one_axis(g, g.reduce(cantik, x, axes_of(a, x), a.keepdims))
    lower.__doc__ = "Over the given axes, Cantik's {}.".format(cantik)


for _row in [('sum', 'reduce_sum', 'sum_axis'), ('mean', 'reduce_mean'), ('prod', 'reduce_prod'), ('max', 'reduce_max', 'max_axis'), ('min', 'reduce_min', 'min_axis')]:
    _add(*_row)


def no_nans(g, x, instead):
    return g.map('element_select', g.map('equal', x, x), x, instead)


@operator('nansum', axis=Axes(None), keepdims=Bool(False), exclude=Bool(False))
def nansum(g, a, x):
    """The sum, NaNs counting as 0."""
    return at_least_one_axis(g, g.reduce('reduce_sum', no_nans(g, x, 0), axes_of(a, x), a.keepdims))


@operator('nanprod', axis=Axes(None), keepdims=Bool(False), exclude=Bool(False))
def nanprod(g, a, x):
    """The product, NaNs counting as 1."""
    return at_least_one_axis(g, g.reduce('reduce_prod', no_nans(g, x, 1), axes_of(a, x), a.keepdims))


@operator('norm', ord=Int(2), axis=Axes(None), out_dtype=Text(None), keepdims=Bool(False))
def norm(g, a, x):
    """The sum of absolute values (ord 1) or the root of the sum of squares (ord 2)."""
    if a.ord not in (1, 2):
        raise MXNetError('norm: ord is 1 or 2, not {}'.format(a.ord))
    return at_least_one_axis(g, g.reduce('reduce_l1' if a.ord == 1 else 'reduce_l2', x, axes_of(a, x), a.keepdims))


@operator('square_sum', axis=Axes(None), keepdims=Bool(False), exclude=Bool(False), aliases=('_square_sum',))
def square_sum(g, a, x):
    """The sum of squares."""
    return at_least_one_axis(g, g.reduce('reduce_sum', g.op('square', x), axes_of(a, x), a.keepdims))


def _add_place(name, cantik):
    @operator(name, axis=Axes(None), keepdims=Bool(False), types=lambda a, types: np.float32)
    def lower(g, a, x):
        """The place of the extreme along an axis, the first of several, as a broken number; without an axis, in the flat array."""
        if a.axis is None:
            if a.keepdims:
                raise MXNetError('{}: keepdims needs an axis'.format(name))
            x = g.reshape(x, (x.size,))
        return at_least_one_axis(g, g.stop(g.reduce(cantik, x, [0 if a.axis is None else a.axis], a.keepdims and a.axis is not None)))


_add_place('argmax', 'argmax')
_add_place('argmin', 'argmin')


@operator('argmax_channel', types=lambda a, types: np.float32)
def argmax_channel(g, a, x):
    """The place of the largest number along the second axis."""
    return g.stop(g.reduce('argmax', x, [1], False))


def ranked(g, x, axis, k, ascending):
    """The k largest numbers along an axis and their places; smallest where ascending."""
    from ..lower import Val, call
    x = g.plain(x)
    axis %= x.ndim
    v = call('negate', (x.v,), (), '') if ascending else x.v
    both = call('top_k', (v,), (k, axis), '').outputs
    shape = tuple(k if i == axis else s for i, s in enumerate(x.shape))
    values, places = (Val(b, False, shape, x.dtype) for b in both)
    return g.op('negate', values) if ascending else values, g.stop(places)


@operator('topk', axis=Axes(-1), k=Int(1), ret_typ=Text('indices', choices=('value', 'indices', 'mask', 'both')), is_ascend=Bool(False), dtype=DType(np.float32),
          outputs=lambda a: ['output0', 'output1'] if a.ret_typ == 'both' else ['output'],
          types=lambda a, types: {'both': [types[0], a.dtype], 'indices': a.dtype}.get(a.ret_typ, types[0]))
def topk(g, a, x):
    """The k largest numbers along an axis, their places, or both."""
    if a.ret_typ == 'mask':
        raise MXNetError("topk: ret_typ='mask' is not there in Cantik's MXNet layer; docs/mxnet.md lists what is")
    axis = a.axis
    if axis is None:
        x, axis = g.reshape(x, (x.size,)), 0
    values, places = ranked(g, x, axis, a.k if a.k > 0 else x.shape[axis], a.is_ascend)
    return [values, places] if a.ret_typ == 'both' else values if a.ret_typ == 'value' else places


@operator('sort', axis=Axes(-1), is_ascend=Bool(True))
def sort(g, a, x):
    """The numbers along an axis in their order."""
    axis = a.axis
    if axis is None:
        x, axis = g.reshape(x, (x.size,)), 0
    return ranked(g, x, axis, x.shape[axis], a.is_ascend)[0]


@operator('argsort', axis=Axes(-1), is_ascend=Bool(True), dtype=DType(np.float32), types=lambda a, types: a.dtype)
def argsort(g, a, x):
    """The places of the numbers along an axis in the order of the numbers."""
    axis = a.axis
    if axis is None:
        x, axis = g.reshape(x, (x.size,)), 0
    return ranked(g, x, axis, x.shape[axis], a.is_ascend)[1]
