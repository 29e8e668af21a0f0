"""Networks of a description: layers with their arguments, as a configuration has them. Names lead to layers,
operators and initializers; nothing else is called."""

from __future__ import annotations

import inspect
from typing import Any

import cantik as C
from cantik.ops.libraries import function_of

# Arguments that are operators, and those that are initializers, where they are given as names.
_OPERATORS = ('activation',)
_INITIALIZERS = ('init', 'init_bias', 'init_scale')


def layers_by_name() -> dict[str, Any]:
    """The layers of the package by their names."""
    return {
        name: item
        for name, item in vars(C.layers).items()
        if name[0].isupper() and inspect.isfunction(item) and item.__module__.startswith('cantik.layers.')
    }


def network_of(description: Any, where: str = 'layers', name: str = '') -> Any:
    """A layer of a description.

    Args:
        description: a list of descriptions, which run one after another; a table with the name of a `layer`
          and its arguments, among which may be descriptions; or the name of an operator of one operand
        where (str): its place, for errors
        name (str): of the network that a list becomes

    Example:
        >>> from cantik.commands._networks import network_of
        >>> layer = network_of([{'layer': 'Dense', 'shape': 4, 'activation': 'relu'}, 'softmax'])
        >>> layer(C.input_variable(3)).shape
        (4,)
    """
    if isinstance(description, list):
        if not description:
            raise ValueError(f'{where} has no layers')
        parts = [network_of(part, f'{where}[{i}]') for i, part in enumerate(description)]
        return C.layers.Sequential(parts, name=name)
    if isinstance(description, str):
        return _operator(description, where)
    if not isinstance(description, dict) or not isinstance(description.get('layer'), str):
        raise ValueError(
            f'{where} is no layer, but {description!r}\n'
            '  expected {layer = "Dense", shape = 10}, or the name of an operator'
        )
    known, name = layers_by_name(), description['layer']
    if name not in known:
        raise ValueError(f"{where}: there is no layer '{name}'\n  remedy   one of {', '.join(sorted(known))}")
    arguments = {
        key: _argument(key, value, f'{where}.{key}') for key, value in description.items() if key != 'layer'
    }
    try:
        return known[name](**arguments)
    except (TypeError, ValueError) as error:
        raise ValueError(f'{where}, {name}: {error}') from error


def _argument(key, value, where):
    is_layer = isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(v, dict) for v in value)
    )
    if is_layer:
        return network_of(value, where)
    if key in _OPERATORS and isinstance(value, str):
        return _operator(value, where)
    if key in _INITIALIZERS and isinstance(value, str):
        return _initializer(value, where)
    return tuple(value) if isinstance(value, list) else value


def _operator(name, where):
    try:
        op = C._cantik.operator(name)
    except KeyError as error:
        raise ValueError(f'{where}: {error.args[0]}') from error
    if op['hidden'] or sum(p['field'] < 0 and not p['default'] for p in op['parameters']) != 1:
        raise ValueError(f"{where}: '{name}' is no operator of one operand")
    return function_of(name)


def _initializer(name, where):
    if name not in C.initializer.__all__:
        known = ', '.join(sorted(C.initializer.__all__))
        raise ValueError(f"{where}: there is no initializer '{name}'\n  remedy   one of {known}")
    return getattr(C.initializer, name)()
