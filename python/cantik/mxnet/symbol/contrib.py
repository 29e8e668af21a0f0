"""mx.sym.contrib: operators whose names begin with _contrib_."""

from ..table import OPERATORS as _OPERATORS
from .function import named as _named


def __getattr__(name):
    if '_contrib_' + name in _OPERATORS:
        return _named('_contrib_' + name)
    raise AttributeError(
        "module 'mxnet.symbol.contrib' has no attribute '{}': Cantik's MXNet layer has {}".format(
            name, ', '.join(__dir__())
        )
    )


def __dir__():
    return sorted(n[len('_contrib_') :] for n in _OPERATORS if n.startswith('_contrib_'))
