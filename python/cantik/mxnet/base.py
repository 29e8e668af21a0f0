"""What every part needs: MXNet's errors, element types and texts of attributes."""

import ast

import numpy as np


class MXNetError(RuntimeError):
    """What went wrong in an operator, a symbol or an executor."""


class NotImplementedForSymbol(MXNetError):
    """A method that arrays have and symbols have not."""

    def __init__(self, function, alias=None, *args):
        super().__init__(
            'Function {}{} is not supported for Symbol and only available in NDArray.'.format(
                getattr(function, '__name__', function),
                ' (namely operator "{}")'.format(alias) if alias else '',
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

    def __init__(self, what):
        self._what = what

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        if isinstance(error, REFUSALS) and not isinstance(error, MXNetError):
            raise MXNetError('Error in operator {}: {}'.format(self._what, error)) from error


def missing(what):
    """Raises the error of what Cantik's MXNet layer has not."""
    raise MXNetError("{} is not there in Cantik's MXNet layer; docs/mxnet.md lists what is".format(what))


def axis_at(axis, count):
    """The number of an axis among `count`; negative ones count from behind."""
    if not -count <= axis < count:
        raise MXNetError('axis {} is out of bounds for array of dimension {}'.format(axis, count))
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


def as_dtype(given):
    """An element type as a NumPy dtype, from its class, its name or a dtype."""
    t = np.dtype(np.float32 if given is None else given)
    if t not in DTYPE_NUMBERS:
        raise TypeError(
            'type {} not understood: arrays have one of {}'.format(
                t, ', '.join(str(d) for d in DTYPE_NUMBERS)
            )
        )
    return t


def text_of(value):
    """An attribute as it stands in a symbol's file."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return '({}{})'.format(', '.join(text_of(v) for v in value), ',' if len(value) == 1 else '')
    if isinstance(value, type) and issubclass(value, np.generic) or isinstance(value, np.dtype):
        return np.dtype(value).name
    if isinstance(value, np.generic):
        value = value.item()
    return str(value)


def literal(text):
    """The value of an attribute's text; texts that are no Python literal stay."""
    if not isinstance(text, str):
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def give_methods(source, cls):
    """Makes the methods of a class those of a class that an earlier module defines."""
    for name, method in vars(source).items():
        if callable(method) or isinstance(method, property):
            setattr(cls, name, method)
