"""Sums, means, extremes, places of extremes, norms, sorting."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import MXNetError, axis_at, listed_axes
from ..lower import Val, call, is_whole
from .entry import Axes, Bool, DType, Int, Text, operator
from .index import ones_at

if TYPE_CHECKING:
    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes


def axes_of(a: Attributes, x: Any) -> Any:
    """The axes that an operator goes over: those named, or all others, or all."""
    axis = a.axis
    named = {axis_at(i, x.ndim) for i in listed_axes(None if axis == () else axis, x.ndim)}
    if a.get('exclude') and axis is not None and axis != ():
        return [i for i in range(x.ndim) if i not in named]
    return sorted(named)


def flat_or_along(g: Lowering, a: Attributes, x: Any) -> Any:
    """The operand and the axis that an operator goes along: the named one, or that of the flat array."""
    return (g.reshape(x, (x.size,)), 0) if a.axis is None else (x, axis_at(a.axis, x.ndim))


def at_least_one_axis(g: Lowering, x: Any) -> Any:
    """MXNet's arrays have at least one axis: a number is an array of one."""
    return g.reshape(x, (1,)) if not x.shape else x


def _add(name, cantik, *aliases):
    @operator(name, aliases=aliases, axis=Axes(None), keepdims=Bool(False), exclude=Bool(False))
    def lower(g, a, x):
        return at_least_one_axis(g, g.reduce(cantik, x, axes_of(a, x), a.keepdims))

    lower.__doc__ = f"Over the given axes, Cantik's {cantik}."


for _row in [('sum', 'reduce_sum', 'sum_axis'), ('mean', 'reduce_mean'), ('prod', 'reduce_prod')]:
    _add(*_row)


def nowhere(g: Lowering, x: Any) -> Any:
    """1 where the operand is not a number."""
    return g.stop(g.map('not_equal', x, x))


def _add_extreme(name, cantik):
    @operator(name, aliases=(name + '_axis',), axis=Axes(None), keepdims=Bool(False), exclude=Bool(False))
    def lower(g, a, x):
        """The extreme over the given axes, NaN where there is one. The gradient goes to all that are the
        extreme."""
        axes = axes_of(a, x)
        made, lost = (
            g.reduce(cantik, x, axes, a.keepdims),
            g.reduce('reduce_sum', nowhere(g, x), axes, a.keepdims),
        )
        return at_least_one_axis(g, g.map('element_select', lost, math.nan, made))


_add_extreme('max', 'reduce_max')
_add_extreme('min', 'reduce_min')


def no_nans(g: Lowering, x: Any, instead: Any) -> Any:
    return g.map('element_select', g.map('equal', x, x), x, instead)


@operator('nansum', axis=Axes(None), keepdims=Bool(False), exclude=Bool(False))
def nansum(g: Lowering, a: Attributes, x: Any) -> Any:
    """The sum, NaNs counting as 0."""
    return at_least_one_axis(g, g.reduce('reduce_sum', no_nans(g, x, 0), axes_of(a, x), a.keepdims))


@operator('nanprod', axis=Axes(None), keepdims=Bool(False), exclude=Bool(False))
def nanprod(g: Lowering, a: Attributes, x: Any) -> Any:
    """The product, NaNs counting as 1."""
    return at_least_one_axis(g, g.reduce('reduce_prod', no_nans(g, x, 1), axes_of(a, x), a.keepdims))


@operator('norm', ord=Int(2), axis=Axes(None), out_dtype=Text(None), keepdims=Bool(False))
def norm(g: Lowering, a: Attributes, x: Any) -> Any:
    """The sum of absolute values (ord 1) or the root of the sum of squares (ord 2)."""
    if a.ord not in (1, 2):
        raise MXNetError(f'norm: ord is 1 or 2, not {a.ord}')
    if a.ord == 1:
        made = g.reduce('reduce_sum', g.op('abs', x), axes_of(a, x), a.keepdims)
    else:
        made = g.op('ieee_sqrt', g.reduce('reduce_sum', g.op('square', x), axes_of(a, x), a.keepdims))
    return at_least_one_axis(g, made)


@operator('square_sum', axis=Axes(None), keepdims=Bool(False), exclude=Bool(False), aliases=('_square_sum',))
def square_sum(g: Lowering, a: Attributes, x: Any) -> Any:
    """The sum of squares."""
    return at_least_one_axis(g, g.reduce('reduce_sum', g.op('square', x), axes_of(a, x), a.keepdims))


def place(g: Lowering, cantik: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """The place of the extreme along an axis, or of the first that is not a number."""
    lost = nowhere(g, x)
    places = [g.reduce(name, v, [axis], keepdims) for name, v in ((cantik, x), ('argmax', lost))]
    return g.stop(
        g.map('element_select', g.reduce('reduce_sum', lost, [axis], keepdims), places[1], places[0])
    )


def _add_place(name, cantik):
    @operator(name, axis=Axes(None), keepdims=Bool(False))
    def lower(g, a, x):
        """The place of the extreme along an axis, the first of several, as a broken number; without an axis,
        in the flat array."""
        if a.axis is None and a.keepdims:
            raise MXNetError(f'{name}: keepdims needs an axis')
        return at_least_one_axis(g, place(g, cantik, *flat_or_along(g, a, x), a.keepdims))


_add_place('argmax', 'argmax')
_add_place('argmin', 'argmin')


@operator('argmax_channel')
def argmax_channel(g: Lowering, a: Attributes, x: Any) -> Any:
    """The place of the largest number along the second axis."""
    return place(g, 'argmax', x, 1, False)


def ranked(g: Lowering, x: Any, axis: Any, k: Any, ascending: Any) -> Any:
    """The k largest numbers along an axis and their places; smallest where ascending."""
    x = g.plain(x)
    v = call('negate', (x.v,), (), '') if ascending else x.v
    both = call('top_k', (v,), (k, axis), '').outputs
    shape = tuple(k if i == axis else s for i, s in enumerate(x.shape))
    values, places = (Val(b, False, shape, x.dtype) for b in both)
    return g.op('negate', values) if ascending else values, g.stop(places)


@operator(
    'topk',
    axis=Axes(-1),
    k=Int(1),
    ret_typ=Text('indices', choices=('value', 'indices', 'mask', 'both')),
    is_ascend=Bool(False),
    dtype=DType(np.float32),
    outputs=lambda a: ['output0', 'output1'] if a.ret_typ == 'both' else ['output'],
    types=lambda a, types: {'both': [types[0], a.dtype], 'indices': a.dtype}.get(a.ret_typ, types[0]),
)
def topk(g: Lowering, a: Attributes, x: Any) -> Any:
    """The k largest numbers along an axis, their places, or both."""
    shape = x.shape
    x, axis = flat_or_along(g, a, x)
    if a.k > x.shape[axis]:
        raise MXNetError(
            f'Check failed: *k >= 0 && *k <= *element_num: k must be smaller than {x.shape[axis]}, '
            f'get k = {a.k}'
        )
    values, places = ranked(g, x, axis, a.k if a.k > 0 else x.shape[axis], a.is_ascend)
    if a.ret_typ == 'mask':
        marked = g.reduce(
            'reduce_sum', ones_at(g, places, x.shape[axis]), [axis], False
        )  # the axis of all places is the last one
        return g.reshape(
            g.transpose(marked, tuple(range(axis)) + (x.ndim - 1,) + tuple(range(axis, x.ndim - 1))), shape
        )
    if a.ret_typ == 'both':
        return [values, places]
    return values if a.ret_typ == 'value' else places


@operator('sort', axis=Axes(-1), is_ascend=Bool(True))
def sort(g: Lowering, a: Attributes, x: Any) -> Val:
    """The numbers along an axis in their order."""
    x, axis = flat_or_along(g, a, x)
    return ranked(g, x, axis, x.shape[axis], a.is_ascend)[0]


@operator(
    'argsort', axis=Axes(-1), is_ascend=Bool(True), dtype=DType(np.float32), types=lambda a, types: a.dtype
)
def argsort(g: Lowering, a: Attributes, x: Any) -> Any:
    """The places of the numbers along an axis in the order of the numbers."""
    x, axis = flat_or_along(g, a, x)
    return ranked(g, x, axis, x.shape[axis], a.is_ascend)[1]


@operator(
    'cumsum',
    'a',
    axis=Axes(None),
    dtype=DType(None),
    aliases=('_np_cumsum',),
    types=lambda a, types: a.dtype or types[0],
)
def cumsum(g: Lowering, a: Attributes, x: Any) -> Any:
    """Sums of the numbers up to each place along an axis; without one, of the flat array."""
    x = g.plain(x)
    if a.dtype is not None and is_whole(a.dtype):
        x = g.op('truncate', x)
    if a.axis is None:
        return g.op('cumsum', g.reshape(x, (x.size,)), 0, False)
    return g.op('cumsum', x, axes_of(a, x)[0], False)


@operator('moments', outputs=('output0', 'output1'), axes=Axes(None), keepdims=Bool(False))
def moments(g: Lowering, a: Attributes, x: Any) -> Any:
    """Mean and variance over some axes."""
    if not a.axes and a.axes != 0:
        raise MXNetError(
            'Empty axes is not supported, if you would like to do global moments, please pass all axes to '
            'axes argument'
        )
    axes = [axis_at(i, x.ndim) for i in ((a.axes,) if isinstance(a.axes, int) else a.axes)]
    mean = g.reduce('reduce_mean', x, axes)
    var = g.reduce('reduce_mean', g.op('square', g.minus(x, mean)), axes, a.keepdims)
    return [at_least_one_axis(g, v) for v in (mean if a.keepdims else g.reshape(mean, var.shape), var)]


@operator(
    '_histogram',
    lambda a: ['data'] if a.bin_cnt is not None else ['data', 'bins'],
    outputs=('output0', 'output1'),
    bin_cnt=Int(None),
    range=Axes(None),
    types=lambda a, types: [np.int64, types[-1] if a.bin_cnt is None else types[0]],
)
def histogram(g: Lowering, a: Attributes, x: Any, bins: Any = None) -> Any:
    """How many numbers lie between neighbouring limits, the last one included, and the limits."""
    if bins is None:
        low, high = a.range
        bins = g.constant(np.linspace(low, high, a.bin_cnt + 1), x.dtype)
    n = bins.shape[0]
    flat, limits = g.reshape(g.stop(x), (x.size, 1)), g.reshape(g.stop(bins), (1, n))
    above = g.map('greater_equal', flat, limits)
    within = g.times(g.slice(above, 1, 0, n - 1), g.minus(1, g.slice(above, 1, 1, n)))
    counts = g.reduce('reduce_sum', within, [0], False)
    last = g.reshape(
        g.reduce('reduce_sum', g.map('equal', flat, g.slice(limits, 1, n - 1, n)), [0, 1], False), (1,)
    )
    none = g.constant(np.zeros(n - 2), x.dtype) if n > 2 else None
    return [g.plus(counts, g.splice([none, last], 0) if none is not None else last), g.op('alias', bins)]
