"""Operators on variables and functions: Python's signs, NumPy's indices."""
from typing import TYPE_CHECKING

from . import _cantik

if TYPE_CHECKING:
    from .ops.functions import Function


def _ops():
    from . import ops
    return ops


class TensorOpsMixin:
    """Arithmetic on graphs. Operands broadcast as NumPy's do; numbers and arrays become constants."""

    def __add__(self, other) -> 'Function':
        return _ops().plus(self, other)

    def __radd__(self, other) -> 'Function':
        return _ops().plus(other, self)

    def __sub__(self, other) -> 'Function':
        return _ops().minus(self, other)

    def __rsub__(self, other) -> 'Function':
        return _ops().minus(other, self)

    def __mul__(self, other) -> 'Function':
        return _ops().element_times(self, other)

    def __rmul__(self, other) -> 'Function':
        return _ops().element_times(other, self)

    def __truediv__(self, other) -> 'Function':
        return _ops().element_divide(self, other)

    def __rtruediv__(self, other) -> 'Function':
        return _ops().element_divide(other, self)

    __div__ = __truediv__
    __rdiv__ = __rtruediv__

    def __matmul__(self, other) -> 'Function':
        return _ops().times(self, other)

    def __rmatmul__(self, other) -> 'Function':
        return _ops().times(other, self)

    def __pow__(self, other) -> 'Function':
        return _ops().pow(self, other)

    def __rpow__(self, other) -> 'Function':
        return _ops().pow(other, self)

    def __abs__(self) -> 'Function':
        return _ops().abs(self)

    def __neg__(self) -> 'Function':
        return _ops().negate(self)

    def __lt__(self, other) -> 'Function':
        return _ops().less(self, other)

    def __le__(self, other) -> 'Function':
        return _ops().less_equal(self, other)

    def __gt__(self, other) -> 'Function':
        return _ops().greater(self, other)

    def __ge__(self, other) -> 'Function':
        return _ops().greater_equal(self, other)

    # NumPy leaves arithmetic with these to them.
    __array_ufunc__ = None

    def __getitem__(self, arg) -> 'Function':
        """A slice along the static axes. A number keeps its axis with size 1; a list of numbers picks and joins."""
        return _index(self, arg)

    def __iter__(self):
        raise TypeError("'{}' object is not iterable: its axes are those of a sample".format(type(self).__name__))


AVAILABLE_TENSOR_OPS = ['abs', 'add', 'div', 'getitem', 'matmul', 'mul', 'radd', 'rdiv', 'rmatmul', 'rmul', 'rsub', 'rtruediv', 'sub', 'truediv', 'neg']


def _index(x, arg):
    ops = _ops()
    items = arg if isinstance(arg, tuple) else (arg,)
    rank = len(x.shape)
    axes = range(len(items))
    if Ellipsis in items:
        dots = items.index(Ellipsis)
        axes = list(range(dots)) + [0] + list(range(rank - (len(items) - dots - 1), rank))
    for axis, item in zip(axes, items):
        if item is Ellipsis:
            continue
        if isinstance(item, int):
            x = ops.slice(x, axis, item, item + 1)
        elif isinstance(item, slice):
            if item.start is None and item.stop is None and item.step is None:
                continue
            x = ops.slice(x, axis, item.start or 0, item.stop or 0, item.step)
        elif isinstance(item, (tuple, list)):
            # begin:end:step may stand for a single number in a list
            parts = [x if part is None else _index_axis(x, axis, part) for part in item]
            x = ops.splice(*parts, axis=axis)
        else:
            raise IndexError('type "{}" is not supported as index'.format(type(item)))
    return x


def _index_axis(x, axis, item):
    ops = _ops()
    if isinstance(item, int):
        return ops.slice(x, axis, item, item + 1)
    if isinstance(item, slice):
        return ops.slice(x, axis, item.start or 0, item.stop or 0, item.step)
    raise IndexError('type "{}" is not supported as index'.format(type(item)))


class ArrayMixin:
    """asarray() for what holds numbers."""

    def asarray(self):
        """The numbers as a NumPy array, or as a SciPy CSR matrix where they are sparse."""
        return self.data.asarray()
