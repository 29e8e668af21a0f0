"""Layers on values: one on one, one on several, several on one each."""

from __future__ import annotations

from typing import Any

from .. import _cantik
from .._checks import callable_object


def applied(layer: Any, values: Any, what: str = 'the function after >>') -> object | tuple[Any, ...]:
    """What a layer makes of one value or of several, a tuple or a function of several results: of a tuple of
    layers each takes one, or all the only one."""
    if isinstance(values, _cantik.Function) and len(values.outputs) != 1:
        values = values.outputs
    if not isinstance(values, tuple):
        values = (values,)
    if not isinstance(layer, tuple):
        return callable_object(layer, what)(*values)
    for part in layer:
        callable_object(part, what + ', in a tuple,')
    if len(values) == 1:
        values *= len(layer)
    if len(values) < len(layer):
        raise IndexError(f'{len(values)} results go into {len(layer)} functions')
    return tuple(part(value) for part, value in zip(layer, values))
