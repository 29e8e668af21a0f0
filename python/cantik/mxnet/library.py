"""mx.library: operators in C++, built outside."""
from ..ops import load_operators


def load(path, verbose=True):
    """Loads a library of operators and makes them mx.nd.name and mx.sym.name."""
    from .native import add_operators
    return add_operators(load_operators(path))
