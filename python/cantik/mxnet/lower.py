"""How a graph of MXNet's operators is written in Cantik's.

MXNet's arrays have static shapes, their first axis is often the batch. Here a value is either `plain`, a
value without dynamic axes, or `rows`: its first axis is Cantik's batch axis, as convolutions and poolings
want it. Both have the same numbers in the same order; each operator asks for the form it needs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

import cantik as C
from cantik._cantik import call as call  # by position, as tables have attributes; C.call takes them by name

from .base import MXNetError

if TYPE_CHECKING:
    from ..variables import Constant


class Val:
    """A value of the graph: Cantik's variable, and the shape and type that MXNet's program sees."""

    __slots__ = ('v', 'rows', 'shape', 'dtype', '_other')

    def __init__(self, v: Any, rows: Any, shape: Any, dtype: Any):
        self.v, self.rows, self.shape, self.dtype, self._other = v, rows, tuple(shape), dtype, None

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))


def text(shape: Any) -> str:
    return '[' + ','.join(map(str, shape)) + ']'


class Lowering:
    """Collects what a graph becomes: the values of its nodes, the losses that its gradients begin at, new
    values of auxiliary states.

    Between nodes a value is kept in its own element type, whole numbers as float64 without a broken part.
    Inside of a node everything is computed in one type, `compute`: float64 for whole numbers, at least
    float32 otherwise.
    """

    def __init__(self, train: bool, keeps: bool = True):
        self.train, self.keeps = train, keeps
        self.losses, self.updates, self.fixed = [], [], []
        self.loops = []  # functions that close loops: these live as long as the program
        self.compute = np.dtype(np.float32)
        self.context = None  # whose graph it is
        self.batch = None  # the size of the batch axis, once there is one
        self.noted = None  # the node that is being lowered
        self.known = None  # shapes of its results, where they have been inferred

    # ---- leaves and numbers
    def leaf(self, shape: Any, dtype: Any, rows: bool = False, gradient: Any = False, name: Any = '') -> Val:
        kept = kept_type(dtype)
        if rows:
            self._one_batch(shape[0])
            v = C.input_variable(tuple(shape[1:]), dtype=kept, needs_gradient=gradient, name=name)
        else:
            v = C.input_variable(
                tuple(shape), dtype=kept, needs_gradient=gradient, dynamic_axes=[], name=name
            )
        return Val(v, rows, shape, dtype)

    def number(self, value: Any) -> Constant:
        return _constant(value, self.compute)

    def constant(self, array: Any, dtype: Any = None) -> Val:
        array = np.asarray(array, self.compute)
        return Val(_constant(array, self.compute), False, array.shape, dtype or np.dtype(self.compute))

    # ---- forms
    def plain(self, x: Any) -> Val:
        if not x.rows:
            return x
        if x._other is None:
            v = call('reshape', (call('unpack_batch', (x.v,), (), ''),), (x.shape, None, None), '')
            x._other = Val(v, False, x.shape, x.dtype)
            x._other._other = x
        return x._other

    def by_rows(self, x: Any) -> Val:
        if x.rows:
            return x
        if not x.shape:
            raise MXNetError('a value of shape () has no batch')
        self._one_batch(x.shape[0])
        if x._other is None:
            x._other = Val(call('to_batch', (x.v,), (), ''), True, x.shape, x.dtype)
            x._other._other = x
        return x._other

    def _one_batch(self, size):
        if self.batch not in (None, size):
            raise MXNetError(
                f"two batch sizes in one graph, {self.batch} and {size}, are not there in Cantik's MXNet "
                'layer: its convolutions, poolings and batch products share one'
            )
        self.batch = size

    def value(self, v: Any, rows: bool = False, n: int | None = None, dtype: Any = None) -> Val:
        """What an operator made: its shape follows from Cantik's."""
        shape = tuple(v.shape)
        return Val(v, rows, ((n,) if rows else ()) + shape, dtype or np.dtype(self.compute))

    def like(self, v: Any, x: Any) -> Val:
        """What an operator made that leaves the batch and the element type of x alone."""
        return self.value(v, x.rows, x.shape[0] if x.rows else None, x.dtype)

    # ---- operators
    def op(self, name: str, x: Any, *attributes: Any) -> Val:
        return self.like(call(name, (x.v,), attributes, ''), x)

    def map(self, name: str, *operands: Any) -> Val:
        """An operator that goes element by element; the operands broadcast."""
        if len(operands) == 1:
            return self.op(name, operands[0])
        operands = [o if isinstance(o, Val) else self.number_value(o) for o in operands]
        shape = broadcast([o.shape for o in operands])
        operands = [
            self.reshape(o, (1,) * (len(shape) - o.ndim) + o.shape) if 0 < o.ndim < len(shape) else o
            for o in operands
        ]
        first = next((o for o in operands if o.shape), operands[0])
        rows = any(o.rows for o in operands)
        if rows and all(
            not o.shape
            or (len(o.shape) == len(shape) and (o.shape[0] == shape[0] or (o.shape[0] == 1 and not o.rows)))
            for o in operands
        ):
            n = shape[0]
            forms = []
            for o in operands:
                if o.shape and o.shape[0] == n and (n > 1 or o.rows):
                    forms.append(self.by_rows(o).v)
                elif o.shape:
                    forms.append(call('reshape', (o.v,), (o.shape[1:], None, None), ''))
                else:
                    forms.append(o.v)
            return Val(call(name, tuple(forms), (), ''), True, shape, first.dtype)
        return Val(call(name, tuple(self.plain(o).v for o in operands), (), ''), False, shape, first.dtype)

    def number_value(self, value: Any) -> Val:
        return Val(_constant(np.asarray(value, self.compute), self.compute), False, (), None)

    def plus(self, a: Any, b: Any) -> Val:
        return self.map('plus', a, b)

    def minus(self, a: Any, b: Any) -> Val:
        return self.map('minus', a, b)

    def times(self, a: Any, b: Any) -> Val:
        return self.map('element_times', a, b)

    def divide(self, a: Any, b: Any) -> Val:
        return self.map('ieee_divide', a, b)

    def reshape(self, x: Any, shape: Any) -> Val:
        """The same numbers in the same order."""
        shape = tuple(int(s) for s in shape)
        if shape == x.shape:
            return x
        if x.rows and shape and shape[0] == x.shape[0]:
            return Val(call('reshape', (x.v,), (shape[1:], None, None), ''), True, shape, x.dtype)
        return Val(call('reshape', (self.plain(x).v,), (shape, None, None), ''), False, shape, x.dtype)

    def transpose(self, x: Any, axes: Any) -> Val:
        axes = tuple(a % x.ndim for a in axes)
        if axes == tuple(range(x.ndim)):
            return x
        if x.rows and axes[0] == 0:
            return self.like(call('transpose', (x.v,), (tuple(a - 1 for a in axes[1:]),), ''), x)
        x = self.plain(x)
        return self.like(call('transpose', (x.v,), (axes,), ''), x)

    def reduce(self, name: str, x: Any, axes: Any, keepdims: bool = True) -> Val:
        """One of Cantik's reductions over these axes. Of the batch axis by itself, where that is among them
        and the value is rows."""
        axes = sorted(a % x.ndim for a in axes)
        if not axes:
            return x
        if x.rows and 0 in axes and name not in _OVER_ROWS:
            x = self.plain(x)
        kept = tuple(1 if i in axes else s for i, s in enumerate(x.shape))
        shape = kept if keepdims else tuple(s for i, s in enumerate(x.shape) if i not in axes)
        v = x.v
        rows = x.rows
        static = [a - 1 for a in axes if a] if rows else axes
        if static:
            v = call(name, (v,), (static[0],) if name in ('argmax', 'argmin') else (tuple(static), True), '')
        if rows and 0 in axes:
            v = call(name, (v,), (C.Axis.default_batch_axis(), True), '')
            rows = False
            v = call('reshape', (v,), (shape, None, None), '')
        elif not keepdims:
            v = call('reshape', (v,), (shape[1:] if rows else shape, None, None), '')
        return Val(v, rows, shape, x.dtype)

    def stop(self, x: Any) -> Val:
        return self.op('stop_gradient', x)

    def by_slopes(self, y: Any, *pairs: Any) -> Val:
        """The value y, with a gradient given by hand: of each pair, an operand and the slope of y by it."""
        y = self.stop(y)
        for x, slope in pairs:
            linear = self.times(x, self.stop(slope))
            y = self.plus(y, self.minus(linear, self.stop(linear)))
        return y

    def slice(self, x: Any, axis: Any, begin: Any, end: Any, step: Any = 1) -> Val:
        axis %= x.ndim
        if x.rows and axis == 0:
            x = self.plain(x)
        v = call('slice', (x.v,), (axis - 1 if x.rows else axis, begin, end, step), '')
        return self.like(v, x)

    def splice(self, values: Any, axis: Any) -> Val:
        axis %= values[0].ndim
        rows = axis != 0 and any(x.rows for x in values)
        values = [self.by_rows(x) if rows else self.plain(x) for x in values]
        v = (
            call('splice', tuple(x.v for x in values), (axis - 1 if rows else axis,), '')
            if len(values) > 1
            else values[0].v
        )
        return self.like(v, values[0])

    def sum_all(self, x: Any) -> Val:
        return self.reduce('reduce_sum', x, range(x.ndim), keepdims=False) if x.shape else x

    # ---- beside the values
    def loss(self, x: Any) -> None:
        """A value whose sum the gradients of the node being lowered come from."""
        self.losses.append((self.noted, x))

    def update(self, index: Any, x: Any) -> None:
        """The new value of the node's auxiliary state of this number, where it is trained."""
        self.updates.append((self.noted, index, self.stop(x)))

    def fix(self, index: Any, number: Any) -> None:
        """The node's operand of this number is overwritten with a number where it is trained."""
        self.fixed.append((self.noted, index, number))

    def node(
        self, op: Any, attributes: Any, operands: Any, noted: Any = None, known: Any = None
    ) -> list[Any]:
        """The values of one node."""
        self.noted, self.known = noted, known
        types = [o.dtype for o in operands]
        if op.floating and types and is_whole(types[0]):
            raise MXNetError(
                f'{op.name}: this operator works on floating point numbers, not on {types[0].name}: '
                "convert them, x.astype('float32')"
            )
        results = result_types(op, attributes, types)
        self.compute = compute_type(types + results)
        made = op.lower(self, attributes, *[self._taken(o) for o in operands])
        made = list(made) if isinstance(made, (list, tuple)) else [made]
        results += [operands[i].dtype for i in op.list_states(attributes)]
        for value, t in zip(made, results):
            value.dtype = t
        return [self._kept(value) for value in made]

    def _taken(self, x):
        """An operand in the type that its node computes in. What comes back to whole numbers has no broken
        part either."""
        v = x.v
        if is_whole(x.dtype) and self.keeps and _needs_gradient(v):
            v = call('truncate', (v,), (), '')
        if _type_of(v) != self.compute:
            v = call('cast', (v,), (self.compute.name,), '')
        return x if v is x.v else Val(v, x.rows, x.shape, x.dtype)

    def _kept(self, x):
        """A result in its own type."""
        v, kept = x.v, kept_type(x.dtype)
        if _type_of(v) != kept:
            v = call('cast', (v,), (kept.name,), '')
        if is_whole(x.dtype):
            v = call('truncate', (v,), (), '')
        return x if v is x.v else Val(v, x.rows, x.shape, x.dtype)


_OVER_ROWS = ('reduce_sum', 'reduce_mean')


def _constant(value, dtype):
    return C.constant(value, dtype=dtype)


def broadcast(shapes: Any) -> tuple[Any, ...]:
    """The shape that these broadcast to, axes lined up from the last; a shape () fits anywhere."""
    known = [s for s in shapes if s]
    if not known:
        return ()
    axes = max(len(s) for s in known)
    shape = []
    for sizes in zip(*((1,) * (axes - len(s)) + s for s in known)):
        size = {s for s in sizes if s != 1}
        if len(size) > 1:
            raise MXNetError(
                'Check failed: l == 1 || r == 1: operands could not be broadcast together with shapes '
                '{}'.format(' '.join(map(text, known)))
            )
        shape.append(size.pop() if size else 1)
    return tuple(shape)


MOST_ELEMENTS = (1 << 31) - 1  # of an array, as in MXNet


def bounded(shape: Any) -> Any:
    """The shape, unless an array of it would have too many elements."""
    if math.prod(shape) > MOST_ELEMENTS or min(shape, default=0) < 0:
        raise MXNetError(f'an array has at most 2^31 - 1 elements, not those of the shape {text(shape)}')
    return shape


def spread(g: Lowering, x: Any, shape: Any) -> Any:
    """Axes of size 1 of the operand are spread to the shape."""
    if tuple(shape) == x.shape:
        return x
    bounded(shape)
    return g.plus(x, g.constant(np.full(shape, -0.0), x.dtype))  # which keeps the sign of every zero


def kept_type(dtype: Any) -> Any:
    """The type that Cantik keeps numbers of this type in."""
    dtype = np.dtype(np.float32 if dtype is None else dtype)
    return dtype if dtype.kind == 'f' else np.dtype(np.float64)


def is_whole(dtype: Any) -> bool:
    return dtype is not None and dtype.kind in 'iu'


def result_types(op: Any, attributes: Any, types: Any) -> list[Any]:
    """Element types of an operator's results: that of the first operand, if it says nothing else."""
    said = op.types(attributes, types) if op.types else None
    count = len(op.list_outputs(attributes))
    if said is None:
        return types[:1] * count
    return [np.dtype(t) for t in (said if isinstance(said, (list, tuple)) else [said] * count)]


def compute_type(types: Any) -> Any:
    """The type that a node over these types computes in."""
    types = [np.dtype(t) for t in types if t is not None]
    floats = [t for t in types if t.kind == 'f']
    return np.dtype(np.float64 if (types and not floats) or np.float64 in floats else np.float32)


def _type_of(v):
    return v.output.dtype if isinstance(v, C.Function) else v.dtype


def _needs_gradient(v):
    return (v.output if isinstance(v, C.Function) else v).needs_gradient
