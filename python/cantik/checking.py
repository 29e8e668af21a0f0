"""Gradients against differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cantik
from ._checks import dictionary, listed, network, number, variable, whole
from .ops import constant, input_variable, reduce_sum
from .python_op import Op

if TYPE_CHECKING:
    from collections.abc import Sequence


class GradientCheck:
    """The largest error of each variable's gradient; true where all are small enough."""

    def __init__(self, errors: Any, tolerance: float):
        self.errors, self.tolerance = errors, tolerance

    def __bool__(self):
        return all(error <= self.tolerance for error in self.errors.values())

    def __repr__(self):
        lines = [
            '{}: {:.2e}{}'.format(
                v, error, '' if error <= self.tolerance else f'  above {self.tolerance:.0e}'
            )
            for v, error in self.errors.items()
        ]
        return 'GradientCheck(' + '; '.join(lines) + ')'


def _network_of(op, arrays):
    # The operator on inputs of float64; each of several outputs counts with weights of its own, or errors
    # could cancel.
    arrays = [np.asarray(a, np.float64) for a in (arrays if isinstance(arrays, (list, tuple)) else [arrays])]
    inputs = [input_variable(a.shape[1:], np.float64, needs_gradient=True) for a in arrays]
    network = op(*inputs)
    parts = [
        reduce_sum(y * constant(np.random.RandomState(i).rand(*y.shape) + 0.5, dtype=np.float64))
        for i, y in enumerate(network.outputs)
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total, dict(zip(inputs, arrays))


def check_gradient(
    function: Any,
    arguments: Any,
    wrt: Sequence[Any] | None = None,
    step: Any = None,
    tolerance: float | None = None,
    samples: int = 32,
    seed: int = 0,
) -> GradientCheck:
    """Compares gradients with central differences of the summed output.

    Args:
        function (Function): of one output; float64 gives sharp answers, float32 rough ones. Or an operator
          made by cantik.op
        arguments (dict): data for its arguments; of an operator an array [rows, shape...], a list of them for
          several inputs
        wrt (list): parameters and inputs to differentiate by; all parameters and all inputs that need a
          gradient by default
        step (float): of the differences
        tolerance (float): how large an error may be, relative to the largest gradient
        samples (int): how many elements of each variable are tried
        seed (int): which ones

    Returns:
        a GradientCheck: true where all gradients agree, with the largest error of each variable

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(2, dtype=np.float64, needs_gradient=True)
        >>> bool(C.check_gradient(C.tanh(x), {x: np.array([[0.3, -0.7]])}))
        True
    """
    if isinstance(function, Op):
        function, arguments = _network_of(function, arguments)
    network(function, 'function')
    arguments = dictionary(arguments, 'arguments')
    if wrt is not None:
        wrt = [variable(v, 'one of wrt') for v in listed(wrt, 'wrt')]
    step = None if step is None else number(step, 'step')
    tolerance = None if tolerance is None else number(tolerance, 'tolerance')
    samples, seed = whole(samples, 'samples', 1, 2**31 - 1), whole(seed, 'seed', 0)
    return GradientCheck(
        *_cantik.check_gradient(function, arguments, wrt, step, tolerance, samples, seed % 2**64)
    )
