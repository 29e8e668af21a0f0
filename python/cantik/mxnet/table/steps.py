"""Operators over the steps of padded sequences: [steps, batch, ...], each sample's length beside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..lower import Val, call
from .entry import Bool, Float, Int, operator
from .index import whole

if TYPE_CHECKING:
    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes


def with_length(a: Attributes) -> Any:
    return ['data', 'sequence_length'] if a.use_sequence_length else ['data']


def before_end(g: Lowering, x: Any, length: Any, axis: Any) -> Any:
    """1 where a step belongs to its sequence; axis: 0 or 1, where the steps are."""
    steps = np.arange(x.shape[axis]).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    length = g.reshape(
        whole(g, length), tuple(x.shape[1 - axis] if i == 1 - axis else 1 for i in range(x.ndim))
    )
    return g.map('less', g.constant(steps, x.dtype), length)


@operator('SequenceMask', with_length, use_sequence_length=Bool(False), value=Float(0.0), axis=Int(0))
def sequence_mask(g: Lowering, a: Attributes, x: Any, length: Any = None) -> Any:
    """Steps behind the end of a sequence get a value."""
    if length is None:
        return g.op('alias', x)
    inside = before_end(g, x, length, a.axis)
    return g.map('element_select', inside, x, a.value)


@operator('SequenceLast', with_length, use_sequence_length=Bool(False), axis=Int(0))
def sequence_last(g: Lowering, a: Attributes, x: Any, length: Any = None) -> Any:
    """The last step of each sequence."""
    if length is None:
        made = g.slice(x, a.axis, x.shape[a.axis] - 1, x.shape[a.axis])
        return g.reshape(made, x.shape[: a.axis] + x.shape[a.axis + 1 :])
    steps = np.arange(x.shape[a.axis]).reshape([-1 if i == a.axis else 1 for i in range(x.ndim)])
    last = g.reshape(
        g.minus(whole(g, length), 1),
        tuple(x.shape[1 - a.axis] if i == 1 - a.axis else 1 for i in range(x.ndim)),
    )
    return g.reduce(
        'reduce_sum', g.times(x, g.map('equal', g.constant(steps, x.dtype), last)), [a.axis], False
    )


@operator('SequenceReverse', with_length, use_sequence_length=Bool(False), axis=Int(0))
def sequence_reverse(g: Lowering, a: Attributes, x: Any, length: Any = None) -> Any:
    """The steps of all sequences from behind."""
    if length is None:
        return g.slice(x, 0, 0, x.shape[0], -1)
    steps, batch = x.shape[:2]
    t = g.constant(np.arange(steps).reshape(steps, 1), x.dtype)
    length = g.reshape(whole(g, g.plain(length)), (1, batch))
    turned = g.map('element_select', g.map('less', t, length), g.minus(g.minus(length, 1), t), t)
    places = g.plus(g.times(turned, batch), g.constant(np.arange(batch).reshape(1, batch)))
    rows = g.reshape(g.plain(x), (steps * batch, x.size // (steps * batch)))
    return g.reshape(
        Val(call('gather', (rows.v, places.v), (None,), ''), False, (steps, batch, rows.shape[1]), x.dtype),
        x.shape,
    )
