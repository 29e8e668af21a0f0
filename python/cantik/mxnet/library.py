"""mx.library: operators in C++, built outside (docs/cpp_operators.md)."""

import logging
import os

from .base import MXNetError
from .native import add_operators


def load(path, verbose=True):
    """Loads a library of operators: they are mx.nd.name and mx.sym.name from then on."""
    path = os.fspath(path)
    if not os.path.isabs(path):
        raise MXNetError('load path {} should be absolute path'.format(path))
    if not os.path.exists(path):
        raise MXNetError('load path {} does NOT exist'.format(path))
    if not path.endswith(('.so', '.dll', '.dylib')):
        raise MXNetError('load path {} is NOT a library file'.format(path))
    names = add_operators(path)
    if verbose:
        logging.info('loaded library %s: %s', path, ', '.join(names))
