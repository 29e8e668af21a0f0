"""What CNTK keeps beside its core: cntk.contrib."""

import importlib as _importlib

_SUBMODULES = {'crosstalk', 'crosstalkcaffe', 'deeprl', 'netopt'}


def __getattr__(name):
    if name in _SUBMODULES:
        return _importlib.import_module('.' + name, __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__():
    return sorted({n for n in globals() if n.startswith('__')} | _SUBMODULES)
