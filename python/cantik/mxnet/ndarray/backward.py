"""The way back through what was recorded."""

import numpy as np

from ..base import MXNetError
from ..tape import Leaf, Mode, set_recording
from ..walk import behind_operands
from .array import NDArray
from .eager import invoke


def _order(nodes):
    """Every node behind those that read its results."""
    return behind_operands(nodes, lambda node: [e[0] for e in node.operands if isinstance(e, tuple)])[::-1]


NOT_RECORDED = (
    'Check failed: !AGInfo: :IsNone(*i): Cannot differentiate node because it is not in a computational '
    'graph. You need to set is_recording to true or '
    'use autograd.record() to save computational graphs for backward. If you want to differentiate the same '
    'graph twice, you need to pass retain_graph=True to backward.'
)


def backward(heads, head_gradients, retain):
    """Gradients of the heads' sum (weighed by head_gradients), given to the leaves."""
    gradients, leaves = {}, {}

    def add(entry, value):
        if entry is None or value is None:
            return
        into, key = (leaves, id(entry)) if isinstance(entry, Leaf) else (gradients, (id(entry[0]), entry[1]))
        if key in into:
            value = invoke('elemwise_add', [NDArray(into[key][1]), NDArray(value)], {})._np
        into[key] = (entry, value)

    was = set_recording(False)
    try:
        for head, gradient in zip(heads, head_gradients):
            if head._entry is None or (isinstance(head._entry, tuple) and head._entry[0].back is None):
                raise MXNetError(NOT_RECORDED)
            add(head._entry, np.ones(head.shape, head.dtype) if gradient is None else gradient._np)
        order = _order([h._entry[0] for h in heads if isinstance(h._entry, tuple)])
        for node in order:
            if node.back is None:
                raise MXNetError(NOT_RECORDED)
            own = [gradients.get((id(node), i), (None, None))[1] for i in range(len(node.shapes))]
            if all(g is None for g in own):
                continue
            with Mode(False, True):
                made = node.back(own)
            for i, value in made:
                if i < len(node.operands):
                    add(node.operands[i], value)
        for leaf, value in leaves.values():
            if leaf.request == 'add':
                value = invoke(
                    'elemwise_add', [leaf.grad, NDArray(value.astype(leaf.grad._np.dtype, copy=False))], {}
                )._np
            if leaf.request != 'null':
                leaf.grad._np[...] = value
        if not retain:
            for node in order:
                node.back = None
    finally:
        set_recording(was)
