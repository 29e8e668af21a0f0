"""mx.nd: arrays and operators on them."""

from typing import Any as _Any

from . import linalg, random  # noqa: F401
from ..table import OPERATORS as _OPERATORS
from .array import NDArray
from .creation import (
    arange,
    array,
    concatenate,
    empty,
    eye,
    from_numpy,
    full,
    histogram,
    linspace,
    load,
    load_frombuffer,
    moveaxis,
    onehot_encode,
    ones,
    save,
    split_v2,
    waitall,
    zeros,
)
from .function import named as _named
from .pairs import (
    add,
    divide,
    equal,
    greater,
    greater_equal,
    hypot,
    lesser,
    lesser_equal,
    logical_and,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    modulo,
    multiply,
    not_equal,
    power,
    subtract,
    true_divide,
)


def Custom(*args, **kwargs) -> _Any:
    """An operator of the program's own, registered with mx.operator.register; `op_type` is its name."""
    from ..operator import apply_to_arrays

    return apply_to_arrays(args, kwargs)


def __getattr__(name) -> _Any:
    if name in _OPERATORS:
        return _named(name)
    if name in ('op', '_internal'):
        import sys

        return sys.modules[__name__]
    if name == 'contrib':
        from importlib import import_module

        return import_module('.contrib', __name__)
    raise AttributeError(
        "module 'mxnet.ndarray' has no attribute '{}': Cantik's MXNet layer has the operators that "
        "docs/mxnet.md lists".format(name)
    )


def __dir__():
    return sorted(set(globals()) | set(_OPERATORS))
