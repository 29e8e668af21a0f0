"""Operators on variables and functions: Python's signs, NumPy's indices."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ._cantik import call as _call
from .default_options import default_override_or, get_default_override, get_global_option

if TYPE_CHECKING:
    from .ops.functions import Function


_UNKNOWN = (-2,)  # a shape of which nothing is known


def _applied(op, *operands) -> Function:
    return _call(op, operands, ())


def _slice(x, axis, begin, end, step) -> Function:
    return _call('slice', (x,), (axis, begin, end, step))


class TensorOpsMixin:
    """Arithmetic on graphs. Operands broadcast as NumPy's do; numbers and arrays become constants."""

    def __add__(self, other) -> Function:
        return _applied('plus', self, other)

    def __radd__(self, other) -> Function:
        return _applied('plus', other, self)

    def __sub__(self, other) -> Function:
        return _applied('minus', self, other)

    def __rsub__(self, other) -> Function:
        return _applied('minus', other, self)

    def __mul__(self, other) -> Function:
        return _applied('element_times', self, other)

    def __rmul__(self, other) -> Function:
        return _applied('element_times', other, self)

    def __truediv__(self, other) -> Function:
        return _applied('element_divide', self, other)

    def __rtruediv__(self, other) -> Function:
        return _applied('element_divide', other, self)

    __div__ = __truediv__
    __rdiv__ = __rtruediv__

    def __matmul__(self, other) -> Function:
        return _applied('times', self, other)

    def __rmatmul__(self, other) -> Function:
        return _applied('times', other, self)

    def __pow__(self, other) -> Function:
        return _applied('pow', self, other)

    def __rpow__(self, other) -> Function:
        return _applied('pow', other, self)

    def __abs__(self) -> Function:
        return _applied('abs', self)

    def __neg__(self) -> Function:
        return _applied('negate', self)

    def __lt__(self, other) -> Function:
        return _applied('less', self, other)

    def __le__(self, other) -> Function:
        return _applied('less_equal', self, other)

    def __gt__(self, other) -> Function:
        return _applied('greater', self, other)

    def __ge__(self, other) -> Function:
        return _applied('greater_equal', self, other)

    # NumPy leaves arithmetic with these to them.
    __array_ufunc__ = None

    def __array_function__(self, function, types, args, kwargs):
        """To NumPy a variable is an object, as with CNTK; what looks for numbers in it fails."""
        try:
            return function._implementation(*args, **kwargs)
        except AttributeError as e:
            raise TypeError(
                f'numpy.{function.__name__} is for arrays, and was given a variable or a function, which has '
                'no numbers yet\n'
                '  remedy   the operator of this meaning, such as cantik.reduce_mean for numpy.mean'
            ) from e

    def __getitem__(self, arg) -> Function:
        """A slice along the static axes. A number keeps its axis with size 1; a list of numbers picks and
        joins. A step counts beside a begin or an end: `x[::2]` is x, as in CNTK, with a UserWarning.

        After `set_global_option('align_axis', 1)` the first indices are those of the dynamic axes, as in
        NumPy's array of a batch, and are to be left open; `default_options(axis_offset=n)` says how many
        there are. Lists always pick along static axes.

        Example:
            >>> import cantik as C
            >>> x = C.input_variable(24)
            >>> x[:8].shape
            (8,)
            >>> C.set_global_option('align_axis', 1)
            >>> x[:, :8].shape
            (8,)
            >>> C.set_global_option('align_axis', 0)
        """
        return _index(self, arg)

    def __iter__(self):
        raise TypeError(f"'{type(self).__name__}' object is not iterable: its axes are those of a sample")


AVAILABLE_TENSOR_OPS = [
    'abs',
    'add',
    'div',
    'getitem',
    'matmul',
    'mul',
    'radd',
    'rdiv',
    'rmatmul',
    'rmul',
    'rsub',
    'rtruediv',
    'sub',
    'truediv',
    'neg',
]


def _shift(x):
    """How many axes of an index stand for dynamic ones: all of them under set_global_option('align_axis', 1),
    or axis_offset of default_options."""
    if get_global_option('align_axis', 0) != 1 or not x.dynamic_axes:
        return 0
    shift = get_default_override(None, axis_offset=default_override_or(len(x.dynamic_axes)))
    if not isinstance(shift, int):
        raise TypeError(f'axis_offset must be a number of axes, not {shift!r}')
    return shift


def _index(x, arg):
    """x[arg], see TensorOpsMixin.__getitem__, which the user's line calls."""
    items = arg if isinstance(arg, tuple) else (arg,)
    # Behind an ellipsis the axes of a shape that is not known yet are counted from its end.
    rank, shift = 0 if x.shape == _UNKNOWN else len(x.shape), _shift(x)
    axes = list(range(len(items)))
    dots = len(items)
    if any(item is Ellipsis for item in items):
        dots = [item is Ellipsis for item in items].index(True)
        axes = axes[: dots + 1] + list(range(rank - (len(items) - dots - 1), rank))
    for i, (axis, item) in enumerate(zip(axes, items)):
        if item is Ellipsis:
            continue
        if isinstance(item, (tuple, list)):  # as in CNTK, its axis is always a static one
            # begin:end:step may stand for a single number in a list
            parts = [_index_axis(x, axis, part) for part in item]
            if not parts:
                raise IndexError(f'the list of indices of axis {axis} is empty')
            x = _call('splice', tuple(parts), (axis,)) if len(parts) > 1 else parts[0]
        else:
            x = _index_axis(x, axis - shift if i < dots else axis, item)
    return x


def _index_axis(x, axis, item):
    if isinstance(item, (int, np.integer)):
        return _slice(x, axis, int(item), int(item) + 1, None)
    if isinstance(item, slice):
        if item.start or item.stop:
            return _slice(x, axis, item.start or 0, item.stop or 0, item.step)
        if item.step not in (None, 1):
            warnings.warn(
                f'as in CNTK, [::{item.step}] takes the whole axis: a step counts beside a begin or an end. '
                f'C.slice(x, {axis}, 0, 0, {item.step}) takes steps along all of it.',
                UserWarning,
                stacklevel=4,
            )
        return x
    raise IndexError(f'type "{type(item).__name__}" is not supported as index')


class ArrayMixin:
    """asarray() for what holds numbers."""

    def asarray(self) -> Any:
        """The numbers as a NumPy array, or as a SciPy CSR matrix where they are sparse."""
        return self.data.asarray()
