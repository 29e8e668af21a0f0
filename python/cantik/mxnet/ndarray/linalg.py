"""mx.nd.linalg: linear algebra on the matrices in the last two axes."""

from ..table import OPERATORS as _OPERATORS
from .function import named as _named


def __getattr__(name):
    if '_linalg_' + name in _OPERATORS:
        return _named('_linalg_' + name)
    raise AttributeError(
        "module 'mxnet.ndarray.linalg' has no attribute '{}': Cantik's MXNet layer has {}".format(
            name, ', '.join(__dir__())
        )
    )


def __dir__():
    return sorted(n[len('_linalg_') :] for n in _OPERATORS if n.startswith('_linalg_'))
