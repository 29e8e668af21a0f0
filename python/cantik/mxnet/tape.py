"""What was computed while autograd recorded: a node for each call, and the way back through them."""

import threading

import numpy as np


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
