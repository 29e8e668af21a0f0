"""Layers made of layers."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any, Callable

from .. import _cantik
from .._checks import callable_object, listed
from ..ops import alias, placeholder, plus
from ..ops._applied import applied
from ..ops.functions import Function
from ._options import made

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ['Sequential', 'For', 'SequentialClique', 'ResNetBlock']


def _chain(layers, values):
    for layer in layers:
        values = (
            _chain(layer, values)
            if isinstance(layer, list)
            else applied(layer, values, 'a layer of Sequential')
        )
    return values


def _network(result, name):
    if isinstance(result, tuple):
        return _cantik.combine(result, name)
    if name:
        return alias(result, name)
    return _cantik.as_composite(result) if isinstance(result, _cantik.Function) else _cantik.combine([result])


def Sequential(layers: Any, name: str = '') -> Function:
    """One layer after the other.

    Args:
        layers (list): functions, lists of such, and tuples of functions that run side by side: each takes one
          of several results before it, or all the only one; the next function takes what they give as its
          arguments
        name (str): of the result

    Returns:
        a function of one argument

    Raises:
        TypeError: where layers come as arguments of their own, not as one list

    Example:
        >>> import cantik as C
        >>> model = C.layers.Sequential([C.layers.Dense(20, activation=C.relu), C.layers.Dense(5)])
        >>> model(C.input_variable(10)).shape
        (5,)
    """
    if not isinstance(name, str):
        raise TypeError(
            f'Sequential: the second argument, name, is a str, and this is a {type(name).__name__}. Layers '
            'are given as one list: Sequential([a, b])'
        )
    if not isinstance(layers, list):  # a single function is a chain of its own
        return callable_object(layers, 'what Sequential makes a chain of')
    return _network(_chain(layers, placeholder(name='keep')), name)


def For(what_range: Iterable[Any], constructor: Callable[..., Any], name: str = '') -> Function:
    """The layers that `constructor` makes for each item, one after the other.

    Args:
        what_range: items, as range(3)
        constructor: a Python function of an item, or of nothing, that makes a layer
        name (str): of the result

    Returns:
        a function of one argument

    Example:
        >>> import cantik as C
        >>> model = C.layers.For(range(3), lambda i: C.layers.Dense(2**i))
        >>> model(C.input_variable(8)).shape
        (4,)
    """
    if not isinstance(constructor, FunctionType):
        raise ValueError('constructor must be a Python function/lambda')
    takes_item = constructor.__code__.co_argcount > 0
    return Sequential(
        [constructor(item) if takes_item else constructor() for item in listed(what_range, 'what_range')],
        name,
    )


def SequentialClique(functions: Any, name: str = '') -> Callable[..., Function]:
    """One layer after the other, each applied to the sum of the input and of all results before it.

    Args:
        functions (list): functions of one argument
        name (str): of the result

    Returns:
        a function of one argument

    Example:
        >>> import cantik as C
        >>> C.layers.SequentialClique([C.layers.Dense(3), C.layers.Dense(3)])(C.input_variable(3)).shape
        (3,)
    """
    functions = [callable_object(f, 'a layer of SequentialClique') for f in listed(functions, 'functions')]
    if not functions:
        raise ValueError('SequentialClique needs at least one layer')

    def clique(x):
        for f in functions[:-1]:
            x = plus(x, f(x))
        return functions[-1](x)

    if not name:
        return clique
    return alias(clique(placeholder(name='x')), name)


def ResNetBlock(f: Callable[..., Any], name: str = '') -> Callable[..., Function]:
    """y = f(x) + x (He et al. 2015).

    Args:
        f: a function of one argument
        name (str): of the result

    Returns:
        a function of one argument

    Example:
        >>> import cantik as C, numpy as np
        >>> C.layers.ResNetBlock(C.relu, name='r')(C.input_variable(2)).eval(np.array([[-1, 2]]))
        array([[-1.,  4.]], dtype=float32)
    """
    callable_object(f, 'the layer of ResNetBlock')
    if not name:
        return lambda x: plus(f(x), x)
    return made('resnet_block', ResNetBlock, {'f': f, 'name': name})
