"""Callbacks: code that sees a training go on, measures it, changes rates and ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._cantik import Callback as Callback
from .._checks import callable_object, listed, refused
from ._generated import (
    EarlyStopping as EarlyStopping,
    GradientNorm as GradientNorm,
    ReduceOnPlateau as ReduceOnPlateau,
    Throughput as Throughput,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..variables import Record

__all__ = ['Callback', 'EarlyStopping', 'GradientNorm', 'ReduceOnPlateau', 'Throughput']


class EpochFunction(Callback):
    """A function that is called with the record of each epoch; False ends the training."""

    def __init__(self, function: Callable[[Record], Any]):
        super().__init__()
        self._function = function

    def on_epoch_end(self, session: Any, record: Record) -> None:
        if self._function(record) is False:
            session.end()


def is_callback(given: Any) -> bool:
    """Whether it is a callback, or a function of the epochs' records."""
    return isinstance(given, Callback) or (
        callable(given) and not isinstance(given, (type, _cantik.Function, _cantik.ProgressWriter))
    )


def as_callback(given: Any) -> Callback:
    """A callback, also of a function of the epochs' records."""
    if isinstance(given, Callback):
        return given
    if not is_callback(given):
        raise refused('a callback', 'a Callback, or a function of the record of an epoch', given)
    return EpochFunction(callable_object(given, 'a callback'))


def callbacks_of(given: Any) -> list[Callback]:
    """Callbacks of one or several objects."""
    if isinstance(given, Callback) or callable(given):
        given = [given]
    return [as_callback(item) for item in listed(given, 'callbacks')]
