"""What a network keeps of its training, and so does its file: the columns of its table, its classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ops.functions import Function
    from .columns import Column

# Entries of what users keep with a function.
_COLUMNS = 'cantik.columns'
_CLASSES = 'cantik.classes'


def known_columns(network: Function | None) -> tuple[str, ...]:
    """The columns of a table that a network was trained with, in the order of its input's numbers."""
    return tuple(network.custom_attributes.get(_COLUMNS, ())) if network is not None else ()


def known_classes(network: Function | None) -> Any:
    """The names of the classes in the order of the outputs, as `history.classes` has them; None of a network
    that knows none."""
    return network.custom_attributes.get(_CLASSES) if network is not None else None


def keep(network: Function, columns: Sequence[Column], classes: Any) -> None:
    """Keeps the names and the order of columns that were put side by side, and the names of classes."""
    for column in columns:
        if column.joined != known_columns(network):
            network.custom_attributes[_COLUMNS] = list(column.joined)
    if classes and classes != known_classes(network):
        network.custom_attributes[_CLASSES] = classes
