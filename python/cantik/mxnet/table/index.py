"""Operators that find numbers by their place."""
import numpy as np

from ..base import MXNetError
from ..lower import Val, call
from .entry import Bool, DType, Float, Int, Shape, Text, operator


def folded(g, places, size, mode):
    """Places inside the axis: those beyond it are clipped, or go round."""
    if mode == 'wrap':
        return g.minus(places, g.times(g.op('floor', g.times(places, 1 / size)), size))
    if mode == 'raise':
        return places
    return g.map('clip', places, 0, size - 1)


@operator('take', 'a indices', axis=Int(0), mode=Text('clip', choices=('clip', 'wrap', 'raise')))
def take(g, a, x, places):
    """The parts of the operand that the indices name, along an axis."""
    x = g.plain(x)
    axis = a.axis % x.ndim
    order = (axis,) + tuple(i for i in range(x.ndim) if i != axis)
    front = g.transpose(x, order)
    at = folded(g, g.stop(g.plain(places)), x.shape[axis], a.mode)
    v = call('gather', (front.v, at.v), (None,), '')
    made = Val(v, False, places.shape + front.shape[1:], x.dtype)
    k = places.ndim
    back = tuple(range(k, k + axis)) + tuple(range(k)) + tuple(range(k + axis, k + x.ndim - 1))
    return g.transpose(made, back)


def ones_at(g, places, depth):
    """A row of zeros with a one at each place; none where it is beyond them."""
    x = g.stop(places)
    flat = g.reshape(x, x.shape + (1,))
    steps = g.constant(np.arange(depth).reshape((1,) * x.ndim + (depth,)), x.dtype)
    return g.map('equal', flat, steps)


@operator('one_hot', 'indices', depth=Int(required=True), on_value=Float(1.0), off_value=Float(0.0), dtype=DType(np.float32), types=lambda a, types: a.dtype)
def one_hot(g, a, places):
    """A row for each index, on_value there and off_value elsewhere."""
    made = ones_at(g, g.op('floor', places), a.depth)
    return made if (a.on_value, a.off_value) == (1, 0) else g.plus(g.times(made, a.on_value - a.off_value), a.off_value)


@operator('pick', 'data index', aliases=('choose_element_0index',), axis=Int(-1), keepdims=Bool(False), mode=Text('clip', choices=('clip', 'wrap')))
def pick(g, a, x, places):
    """One number along an axis for each index."""
    if a.axis is None:
        raise MXNetError('pick: an axis is needed')
    axis = a.axis % x.ndim
    rest = tuple(s for i, s in enumerate(x.shape) if i != axis)
    at = folded(g, g.reshape(places, rest), x.shape[axis], a.mode)
    chosen = ones_at(g, at, x.shape[axis])
    order = tuple(range(axis)) + (x.ndim - 1,) + tuple(range(axis, x.ndim - 1))
    made = g.reduce('reduce_sum', g.times(x, g.transpose(chosen, order)), [axis], a.keepdims)
    return made if made.shape else g.reshape(made, (1,))


@operator('gather_nd', 'data indices')
def gather_nd(g, a, x, places):
    """Parts of the operand at places with several coordinates: the first axis of the indices counts them."""
    m = places.shape[0]
    x, places = g.plain(x), g.stop(g.plain(places))
    flat = None
    for i in range(m):
        one = g.reshape(g.slice(places, 0, i, i + 1), places.shape[1:] or (1,))
        step = int(np.prod(x.shape[i + 1:m]))
        flat = g.times(one, step) if flat is None else g.plus(flat, g.times(one, step))
    table = g.reshape(x, (int(np.prod(x.shape[:m])),) + (x.shape[m:] or (1,)))
    v = call('gather', (table.v, flat.v), (None,), '')
    return g.reshape(Val(v, False, flat.shape + table.shape[1:], x.dtype), flat.shape + x.shape[m:])


@operator('batch_take', 'a indices')
def batch_take(g, a, x, places):
    """One number of each row."""
    return g.reduce('reduce_sum', g.times(x, ones_at(g, folded(g, places, x.shape[1], 'clip'), x.shape[1])), [1], False)


@operator('diag', k=Int(0), axis1=Int(0), axis2=Int(1))
def diag(g, a, x):
    """The diagonal of a matrix, or the matrix with this diagonal."""
    if x.ndim == 1:
        n = x.shape[0] + abs(a.k)
        mask = np.eye(x.shape[0], n, max(a.k, 0)) if a.k >= 0 else np.eye(x.shape[0], n)
        rows = np.eye(n)[:, :x.shape[0]] if a.k >= 0 else np.eye(n, k=a.k)[:, :x.shape[0]]
        spread = g.times(g.reshape(x, (x.shape[0], 1)), g.constant(mask, x.dtype))
        return Val(call('times', (g.constant(rows).v, g.plain(spread).v), (1, None), ''), False, (n, n), x.dtype)
    if x.ndim != 2 or {a.axis1 % 2, a.axis2 % 2} != {0, 1}:
        raise MXNetError("diag of more than two axes is not there in Cantik's MXNet layer; docs/mxnet.md lists what is")
    flat = g.reshape(g.plain(x), (x.size, 1))
    at = np.arange(x.size).reshape(x.shape).diagonal(a.k)
    v = call('gather', (flat.v, g.constant(at).v), (None,), '')
    return g.reshape(Val(v, False, (len(at), 1), x.dtype), (len(at),))


@operator('_full', (), shape=Shape(()), dtype=DType(np.float32), value=Float(required=True), ctx=Text(''), types=lambda a, types: a.dtype)
def full(g, a):
    """One number everywhere."""
    return g.constant(np.full(a.shape, a.value), a.dtype)


for _name, _value in ('_zeros', 0), ('_ones', 1):
    def _constant(g, a, value=_value):
        """The same number everywhere."""
        return g.constant(np.full(a.shape, value), a.dtype)
    operator(_name, (), shape=Shape(()), dtype=DType(np.float32), ctx=Text(''), types=lambda a, types: a.dtype)(_constant)


@operator('_arange', (), start=Float(0.0), stop=Float(None), step=Float(1.0), repeat=Int(1), infer_range=Bool(False), dtype=DType(np.float32), ctx=Text(''),
          types=lambda a, types: a.dtype)
def arange(g, a):
    """Numbers from start to stop, each `repeat` times."""
    start, stop = (0, a.start) if a.stop is None else (a.start, a.stop)
    return g.constant(np.repeat(np.arange(start, stop, a.step), a.repeat), a.dtype)


@operator('_eye', (), N=Int(required=True), M=Int(0), k=Int(0), ctx=Text(''), dtype=DType(np.float32), types=lambda a, types: a.dtype)
def eye(g, a):
    """Ones on a diagonal."""
    return g.constant(np.eye(a.N, a.M or a.N, a.k), a.dtype)
