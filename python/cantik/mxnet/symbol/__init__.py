"""mx.sym: graphs of operators."""
from typing import Any as _Any

from ..table import OPERATORS as _OPERATORS
from .files import load, load_json
from .function import named as _named
from .symbol import Group, Symbol, Variable, apply as _apply, var
from . import pairs as _pairs


def Custom(*args, **kwargs) -> _Any:
    """An operator of the program's own, registered with mx.operator.register; `op_type` is its name."""
    return _named('Custom')(*args, **kwargs)


def zeros(shape, dtype=None, name=None, **kwargs):
    return _apply('_zeros', [], {'shape': _tuple(shape), 'dtype': dtype}, name, called='_zeros')


def ones(shape, dtype=None, name=None, **kwargs):
    return _apply('_ones', [], {'shape': _tuple(shape), 'dtype': dtype}, name, called='_ones')


def full(shape, val, dtype=None, name=None, **kwargs):
    return _apply('_full', [], {'shape': _tuple(shape), 'dtype': dtype, 'value': val}, name, called='_full')


def arange(start, stop=None, step=1.0, repeat=1, infer_range=False, name=None, dtype=None):
    return _apply('_arange', [], {'start': start, 'stop': stop, 'step': step, 'repeat': repeat, 'infer_range': infer_range, 'dtype': dtype}, name, called='_arange')


def _tuple(shape):
    return (shape,) if isinstance(shape, int) else tuple(shape)


def __getattr__(name) -> _Any:
    if name in _pairs.NAMES:
        return getattr(_pairs, name)
    if name in _OPERATORS or name == 'Custom':
        return _named(name)
    if name in ('op', '_internal'):
        import sys
        return sys.modules[__name__]
    if name in ('random', 'linalg'):
        from importlib import import_module
        return import_module('.' + name, __name__)
    raise AttributeError("module 'mxnet.symbol' has no attribute '{}': Cantik's MXNet layer has the operators that docs/mxnet.md lists".format(name))


def __dir__():
    return sorted(set(globals()) | set(_OPERATORS) | set(_pairs.NAMES))
