"""mx.sym: graphs of operators."""

from __future__ import annotations


import sys as _sys
from importlib import import_module as _import_module
from typing import Any as _Any

from ..table import OPERATORS as _OPERATORS
from .files import load, load_json
from .function import named as _named
from .symbol import Group, Symbol, Variable, apply as _apply, var
from . import methods as _methods, pairs as _pairs
from .. import split as _split


def Custom(*args: _Any, **kwargs: _Any) -> _Any:
    """An operator of the program's own, registered with mx.operator.register; `op_type` is its name."""
    return _named('Custom')(*args, **kwargs)


def _made(op, attributes, dtype, name, more):
    """An operator without operands; `more` are further attributes of its node, like __layout__."""
    return _apply(op, [], {**attributes, 'dtype': dtype or 'float32', **more}, name, called=op)


def zeros(shape: _Any, dtype: _Any = None, name: str | None = None, **kwargs: _Any) -> Symbol:
    return _made('_zeros', {'shape': _tuple(shape)}, dtype, name, kwargs)


def ones(shape: _Any, dtype: _Any = None, name: str | None = None, **kwargs: _Any) -> Symbol:
    return _made('_ones', {'shape': _tuple(shape)}, dtype, name, kwargs)


def full(shape: _Any, val: _Any, dtype: _Any = None, name: str | None = None, **kwargs: _Any) -> Symbol:
    return _made('_full', {'shape': _tuple(shape), 'value': val}, dtype, name, kwargs)


def arange(
    start: _Any,
    stop: _Any = None,
    step: _Any = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    name: str | None = None,
    dtype: _Any = None,
) -> Symbol:
    return _made(
        '_arange',
        {'start': start, 'stop': str(stop), 'step': step, 'repeat': repeat, 'infer_range': infer_range},
        dtype,
        name,
        {},
    )


def linspace(
    start: _Any, stop: _Any, num: _Any, endpoint: bool = True, name: str | None = None, dtype: _Any = None
) -> Symbol:
    return _made(
        '_linspace', {'start': start, 'stop': stop, 'num': num, 'endpoint': endpoint}, dtype, name, {}
    )


def eye(
    N: _Any, M: int = 0, k: int = 0, dtype: _Any = None, name: str | None = None, **kwargs: _Any
) -> Symbol:
    return _made('_eye', {'N': N, 'M': M, 'k': k}, dtype, name, kwargs)


def split_v2(
    ary: _Any, indices_or_sections: _Any, axis: _Any = 0, squeeze_axis: bool = False, name: str | None = None
) -> Symbol:
    return _apply(
        '_split_v2',
        [ary],
        _split.attributes(indices_or_sections, axis, squeeze_axis),
        name,
        called='_split_v2',
    )


def histogram(
    a: _Any, bins: float = 10, range: _Any = None, name: str | None = None, **kwargs: _Any
) -> Symbol:
    if isinstance(bins, Symbol):
        return _apply('_histogram', [a, bins], {}, name, called='_histogram')
    if range is None:
        raise ValueError('null range is not supported in symbol mode')
    return _apply('_histogram', [a], {'bin_cnt': bins, 'range': range}, name, called='_histogram')


def _tuple(shape):
    return (shape,) if isinstance(shape, int) else tuple(shape)


def __getattr__(name) -> _Any:
    if name in _pairs.NAMES:
        return getattr(_pairs, name)
    if name in _OPERATORS or name == 'Custom':
        return _named(name)
    if name in ('op', '_internal'):
        return _sys.modules[__name__]
    if name in ('random', 'linalg', 'contrib'):
        return _import_module('.' + name, __name__)
    raise AttributeError(
        f"module 'mxnet.symbol' has no attribute '{name}': Cantik's MXNet layer has the operators that "
        "docs/mxnet.md lists"
    )


def __dir__():
    return sorted(set(globals()) | set(_OPERATORS) | set(_pairs.NAMES))
