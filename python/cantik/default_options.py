"""Defaults of layers' arguments, for a block of code."""

from __future__ import annotations

import contextlib
import inspect
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cantik
from ._checks import callable_object, refused, text

if TYPE_CHECKING:
    from ._types import DTypeLike

_GLOBAL = {}


class _Scopes(threading.local):
    def __init__(self):
        self.list = []  # of (functions or None for all, options), the innermost last


_scopes = _Scopes()


class _Scope(contextlib.ContextDecorator):
    """A with-block in which other defaults hold; the same object may serve several blocks."""

    def __init__(self, functions, options):
        self._entry = functions, options

    def __enter__(self) -> _Scope:
        _scopes.list.append(self._entry)
        return self

    def __exit__(self, *error) -> None:
        _scopes.list.pop()


def default_options(**kwargs: Any) -> _Scope:
    """Other defaults for all layers that are made in the with-block.

    Example:
        >>> import cantik as C
        >>> with C.default_options(activation=C.relu):
        ...     h = C.layers.Dense(10)
    """
    return _Scope(None, kwargs)


def default_options_for(functions: Any, **kwargs: Any) -> _Scope:
    """Other defaults for the given layer functions alone, one or a list of them.

    Example:
        >>> import cantik as C
        >>> with C.default_options_for(C.layers.Dense, bias=False):
        ...     z = C.layers.Dense(2)(C.input_variable(3))
        >>> len(z.parameters)
        1
    """
    if not isinstance(functions, (list, tuple, set)):
        functions = [functions]
    return _Scope([_scope_key(callable_object(f, 'what options are for')) for f in functions], kwargs)


def _scope_key(function):
    return getattr(function, '__wrapped__', function)


class default_override_or:
    """Marks the default of an argument that default_options may exchange.

    Args:
        value: the default where nothing else is said

    Example:
        >>> import cantik as C
        >>> def layer(bias=C.default_override_or(True)):
        ...     return C.get_default_override(layer, bias=bias)
        >>> layer()
        True
        >>> with C.default_options(bias=False):
        ...     print(layer(), layer(bias=True))
        False True
    """

    if TYPE_CHECKING:

        def __new__(cls, value: Any) -> Any:  # the argument takes what the layer takes
            ...

    def __init__(self, value: Any):
        self.value = value

    def __repr__(self):
        return f'default_override_or({self.value!r})'


def is_default_override(value: Any) -> bool:
    """Whether an argument was left to its default.

    Example:
        >>> import cantik as C
        >>> C.is_default_override(C.default_override_or(1)), C.is_default_override(1)
        (True, False)
    """
    return isinstance(value, default_override_or)


def get_default_override(function_or_class: Any, **kwargs: Any) -> Any:
    """The value of an argument: as given, or the default that holds here.

    Args:
        function_or_class: whose argument it is; None: nobody's, only options for all functions count
        kwargs: the argument's name and what the caller passed

    Example:
        >>> import cantik as C
        >>> def layer(pad=C.default_override_or(False)):
        ...     return C.get_default_override(layer, pad=pad)
        >>> with C.default_options(pad=True):
        ...     print(layer())
        True
    """
    if len(kwargs) != 1:
        raise TypeError(f'get_default_override takes one argument by its name, got {len(kwargs)}')
    if (
        function_or_class is not None
        and not inspect.isfunction(function_or_class)
        and not inspect.isclass(function_or_class)
    ):
        raise refused('the owner of the option', 'a Python function, a class or None', function_or_class)
    ((name, value),) = kwargs.items()
    if not is_default_override(value):
        return value
    key = _scope_key(function_or_class)
    for functions, options in reversed(_scopes.list):
        if name in options and (
            functions is None
            or any(
                key is f or (inspect.isclass(f) and inspect.isclass(key) and issubclass(key, f))
                for f in functions
            )
        ):
            return options[name]
    return _GLOBAL.get(name, value.value)


def set_global_option(key: str, value: Any) -> None:
    """Sets a default for all of the program.

    Example:
        >>> import cantik as C
        >>> C.set_global_option('width', 64)
        >>> C.get_global_option('width', 32)
        64
    """
    _GLOBAL[text(key, 'key')] = value
    if key == 'python_operand_order':  # of Function.arguments
        _cantik.set_operand_order(bool(value))


def get_global_option(key: str, default_value: Any) -> Any:
    """A default set for all of the program, or `default_value`.

    Example:
        >>> import cantik as C
        >>> C.get_global_option('no_such_option', 32)
        32
    """
    return _GLOBAL.get(text(key, 'key'), default_value)


def default_dtype(function: Any, dtype: DTypeLike) -> Any:
    """The element type that was asked for; where none was, that of default_options, else float32."""
    return get_default_override(function, dtype=default_override_or(np.float32)) if dtype is None else dtype
