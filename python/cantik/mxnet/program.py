"""A graph in Cantik's operators, ready to run on arrays: what executors and eager calls share."""
import numpy as np

from .. import _cantik
from .base import MXNetError


class _Errors:
    """What a custom operator raised comes out as MXNet's error, raised from the program's own."""

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        if error is not None and isinstance(error.__cause__, MXNetError):
            raise error.__cause__ from error.__cause__.__cause__
        return False


_errors = _Errors()


class Program:
    """Outputs, the roots that gradients begin at (outputs among them, and losses), and leaves, of which some want gradients.

    outputs: Vals; losses: Vals whose gradient is 1; leaves: Vals, fed in this order.
    """

    def __init__(self, outputs, losses, leaves):
        self.leaves = leaves
        self.outputs = [self._own(o, leaves) for o in outputs]
        self.losses = [self._own(o, leaves) for o in losses]
        self._variables = [v.v for v in leaves]
        self._results = [_variable(o.v) for o in self.outputs]
        roots = [_variable(o.v) for o in self.losses]
        self.function = _cantik.combine(self._results + roots, '')
        self.seeded = [i for i, v in enumerate(self._results) if v.needs_gradient]  # outputs that gradients come in by
        self._roots = [self._results[i] for i in self.seeded] + roots
        self._ones = [np.ones(o.shape, np.dtype(_dtype(o.v))) for o in self.losses]
        self._read = set(self.function.arguments)
        self.wrt = [i for i, v in enumerate(self._variables) if v.needs_gradient and v in self._read]
        self._fed = [(i, v) for i, v in enumerate(self._variables) if v in self._read]

    @staticmethod
    def _own(o, leaves):
        from .lower import Val
        if any(o.v is leaf.v for leaf in leaves) or not isinstance(o.v, _cantik.Function):
            return Val(_cantik.call('alias', (o.v,), (), ''), o.rows, o.shape, o.dtype)
        return o

    def _feeds(self, arrays):
        return {v: np.ascontiguousarray(arrays[i], _dtype(v)) for i, v in self._fed}

    def run(self, arrays):
        """The outputs."""
        with _errors:
            made = self.function.eval(self._feeds(arrays), self._results)
        made = [made] if len(self._results) == 1 else [made[v] for v in self._results]
        return [shaped(m, o) for m, o in zip(made, self.outputs)]

    def forward(self, arrays):
        """The outputs, and what backward needs."""
        if not self._roots or not self.wrt:
            return self.run(arrays), None
        with _errors:
            state, made = self.function.forward(self._feeds(arrays), self._results, self._roots)
        return [shaped(made[v], o) for v, o in zip(self._results, self.outputs)], state

    def backward(self, state, seeds):
        """Gradients of the leaves in `wrt`, from those of the outputs in `seeded`."""
        if state is None or not self.wrt:
            return []
        given = {v: np.ascontiguousarray(s, _dtype(v)) for v, s in zip(self._roots, list(seeds) + self._ones)}
        wanted = [self._variables[i] for i in self.wrt]
        with _errors:
            made = self.function.backward(state, given, wanted)
        return [np.asarray(made[v]).reshape(self.leaves[i].shape) for i, v in zip(self.wrt, wanted)]


def _variable(v):
    return v.output if isinstance(v, _cantik.Function) else v


def _dtype(v):
    return _variable(v).dtype


def shaped(array, val):
    """A result as MXNet's program sees it."""
    array = np.asarray(array)
    if val.dtype is not None and array.dtype != val.dtype:
        array = array.astype(val.dtype)
    return array.reshape(val.shape)
