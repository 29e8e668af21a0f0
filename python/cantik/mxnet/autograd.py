"""mx.autograd: what is computed inside `record()` can be differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import tape
from .base import MXNetError, missing
from .ndarray.array import NDArray
from .ndarray.backward import backward as _backward

set_recording, set_training, is_recording, is_training = (
    tape.set_recording,
    tape.set_training,
    tape.recording,
    tape.training,
)


class _Scope(tape.Mode):
    """A `with` block."""


def record(train_mode: bool = True) -> _Scope:
    return _Scope(True, train_mode)


def pause(train_mode: bool = False) -> _Scope:
    return _Scope(False, train_mode)


def train_mode() -> _Scope:
    return _Scope(None, True)


def predict_mode() -> _Scope:
    return _Scope(None, False)


def mark_variables(variables: Any, gradients: Any, grad_reqs: str = 'write') -> None:
    """Gradients of these arrays go to those."""
    if isinstance(variables, NDArray):
        variables, gradients = [variables], [gradients]
    requests = [grad_reqs] * len(variables) if isinstance(grad_reqs, str) else grad_reqs
    for x, g, request in zip(variables, gradients, requests):
        x._mark(g, request)


def _heads(heads, head_grads):
    heads = [heads] if isinstance(heads, NDArray) else list(heads)
    if head_grads is None:
        head_grads = [None] * len(heads)
    gradients = [head_grads] if isinstance(head_grads, NDArray) else list(head_grads)
    if len(gradients) != len(heads):
        raise ValueError('heads and head_grads must be lists of the same length')
    return heads, gradients


def backward(heads: Any, head_grads: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
    """Gradients of the heads go to all arrays that have asked for theirs."""
    _backward(*_heads(heads, head_grads), retain_graph)


def grad(
    heads: Any,
    variables: Any,
    head_grads: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> Any:
    """A list: gradients of the heads with respect to these arrays, or to one, as new arrays."""
    if create_graph:
        missing('mx.autograd.grad with create_graph=True')
    variables = [variables] if isinstance(variables, NDArray) else list(variables)
    if not variables:
        raise ValueError('variables cannot be an empty list.')
    kept = []
    for x in variables:
        if not isinstance(x._entry, tape.Leaf):
            raise MXNetError(
                'Cannot differentiate with respect to an array that is no variable: call attach_grad() on '
                'it before it is used'
            )
        kept.append((x._entry.grad, x._entry.request))
        x._entry.grad, x._entry.request = NDArray(np.zeros_like(x._np), x._ctx), 'write'
    try:
        _backward(*_heads(heads, head_grads), bool(retain_graph))
        made = [x._entry.grad for x in variables]
    finally:
        for x, (g, request) in zip(variables, kept):
            x._entry.grad, x._entry.request = g, request
    return made


def get_symbol(x: Any) -> None:
    missing('mx.autograd.get_symbol')


class Function:
    """A function with a gradient of one's own: derived classes have forward(*inputs) and
    backward(*output_gradients)."""

    def __init__(self):
        self._used, self.saved_tensors = False, None

    def save_for_backward(self, *args: Any) -> None:
        self.saved_tensors = args

    def __call__(self, *inputs: Any) -> NDArray:
        if self._used:
            raise MXNetError(
                'Each Function instance can only be called once. Please create another instance.'
            )
        self._used = True
        before = tape.set_recording(False)
        try:
            made = self.forward(*inputs)
        finally:
            tape.set_recording(before)
        outputs = [made] if isinstance(made, NDArray) else list(made)
        if before and any(x._entry is not None for x in inputs):
            tape.note_function(inputs, outputs, lambda gradients: self._back(outputs, gradients))
        return made

    def _back(self, outputs, gradients):
        given = [NDArray(np.zeros_like(o._np) if g is None else g) for o, g in zip(outputs, gradients)]
        made = self.backward(*given)
        made = [made] if isinstance(made, NDArray) else list(made)
        return [(i, None if g is None else g._np) for i, g in enumerate(made)]

    def forward(self, *inputs: Any) -> Any:
        raise NotImplementedError('a Function has to overwrite forward')

    def backward(self, *output_grads: Any) -> Any:
        raise NotImplementedError('a Function has to overwrite backward')
