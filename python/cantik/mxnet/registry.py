"""Classes that are found by their names, as initializers and metrics are."""

from __future__ import annotations

from typing import Any


def by_name() -> tuple[Any, ...]:
    """A dictionary of classes by name, with the decorators `register` and `alias` that add to it."""
    classes = {}

    def register(klass):
        """Lets `create` find the class under its name."""
        classes[klass.__name__.lower()] = klass
        return klass

    def alias(*names):
        """Lets `create` find the class under its name and these."""

        def add(klass):
            classes.update((name, klass) for name in names)
            return register(klass)

        return add

    return classes, register, alias
