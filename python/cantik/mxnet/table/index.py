"""Operators that find numbers by their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import MXNetError, axis_at
from ..lower import Val, bounded, call
from .entry import Attributes, Axes, Bool, DType, Float, Int, Shape, Text, apart, operator
from .linalg import chosen, makediag

if TYPE_CHECKING:
    from ...mxnet.lower import Lowering


def clipped(g: Lowering, places: Any, size: Any) -> Any:
    """Places that are there; the first one for what is not a number."""
    return g.map('element_select', g.map('greater', places, 0), g.map('element_min', places, size - 1), 0)


def folded(g: Lowering, places: Any, size: Any, mode: Any) -> Any:
    """Places inside the axis: those beyond it are clipped, or go round."""
    if mode == 'wrap':
        return g.minus(places, g.times(g.op('floor', g.times(places, 1 / size)), size))
    if mode == 'raise':
        return places
    return clipped(g, places, size)


@operator(
    'take',
    'a indices',
    complete_types=apart(1),
    axis=Int(0),
    mode=Text('clip', choices=('clip', 'wrap', 'raise')),
)
def take(g: Lowering, a: Attributes, x: Any, places: Any) -> Any:
    """The parts of the operand that the indices name, along an axis."""
    x = g.plain(x)
    axis = axis_at(a.axis, x.ndim)
    order = (axis,) + tuple(i for i in range(x.ndim) if i != axis)
    front = g.transpose(x, order)
    at = folded(g, g.stop(g.plain(places)), x.shape[axis], a.mode)
    v = call('gather', (front.v, at.v), (None,), '')
    made = Val(v, False, places.shape + front.shape[1:], x.dtype)
    k = places.ndim
    back = tuple(range(k, k + axis)) + tuple(range(k)) + tuple(range(k + axis, k + x.ndim - 1))
    return g.transpose(made, back)


def whole(g: Lowering, places: Any) -> Any:
    """Indices and lengths as MXNet takes them: what is behind the point is cut off."""
    return g.op('truncate', g.stop(places)) if np.dtype(places.dtype).kind == 'f' else g.stop(places)


def ones_at(g: Lowering, places: Any, depth: Any) -> Any:
    """A row of zeros with a one at each place; none where it is beyond them."""
    x = whole(g, places)
    bounded((*x.shape, depth))
    flat = g.reshape(x, x.shape + (1,))
    steps = g.constant(np.arange(depth).reshape((1,) * x.ndim + (depth,)), x.dtype)
    return g.map('equal', flat, steps)


@operator(
    'one_hot',
    'indices',
    depth=Int(required=True),
    on_value=Float(1.0),
    off_value=Float(0.0),
    dtype=DType(np.float32),
    types=lambda a, types: a.dtype,
)
def one_hot(g: Lowering, a: Attributes, places: Any) -> Any:
    """A row for each index, on_value there and off_value elsewhere."""
    made = ones_at(g, places, a.depth)
    return (
        made
        if (a.on_value, a.off_value) == (1, 0)
        else g.plus(g.times(made, a.on_value - a.off_value), a.off_value)
    )


@operator(
    'pick',
    'data index',
    complete_types=apart(1),
    aliases=('choose_element_0index',),
    axis=Int(-1),
    keepdims=Bool(False),
    mode=Text('clip', choices=('clip', 'wrap')),
)
def pick(g: Lowering, a: Attributes, x: Any, places: Any) -> Any:
    """One number along an axis for each index."""
    if a.axis is None:
        raise MXNetError('pick: an axis is needed')
    axis = axis_at(a.axis, x.ndim)
    rest = tuple(s for i, s in enumerate(x.shape) if i != axis)
    at = folded(g, g.reshape(places, rest), x.shape[axis], a.mode)
    chosen = ones_at(g, at, x.shape[axis])
    order = tuple(range(axis)) + (x.ndim - 1,) + tuple(range(axis, x.ndim - 1))
    made = g.reduce('reduce_sum', g.times(x, g.transpose(chosen, order)), [axis], a.keepdims)
    return made if made.shape else g.reshape(made, (1,))


@operator('gather_nd', 'data indices', complete_types=apart(1))
def gather_nd(g: Lowering, a: Attributes, x: Any, places: Any) -> Any:
    """Parts of the operand at places with several coordinates: the first axis of the indices counts them."""
    m = places.shape[0]
    if m > x.ndim:
        raise MXNetError(f'Number of indices exceeds data dimension: {m} of {x.ndim}')
    x = g.plain(x)
    flat = flat_places(g, g.stop(g.plain(places)), x.shape[:m], from_end=True)
    table = g.reshape(x, (int(np.prod(x.shape[:m])),) + (x.shape[m:] or (1,)))
    v = call('gather', (table.v, flat.v), (None,), '')
    return g.reshape(Val(v, False, flat.shape + table.shape[1:], x.dtype), flat.shape + x.shape[m:])


@operator('batch_take', 'a indices', complete_types=apart(1, own=np.int32))
def batch_take(g: Lowering, a: Attributes, x: Any, places: Any) -> Any:
    """One number of each row."""
    return g.reduce(
        'reduce_sum', g.times(x, ones_at(g, folded(g, places, x.shape[1], 'clip'), x.shape[1])), [1], False
    )


@operator('diag', k=Int(0), axis1=Int(0), axis2=Int(1))
def diag(g: Lowering, a: Attributes, x: Any) -> Any:
    """A diagonal of the matrices in two axes, or of one axis the matrix with this diagonal."""
    if x.ndim == 1:
        return makediag(g, Attributes(offset=a.k), x)
    first, second = axis_at(a.axis1, x.ndim), axis_at(a.axis2, x.ndim)
    if first == second:
        raise MXNetError(f'diag: axis1 and axis2 cannot refer to the same axis {a.axis1}')
    x = g.transpose(g.plain(x), tuple(i for i in range(x.ndim) if i not in (first, second)) + (first, second))
    n, m = x.shape[-2:]
    return chosen(g, g.reshape(x, x.shape[:-2] + (n * m,)), np.arange(n * m).reshape(n, m).diagonal(a.k))


def flat_places(g: Lowering, places: Any, sizes: Any, from_end: bool = False) -> Any:
    """Places in a flat array of these sizes, from coordinates, which the first axis of `places` counts.
    from_end: negative ones count from the end."""
    flat = None
    for i in range(len(sizes)):
        one = g.reshape(g.slice(places, 0, i, i + 1), places.shape[1:] or (1,))
        if from_end:
            one = g.map('element_select', g.map('less', one, 0), g.plus(one, sizes[i]), one)
        step = int(np.prod(sizes[i + 1 :]))
        flat = g.times(one, step) if flat is None else g.plus(flat, g.times(one, step))
    return flat


@operator('scatter_nd', 'data indices', complete_types=apart(1), shape=Shape(required=True))
def scatter_nd(g: Lowering, a: Attributes, x: Any, places: Any) -> Any:
    """Zeros, but for the parts that the indices name: those are the operand's."""
    m = places.shape[0]
    if not 0 < m <= len(a.shape):
        raise MXNetError(f'scatter_nd: {m} coordinates in a shape of {len(a.shape)} axes')
    rest = int(np.prod(a.shape[m:]))
    places = flat_places(g, g.stop(g.plain(places)), a.shape[:m])
    rows = int(np.prod(a.shape[:m]))
    places, x = g.reshape(places, (places.size,)), g.reshape(g.plain(x), (places.size, rest))
    v = call('scatter_rows', (places.v, x.v), ((rows, rest),), '')
    return g.reshape(Val(v, False, (rows, rest), x.dtype), a.shape)


@operator('_ravel_multi_index', aliases=('ravel_multi_index',), shape=Shape(required=True))
def ravel_multi_index(g: Lowering, a: Attributes, places: Any) -> Any:
    """Places in a flat array, from coordinates: the first axis counts them."""
    if not a.shape or places.shape[0] != len(a.shape):
        raise MXNetError(
            f'ravel_multi_index: {places.shape[0]} coordinates in a shape of {len(a.shape)} axes'
        )
    return flat_places(g, g.plain(places), a.shape)


@operator('_unravel_index', aliases=('unravel_index',), shape=Shape(required=True))
def unravel_index(g: Lowering, a: Attributes, places: Any) -> Any:
    """The coordinates of places in a flat array, the first axis counting them."""
    left, made = g.stop(g.plain(places)), []
    if len(left.shape) == 2 and left.shape[1] == 1:  # a column is a list
        left = g.reshape(left, left.shape[:1])
    for size in reversed(a.shape):
        above = g.op('floor', g.divide(left, size))
        made.insert(0, g.minus(left, g.times(above, size)))
        left = above
    return g.splice([g.reshape(v, (1,) + v.shape) for v in made], 0)


@operator('fill_element_0index', 'lhs mhs rhs')
def fill_element(g: Lowering, a: Attributes, x: Any, values: Any, places: Any) -> Any:
    """The operand with one number of each row replaced."""
    return g.map('element_select', ones_at(g, places, x.shape[1]), g.reshape(values, (values.size, 1)), x)


@operator('_onehot_encode', 'lhs rhs')
def onehot_encode(g: Lowering, a: Attributes, places: Any, like: Any) -> Any:
    """A row for each index, in the shape of the other operand."""
    return ones_at(g, places, like.shape[1])


@operator('_contrib_index_copy', 'old_tensor index_vector new_tensor')
def index_copy(g: Lowering, a: Attributes, x: Any, places: Any, new: Any) -> Any:
    """The operand with some of its rows replaced."""
    rows = x.shape[0]
    target = g.transpose(ones_at(g, g.plain(places), rows), (1, 0))
    flat = g.reshape(g.plain(new), (new.shape[0], new.size // new.shape[0]))
    moved = g.reshape(
        Val(call('times', (target.v, flat.v), (1, None), ''), False, (rows, flat.shape[1]), x.dtype), x.shape
    )
    kept = g.reduce('reduce_sum', target, [1], False)
    return g.plus(g.times(x, g.reshape(g.minus(1, kept), (rows,) + (1,) * (x.ndim - 1))), moved)


@operator(
    '_contrib_arange_like', start=Float(0.0), step=Float(1.0), repeat=Int(1), ctx=Text(''), axis=Axes(None)
)
def arange_like(g: Lowering, a: Attributes, x: Any) -> Any:
    """Numbers from `start` on, as many as the operand has, or as one of its axes has."""
    shape = x.shape if a.axis is None else (x.shape[a.axis],)
    return g.constant(
        (a.start + a.step * (np.arange(int(np.prod(shape))) // a.repeat)).reshape(shape), x.dtype
    )


@operator(
    '_linspace',
    (),
    start=Float(0.0),
    stop=Float(required=True),
    step=Float(1.0),
    num=Int(required=True),
    endpoint=Bool(True),
    repeat=Int(1),
    infer_range=Bool(False),
    dtype=DType(np.float32),
    ctx=Text(''),
    types=lambda a, types: a.dtype,
)
def linspace(g: Lowering, a: Attributes) -> Any:
    """Numbers at equal distances."""
    return g.constant(np.linspace(a.start, a.stop, a.num, a.endpoint), a.dtype)


FILLED = dict(
    shapes_of=lambda a, shapes: [a.shape],
    types=lambda a, types: a.dtype,
    shape=Shape(()),
    dtype=DType(np.float32),
    ctx=Text(''),
)


def filled(g: Lowering, a: Attributes, value: Any) -> Any:
    """One number everywhere. Sizes of 0 are those that the rest of the graph asks for."""
    return g.constant(np.full(g.known[0] if g.known else a.shape, value), a.dtype)


@operator('_full', (), value=Float(required=True), **FILLED)
def full(g: Lowering, a: Attributes) -> Any:
    """One number everywhere."""
    return filled(g, a, a.value)


@operator('_zeros', (), aliases=('_zeros_without_dtype',), **FILLED)
def zeros(g: Lowering, a: Attributes) -> Any:
    """Zeros."""
    return filled(g, a, 0)


@operator('_ones', (), **FILLED)
def ones(g: Lowering, a: Attributes) -> Any:
    """Ones."""
    return filled(g, a, 1)


@operator(
    '_arange',
    (),
    start=Float(0.0),
    stop=Float(None),
    step=Float(1.0),
    repeat=Int(1),
    infer_range=Bool(False),
    dtype=DType(np.float32),
    ctx=Text(''),
    types=lambda a, types: a.dtype,
)
def arange(g: Lowering, a: Attributes) -> Any:
    """Numbers from start to stop, each `repeat` times."""
    start, stop = (0, a.start) if a.stop is None else (a.start, a.stop)
    return g.constant(np.repeat(np.arange(start, stop, a.step), a.repeat), a.dtype)


@operator(
    '_eye',
    (),
    N=Int(required=True),
    M=Int(0),
    k=Int(0),
    ctx=Text(''),
    dtype=DType(np.float32),
    types=lambda a, types: a.dtype,
)
def eye(g: Lowering, a: Attributes) -> Any:
    """Ones on a diagonal."""
    return g.constant(np.eye(a.N, a.M or a.N, a.k), a.dtype)
