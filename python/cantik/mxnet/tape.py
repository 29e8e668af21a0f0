"""What was computed while autograd recorded: a node for each call, and the way back through them."""

import threading

import numpy as np

from .base import MXNetError
from .walk import behind_operands


class _State(threading.local):
    recording = False
    training = False


_state = _State()


def recording():
    return _state.recording


def training():
    return _state.training


def set_recording(value):
    before, _state.recording = _state.recording, bool(value)
    return before


def set_training(value):
    before, _state.training = _state.training, bool(value)
    return before


class Mode:
    """Recording and training inside a `with` block; None leaves one as it is."""

    __slots__ = ('_wanted', '_before')

    def __init__(self, recording, training):
        self._wanted = recording, training

    def __enter__(self):
        recording, training = self._wanted
        self._before = _state.recording, _state.training
        if recording is not None:
            _state.recording = recording
        if training is not None:
            _state.training = training

    def __exit__(self, *error):
        _state.recording, _state.training = self._before


class Leaf:
    """An array whose gradient is wanted; `grad` takes it."""

    __slots__ = ('grad', 'request')

    def __init__(self, grad, request):
        self.grad, self.request = grad, request


class Node:
    """A call: the entries of its operands, and how their gradients follow from those of its results."""

    __slots__ = ('operands', 'shapes', 'back')

    def __init__(self, operands, shapes, back):
        self.operands, self.shapes, self.back = operands, shapes, back


def note(program, state, operands, results):
    """Remembers a call of a program."""

    def back(gradients):
        seeds = [g if g is not None else np.zeros(s, t) for g, (s, t) in zip(gradients, shapes)]
        made = program.backward(state, [seeds[i] for i in program.seeded if i < len(seeds)])
        return list(zip(program.wrt, made))

    shapes = [(r._np.shape, r._np.dtype) for r in results]
    node = Node([o._entry for o in operands], shapes, back)
    for i, r in enumerate(results):
        r._entry = (node, i)


def note_function(operands, results, back):
    """Remembers a call whose gradient is the user's own."""
    node = Node([o._entry for o in operands], [(r._np.shape, r._np.dtype) for r in results], back)
    for i, r in enumerate(results):
        r._entry = (node, i)


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
    from .ndarray.array import NDArray
    from .eager import invoke

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
