"""MXNet's arrays, symbols, modules and custom operators, on Cantik: `import cantik.mxnet as mx`.

A thin layer without computation of its own: every operator is a call of Cantik's registry (see table/).
docs/mxnet.md says what is there.
"""

from typing import Any as _Any

from importlib import import_module as _import_module

from . import autograd, base, context, ndarray, random
from . import custom
from . import ndarray as nd
from .attribute import AttrScope
from .base import MXNetError
from .context import Context, cpu, cpu_pinned, current_context, gpu, gpu_memory_info, num_gpus

__version__ = '1.9.1'  # the version of MXNet whose API this is

# Imported when they are first named.
_MODULES = {
    'sym': 'symbol',
    'mod': 'module',
    'mon': 'monitor',
    'init': 'initializer',
    'opt': 'optimizer',
    'kv': 'kvstore',
    'rnd': 'random',
    **{
        n: n
        for n in (
            'attribute',
            'callback',
            'executor',
            'initializer',
            'io',
            'kvstore',
            'libinfo',
            'library',
            'lr_scheduler',
            'metric',
            'model',
            'module',
            'monitor',
            'name',
            'operator',
            'optimizer',
            'rnn',
            'symbol',
            'test_utils',
        )
    },
}
_ABSENT = (
    'contrib',
    'engine',
    'gluon',
    'image',
    'np',
    'npx',
    'profiler',
    'recordio',
    'rtc',
    'runtime',
    'th',
    'util',
    'visualization',
    'viz',
)


def __getattr__(name) -> _Any:
    if name in _MODULES:
        module = _import_module('.' + _MODULES[name], __name__)
        globals()[name] = module
        return module
    if name == 'Symbol':
        return __getattr__('symbol').Symbol
    if name in _ABSENT:
        raise AttributeError(
            f"mxnet.{name} is not there in Cantik's MXNet layer; docs/mxnet.md lists what is"
        )
    raise AttributeError(f"module 'mxnet' has no attribute '{name}'")


def __dir__():
    return sorted(set(globals()) | set(_MODULES))
