"""mx.sym: graphs of operators."""

import sys as _sys
from importlib import import_module as _import_module
from typing import Any as _Any

from ..table import OPERATORS as _OPERATORS
from .files import load, load_json
from .function import named as _named
from .symbol import Group, Symbol, Variable, apply as _apply, var
from . import methods as _methods, pairs as _pairs
from .. import split as _split


def Custom(*args, **kwargs) -> _Any:
    """An operator of the program's own, registered with mx.operator.register; `op_type` is its name."""
    return _named('Custom')(*args, **kwargs)


def _made(op, attributes, dtype, name, more):
    """An operator without operands; `more` are further attributes of its node, like __layout__."""
    return _apply(op, [], {**attributes, 'dtype': dtype or 'float32', **more}, name, called=op)


def zeros(shape, dtype=None, name=None, **kwargs):
    return _made('_zeros', {'shape': _tuple(shape)}, dtype, name, kwargs)


def ones(shape, dtype=None, name=None, **kwargs):
    return _made('_ones', {'shape': _tuple(shape)}, dtype, name, kwargs)


def full(shape, val, dtype=None, name=None, **kwargs):
    return _made('_full', {'shape': _tuple(shape), 'value': val}, dtype, name, kwargs)


def arange(start, stop=None, step=1.0, repeat=1, infer_range=False, name=None, dtype=None):
    return _made(
        '_arange',
        {'start': start, 'stop': str(stop), 'step': step, 'repeat': repeat, 'infer_range': infer_range},
        dtype,
        name,
        {},
    )


def linspace(start, stop, num, endpoint=True, name=None, dtype=None):
    return _made(
        '_linspace', {'start': start, 'stop': stop, 'num': num, 'endpoint': endpoint}, dtype, name, {}
    )


def eye(N, M=0, k=0, dtype=None, name=None, **kwargs):
    return _made('_eye', {'N': N, 'M': M, 'k': k}, dtype, name, kwargs)


def split_v2(ary, indices_or_sections, axis=0, squeeze_axis=False, name=None):
    return _apply(
        '_split_v2',
        [ary],
        _split.attributes(indices_or_sections, axis, squeeze_axis),
        name,
        called='_split_v2',
    )


def histogram(a, bins=10, range=None, name=None, **kwargs):
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
        "module 'mxnet.symbol' has no attribute '{}': Cantik's MXNet layer has the operators that "
        "docs/mxnet.md lists".format(name)
    )


def __dir__():
    return sorted(set(globals()) | set(_OPERATORS) | set(_pairs.NAMES))
