"""Names that symbols get by themselves."""

from __future__ import annotations

import threading
from typing import Any

_current = threading.local()


class NameManager:
    """Counts the symbols of each kind; as a `with` block, counts from 0 inside."""

    def __init__(self):
        self._counter = {}

    def get(self, name: str | None, hint: str) -> str:
        if name:
            return name
        number = self._counter.get(hint, 0)
        self._counter[hint] = number + 1
        return f'{hint}{number}'

    def __enter__(self):
        self._before = current()
        _current.value = self
        return self

    def __exit__(self, *error):
        _current.value = self._before


class Prefix(NameManager):
    """Puts a prefix before every name."""

    def __init__(self, prefix: str):
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> Any:
        return self._prefix + super().get(name, hint)


def current() -> NameManager | Any:
    if not hasattr(_current, 'value'):
        _current.value = NameManager()
    return _current.value
