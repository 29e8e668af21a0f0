"""mx.nd: arrays and operators on them."""

import sys as _sys
from importlib import import_module as _import_module
from typing import Any as _Any

from ..inner_modules import add_inner as _add_inner
from . import linalg, random
from ..table import OPERATORS as _OPERATORS
from . import methods as _methods
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


def __getattr__(name) -> _Any:
    if name in _OPERATORS:
        return _named(name)
    if name in ('op', '_internal'):
        return _sys.modules[__name__]
    if name == 'contrib':
        return _import_module('.contrib', __name__)
    raise AttributeError(
        f"module 'mxnet.ndarray' has no attribute '{name}': Cantik's MXNet layer has the operators that "
        "docs/mxnet.md lists"
    )


def __dir__():
    return sorted(set(globals()) | set(_OPERATORS))


_add_inner(__name__)
