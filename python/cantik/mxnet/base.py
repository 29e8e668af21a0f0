"""What every part needs: MXNet's errors, element types and texts of attributes."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np


string_types, numeric_types, integer_types = (str,), (float, int, np.generic), (int, np.int32, np.int64)
mx_real_t = np.float32


def py_str(text: Any) -> str:
    """A text of MXNet's core as one of Python's; it is one already."""
    return text.decode() if isinstance(text, bytes) else text


class MXNetError(RuntimeError):
    """What went wrong in an operator, a symbol or an executor."""


class NotImplementedForSymbol(MXNetError):
    """A method that arrays have and symbols have not."""

    def __init__(self, function: Any, alias: Any = None, *args: Any):
        super().__init__(
            'Function {}{} is not implemented for Symbol and only available in NDArray.'.format(
                getattr(function, '__name__', function),
                f' (namely operator "{alias}")' if alias else '',
            )
        )


REFUSALS = (
    ValueError,
    RuntimeError,
    TypeError,
    LookupError,
    ArithmeticError,
)  # as which Cantik's operators refuse


class Told:
    """Inside of this block what Cantik's operators refuse is MXNet's error, which names the operator."""

    __slots__ = ('_what',)

    def __init__(self, what: str):
        self._what = what

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        if isinstance(error, REFUSALS) and not isinstance(error, MXNetError):
            raise MXNetError(f'Error in operator {self._what}: {error}') from error


def missing(what: str) -> Any:
    """Raises the error of what Cantik's MXNet layer has not."""
    raise MXNetError(f"{what} is not there in Cantik's MXNet layer; docs/mxnet.md lists what is")


def axis_at(axis: Any, count: int) -> Any:
    """The number of an axis among `count`; negative ones count from behind."""
    if not -count <= axis < count:
        raise MXNetError(f'axis {axis} is out of bounds for array of dimension {count}')
    return axis % count


# MXNet's numbers of element types, in files and in `ret_typ`s.
DTYPES = {
    0: np.float32,
    1: np.float64,
    2: np.float16,
    3: np.uint8,
    4: np.int32,
    5: np.int8,
    6: np.int64,
    7: np.bool_,
}
DTYPE_NUMBERS = {np.dtype(t): i for i, t in DTYPES.items()}


def as_dtype(given: Any) -> np.dtype:
    """An element type as a NumPy dtype, from its class, its name or a dtype."""
    t = np.dtype(np.float32 if given is None else given)
    if t not in DTYPE_NUMBERS:
        raise TypeError(
            'type {} not understood: arrays have one of {}'.format(
                t, ', '.join(str(d) for d in DTYPE_NUMBERS)
            )
        )
    return t


def text_of(value: Any) -> str:
    """An attribute as it stands in a symbol's file."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return '({}{})'.format(', '.join(text_of(v) for v in value), ',' if len(value) == 1 else '')
    if (isinstance(value, type) and issubclass(value, np.generic)) or isinstance(value, np.dtype):
        return np.dtype(value).name
    if isinstance(value, np.generic):
        value = value.item()
    return str(value)


def literal(text: str) -> Any | str:
    """The value of an attribute's text; texts that are no Python literal stay."""
    if not isinstance(text, str):
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def listed_axes(axis: Any, rank: Any) -> Any:
    """The axes that an argument names: one, several, or with None all."""
    if axis is None:
        return list(range(rank))
    return [axis] if isinstance(axis, int) else list(axis)


def give_methods(source: Any, cls: Any) -> None:
    """Makes the methods of a class those of a class that an earlier module defines."""
    for name, method in vars(source).items():
        if callable(method) or isinstance(method, property):
            setattr(cls, name, method)


def all_or_none(numbers: Any, kind: Any) -> bool:
    """Whether the parameters of a distribution are of a kind, arrays or symbols; all of them, or none is."""
    numbers = list(numbers)
    first, *rest = numbers
    for other in rest:
        if isinstance(first, kind) != isinstance(other, kind):
            raise AssertionError(
                'Distribution parameters must all have the same type, but got both '
                f'{type(first)} and {type(other)}.'
            )
    return isinstance(first, kind)
