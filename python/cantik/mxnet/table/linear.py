"""Products of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base import MXNetError
from ..lower import Val, call, text
from .entry import Bool, Int, Text, operator
from .index import clipped
from .linalg import product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes


def matrix(g: Lowering, x: Any, transposed: Any) -> Any:
    """x as a matrix whose columns (or rows) are summed over."""
    return g.transpose(x, (1, 0)) if transposed and x.ndim == 2 else x


def dot_back(a: Attributes, shapes: Sequence[Any], results: Any) -> Any:
    """The rows and columns of the product of two matrices."""
    made = results[0]
    if made is None or len(made) != 2 or any(s is None or len(s) != 2 for s in shapes):
        return []
    (n, m), (left, right) = made, shapes
    return [
        (left[0], n) if a.transpose_a else (n, left[1]),
        (m, right[1]) if a.transpose_b else (right[0], m),
    ]


@operator(
    'dot',
    'lhs rhs',
    back=dot_back,
    transpose_a=Bool(False),
    transpose_b=Bool(False),
    forward_stype=Text(None),
)
def dot(g: Lowering, a: Attributes, x: Any, y: Any) -> Any:
    """The product over the last axis of the left operand and the first of the right one (exchanged where they
    are transposed)."""
    if x.ndim > 2 and a.transpose_a:
        x = g.transpose(x, tuple(range(1, x.ndim)) + (0,))
    else:
        x = matrix(g, x, a.transpose_a)
    if y.ndim > 2 and a.transpose_b:
        y = g.transpose(y, (y.ndim - 1,) + tuple(range(y.ndim - 1)))
    else:
        y = matrix(g, y, a.transpose_b)
    if x.shape[-1] != y.shape[0]:
        raise MXNetError(
            f'Check failed: L[1].Size() == R[0].Size(): dot shape error: {text(x.shape)} X {text(y.shape)}'
        )
    if x.ndim == 1 and y.ndim == 1:
        return g.reduce('reduce_sum', g.times(x, y), [0])
    inner, rest, tail = x.shape[-1], x.shape[:-1], y.shape[1:]
    rows = x.rows and len(rest) == 1
    left = x if rows else g.reshape(g.plain(x), (_count(rest), inner))
    right = g.plain(g.reshape(y, (inner, _count(tail))))
    v = call('times', (left.v, right.v), (1, None), '')
    made = Val(v, left.rows, (left.shape[0], right.shape[1]), x.dtype)
    return g.reshape(made, rest + tail)


def _count(shape):
    n = 1
    for s in shape:
        n *= s
    return n


@operator('batch_dot', 'lhs rhs', transpose_a=Bool(False), transpose_b=Bool(False), forward_stype=Text(None))
def batch_dot(g: Lowering, a: Attributes, x: Any, y: Any) -> Any:
    """Products of the matrices in the last two axes, pair by pair."""
    if x.ndim != y.ndim or x.ndim < 3:
        raise MXNetError(
            f'batch_dot currently only support N-D*N-D array (N >= 3){text(x.shape)} v.s. {text(y.shape)}'
        )
    front = x.shape[:-2]
    if y.shape[:-2] != front:
        raise MXNetError(
            'batch_dot shape error (the leading batch dimensions must be equal): '
            f'{text(x.shape)} v.s. {text(y.shape)}'
        )
    if x.ndim == 3:
        return product(g, x, y, a.transpose_a, a.transpose_b)
    x, y = (g.reshape(g.plain(v), (_count(front),) + v.shape[-2:]) for v in (x, y))
    made = product(g, x, y, a.transpose_a, a.transpose_b)
    return g.reshape(made, front + made.shape[1:])


def complete_fully_connected(a: Attributes, shapes: Sequence[Any]) -> Any:
    data = shapes[0]
    if data is None:
        return shapes
    width = data[-1] if not a.flatten else _count(data[1:])
    return [data, (a.num_hidden, width)] + [(a.num_hidden,)] * (len(shapes) - 2)


def fully_connected_back(a: Attributes, shapes: Sequence[Any], results: Any) -> Any:
    """The leading axes of the data are the result's."""
    data, made = shapes[0], results[0]
    if data is None or made is None:
        return []
    return [made[:1] + data[1:]] if a.flatten else [made[:-1] + data[-1:]]


@operator(
    'FullyConnected',
    lambda a: ['data', 'weight'] + ([] if a.no_bias else ['bias']),
    by_batch=True,
    complete=complete_fully_connected,
    back=fully_connected_back,
    num_hidden=Int(required=True, least=1),
    no_bias=Bool(False),
    flatten=Bool(True),
)
def fully_connected(g: Lowering, a: Attributes, x: Any, w: Any, bias: Any = None) -> Any:
    """x W^T + b; all axes of x but the first are joined, or with flatten=False the last one alone counts."""
    if a.flatten:
        x, lead = g.reshape(x, (x.shape[0], _count(x.shape[1:]))), x.shape[:1]
    else:
        x, lead = g.reshape(x, (_count(x.shape[:-1]), x.shape[-1])), x.shape[:-1]
    w = g.plain(w)
    v = call('times', (x.v, call('transpose', (w.v,), ((1, 0),), '')), (1, None), '')
    if bias is not None:
        v = call('plus', (v, g.plain(bias).v), (), '')
    return g.reshape(Val(v, x.rows, (x.shape[0], a.num_hidden), x.dtype), lead + (a.num_hidden,))


def complete_embedding(a: Attributes, shapes: Sequence[Any]) -> Any:
    return [shapes[0], (a.input_dim, a.output_dim)]


@operator(
    'Embedding',
    'data weight',
    complete=complete_embedding,
    input_dim=Int(required=True, least=1),
    output_dim=Int(required=True, least=1),
    dtype=Text('float32'),
    sparse_grad=Bool(False),
    types=lambda a, types: types[1],
    complete_types=lambda a, known: [known[0], known[1] or a.dtype],
)
def embedding(g: Lowering, a: Attributes, x: Any, w: Any) -> Val:
    """The rows of the weight that the operand names."""
    places = clipped(g, g.stop(x), a.input_dim)
    v = call('gather', (g.plain(w).v, places.v), (None,), '')
    return Val(v, places.rows, x.shape + (a.output_dim,), w.dtype)
