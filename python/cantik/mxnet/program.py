"""A graph in Cantik's operators, ready to run on arrays: what executors and eager calls share."""

import numpy as np

import cantik as C

from .base import MXNetError, REFUSALS
from .lower import Val, call


class _Errors:
    """Errors of a run are MXNet's; that of a custom operator is its own, raised from the program's."""

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        if error is not None and isinstance(error.__cause__, MXNetError):
            raise error.__cause__ from error.__cause__.__cause__
        if isinstance(error, REFUSALS) and not isinstance(error, MXNetError):
            raise MXNetError(str(error)) from error
        return False


_errors = _Errors()


class Program:
    """Outputs, the roots that gradients begin at (outputs among them, and losses), and leaves, of which some
    want gradients.

    outputs: Vals; losses: Vals whose gradient is 1; leaves: Vals, fed in this order; loops: functions that
    close loops, which live as long.
    """

    def __init__(self, outputs, losses, leaves, loops=()):
        self.leaves, self.loops = leaves, loops
        self.outputs = [self._own(o, leaves) for o in outputs]
        self.losses = [self._own(o, leaves) for o in losses]
        self._variables = [v.v for v in leaves]
        self._results = [_variable(o.v) for o in self.outputs]
        roots = [_variable(o.v) for o in self.losses]
        self.function = C.combine(self._results + roots)
        self.seeded = [
            i for i, v in enumerate(self._results) if v.needs_gradient
        ]  # outputs that gradients come in by
        self._roots = [self._results[i] for i in self.seeded] + roots
        self._ones = [np.ones(o.shape, np.dtype(_dtype(o.v))) for o in self.losses]
        self._fed = self._read_by(self.function)
        self._fed_to_results = self._read_by(C.combine(self._results)) if roots else self._fed
        self.wrt = [i for i, v in self._fed if v.needs_gradient]

    def _read_by(self, function):
        """Numbers and variables of the leaves that a function reads."""
        read = set(function.arguments)
        return [(i, v) for i, v in enumerate(self._variables) if v in read]

    @staticmethod
    def _own(o, leaves):
        if any(o.v is leaf.v for leaf in leaves) or not isinstance(o.v, C.Function):
            return Val(call('alias', (o.v,), ()), o.rows, o.shape, o.dtype)
        return o

    @staticmethod
    def _feeds(arrays, fed):
        return {v: np.ascontiguousarray(arrays[i], _dtype(v)) for i, v in fed}

    def run(self, arrays):
        """The outputs."""
        with _errors:
            made = self.function.eval(self._feeds(arrays, self._fed_to_results), self._results)
        made = [made] if len(self._results) == 1 else [made[v] for v in self._results]
        return [shaped(m, o) for m, o in zip(made, self.outputs)]

    def forward(self, arrays):
        """The outputs, and what backward needs."""
        if not self._roots or not self.wrt:
            return self.run(arrays), None
        with _errors:
            state, made = self.function.forward(self._feeds(arrays, self._fed), self._results, self._roots)
        return [shaped(made[v], o) for v, o in zip(self._results, self.outputs)], state

    def backward(self, state, seeds):
        """Gradients of the leaves in `wrt`, from those of the outputs in `seeded`."""
        if state is None or not self.wrt:
            return []
        given = {v: np.ascontiguousarray(s, _dtype(v)) for v, s in zip(self._roots, list(seeds) + self._ones)}
        wanted = [self._variables[i] for i in self.wrt]
        with _errors:
            made = self.function.backward(state, given, wanted)
        return [
            in_type(np.asarray(made[v]), self.leaves[i].dtype).reshape(self.leaves[i].shape)
            for i, v in zip(self.wrt, wanted)
        ]


def _variable(v):
    return v.output if isinstance(v, C.Function) else v


def _dtype(v):
    return _variable(v).dtype


def in_type(array, dtype):
    """Numbers in the type that MXNet's program sees. Whole ones that are too large go round, as in the
    processor."""
    if dtype is None or array.dtype == dtype:
        return array
    if dtype.kind in 'iu' and dtype.itemsize < 8:
        with np.errstate(invalid='ignore'):
            array = array.astype(np.int64)
    return array.astype(dtype)


def shaped(array, val):
    """A result as MXNet's program sees it."""
    return in_type(np.asarray(array), val.dtype).reshape(val.shape)
