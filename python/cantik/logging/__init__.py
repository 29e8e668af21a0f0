"""Logs of training, and looking at networks."""

from __future__ import annotations

from enum import Enum, unique
from typing import Any

from .. import _checks
from .graph import (
    depth_first_search as depth_first_search,
    find_all_with_name as find_all_with_name,
    find_by_name as find_by_name,
    find_by_uid as find_by_uid,
    get_node_outputs as get_node_outputs,
    plot as plot,
)
from . import graph as graph
from .progress_print import (
    ProgressBar as ProgressBar,
    ProgressPrinter as ProgressPrinter,
    TensorBoardProgressWriter as TensorBoardProgressWriter,
    TrainingSummaryProgressCallback as TrainingSummaryProgressCallback,
    log_number_of_parameters as log_number_of_parameters,
)


@unique
class TraceLevel(Enum):
    """How much a log says.

    Example:
        >>> import cantik as C
        >>> C.logging.get_trace_level() == C.logging.TraceLevel.Warning
        True
    """

    Error = 0
    Warning = 1
    Info = 2

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, TraceLevel) else other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self.value)


_trace_level = TraceLevel.Warning.value


def set_trace_level(value: Any) -> None:
    """Sets how much is said, a TraceLevel or its number. Numbers beyond the three levels are kept as well.

    Example:
        >>> import cantik as C
        >>> C.logging.set_trace_level(C.logging.TraceLevel.Warning)
    """
    global _trace_level
    if isinstance(value, TraceLevel):
        value = value.value
    if not isinstance(value, int):
        raise TypeError(f'a trace level must be a TraceLevel, not {type(value).__name__}')
    _trace_level = _checks.whole(value, 'the trace level', -(2**31), 2**31 - 1)


def get_trace_level() -> int:
    """How much is said, as a number; compares with TraceLevel.

    Example:
        >>> import cantik as C
        >>> C.logging.get_trace_level()
        1
    """
    return _trace_level
