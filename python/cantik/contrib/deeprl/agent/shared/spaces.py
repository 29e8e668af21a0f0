"""Spaces of observations and actions. A space is told by the name of its class, so gym, gymnasium and a
program's own classes all do."""

from __future__ import annotations

from typing import Any


def is_kind(space: Any, kind: Any) -> bool:
    """Whether a space is one of the kind 'Box', 'Discrete' or 'MultiBinary'.

    Args:
        space: with `n` (Discrete, MultiBinary) or `low` and `high` (Box)
        kind (str): the name of the class, or of one that the class is derived from

    Example:
        >>> from cantik.contrib.deeprl.agent.shared.spaces import is_kind
        >>> class Discrete:
        ...     n = 3
        >>> is_kind(Discrete(), 'Discrete'), is_kind(Discrete(), 'Box')
        (True, False)
    """
    return any(c.__name__ == kind for c in type(space).__mro__)
