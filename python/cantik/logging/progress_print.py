"""Writers of progress: CNTK's log, a bar, callbacks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .._cantik import TrainingSummaryProgressCallback as TrainingSummaryProgressCallback
from .._checks import network, whole
from ._generated import (
    ProgressBar as ProgressBar,
    ProgressPrinter as ProgressPrinter,
    TensorBoardProgressWriter as TensorBoardProgressWriter,
)

if TYPE_CHECKING:
    from ..ops.functions import Function


def log_number_of_parameters(model: Function, trace_level: Any = 0) -> None:
    """Prints how many parameters the model trains; with a trace level above 0 their shapes too.

    Example:
        >>> import cantik as C
        >>> C.logging.log_number_of_parameters(C.layers.Dense(3)(C.input_variable(2)))
        Training 9 parameters in 2 parameter tensors.
    """
    with_shapes = whole(trace_level, 'trace_level') > 0
    parameters = network(model, 'model').parameters
    if any(d < 0 for p in parameters for d in p.shape):
        total = 'so far unspecified number of'
    else:
        total = sum(math.prod(p.shape) for p in parameters)
    print(f'Training {total} parameters in {len(parameters)} parameter tensors.')
    if with_shapes:
        print()
        for p in parameters:
            print(f'\t{p.shape}')
