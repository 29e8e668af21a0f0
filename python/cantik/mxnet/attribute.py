"""Attributes that all symbols made in a `with` block get."""

from __future__ import annotations

import threading
from typing import Any

_current = threading.local()


class AttrScope:
    """with mx.AttrScope(lr_mult='0.1'): ..."""

    def __init__(self, **kwargs: Any):
        for value in kwargs.values():
            if not isinstance(value, str):
                raise ValueError('Attributes need to be string')
        self._attr = {f'__{k}__': v for k, v in kwargs.items()}

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
