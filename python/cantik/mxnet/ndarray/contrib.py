"""mx.nd.contrib: operators whose names begin with _contrib_, and loops over arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..table import OPERATORS as _OPERATORS
from .array import NDArray
from .function import named as _named


def _listed(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _like(given, values):
    return list(values) if isinstance(given, (list, tuple)) else values[0]


def foreach(body: Any, data: Any, init_states: Any) -> tuple[Any, ...]:
    """body(slice, states) -> output, states, for each slice along the first axis; the outputs are stacked."""
    states, outputs, form = init_states, [], None
    arrays = _listed(data)
    for i in range(arrays[0].shape[0]):
        made, states = body(_like(data, [a[i] for a in arrays]), states)
        form = made
        outputs.append(_listed(made))
    stacked = [_named('stack')(*column, axis=0) for column in zip(*outputs)]
    return (_like(form, stacked) if stacked else []), states


def while_loop(cond: Any, func: Any, loop_vars: Any, max_iterations: Any = None) -> tuple[Any, ...]:
    """func(*loop_vars) -> output, loop_vars, while cond(*loop_vars) holds; the outputs are stacked, zeros
    behind them up to max_iterations."""
    if max_iterations is None:
        raise ValueError('max_iterations should be specified')
    values, outputs, steps = _listed(loop_vars), [], 0
    while steps < max_iterations and bool(cond(*values).asscalar()):
        made, values = func(*values)
        values = _listed(values)
        outputs.append(_listed(made) if made is not None else [])
        steps += 1
    stacked = []
    for column in zip(*outputs):
        missing = [_named('zeros_like')(column[0])] * (max_iterations - steps)
        stacked.append(_named('stack')(*column, *missing, axis=0))
    return stacked, _like(loop_vars, values)


def cond(pred: Any, then_func: Any, else_func: Any) -> Any:
    """then_func() where the number is not 0, else else_func()."""
    return then_func() if bool(pred.asscalar()) else else_func()


def boolean_mask(data: Any, index: Any, axis: Any = 0) -> Any:
    """The parts along the first axis where the other array is not 0."""
    if axis != 0:
        raise ValueError('boolean_mask goes along the first axis')
    return _named('take')(data, NDArray(np.flatnonzero(index._np).astype(np.float32)))


def __getattr__(name):
    if '_contrib_' + name in _OPERATORS:
        return _named('_contrib_' + name)
    raise AttributeError(
        "module 'mxnet.ndarray.contrib' has no attribute '{}': Cantik's MXNet layer has {}".format(
            name, ', '.join(__dir__())
        )
    )


def __dir__():
    return sorted(
        [n[len('_contrib_') :] for n in _OPERATORS if n.startswith('_contrib_')]
        + ['boolean_mask', 'cond', 'foreach', 'while_loop']
    )
