"""Attributes that all symbols made in a `with` block get."""

from __future__ import annotations

import threading
from typing import Any

_current = threading.local()


# Attributes that any node takes; they are kept with underscores, and shown without them too.
OF_NODES = {
    n: f'__{n}__'
    for n in ('lr_mult', 'wd_mult', 'force_mirroring', 'ctx_group', 'mirror_stage', 'profiler_scope')
}
_BARE = {kept: name for name, kept in OF_NODES.items()}


def kept(attrs: dict[str, Any]) -> dict[str, Any]:
    """Attributes as a node keeps them."""
    return {OF_NODES.get(k, k): v for k, v in attrs.items()}


def shown(attrs: dict[str, Any]) -> dict[str, Any]:
    """Attributes of a node as programs see them."""
    return {**attrs, **{_BARE[k]: v for k, v in attrs.items() if k in _BARE}}


class AttrScope:
    """with mx.AttrScope(lr_mult='0.1'): ..."""

    def __init__(self, **kwargs: Any):
        for value in kwargs.values():
            if not isinstance(value, str):
                raise ValueError('Attributes need to be string')
        self._attr = kwargs

    def get(self, attr: Any = None) -> dict[str, Any]:
        return {**self._attr, **(attr or {})}

    def __enter__(self):
        self._before, self._own = current(), self._attr
        self._attr = {**self._before._attr, **self._attr}
        _current.value = self
        return self

    def __exit__(self, *error):
        self._attr = self._own
        _current.value = self._before


def current() -> AttrScope | Any:
    if not hasattr(_current, 'value'):
        _current.value = AttrScope()
    return _current.value
