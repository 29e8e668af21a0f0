"""mx.library: operators in C++, built outside (docs/cpp_operators.md)."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from .base import MXNetError
from .native import add_operators

if TYPE_CHECKING:
    from .._types import PathLike


def load(path: PathLike, verbose: bool = True) -> None:
    """Loads a library of operators: they are mx.nd.name and mx.sym.name from then on."""
    path = os.fspath(path)
    if not os.path.isabs(path):
        raise MXNetError(f'load path {path} should be absolute path')
    if not os.path.exists(path):
        raise MXNetError(f'load path {path} does NOT exist')
    if not path.endswith(('.so', '.dll', '.dylib')):
        raise MXNetError(f'load path {path} is NOT a library file')
    names = add_operators(path)
    if verbose:
        logging.info('loaded library %s: %s', path, ', '.join(names))
