"""Function.train and Function.test. Training is imported when it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._bases import method_of
from .ops.functions import Function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._cantik import Learner
    from .train.progress import Progress
    from .variables import Record


@method_of(Function)
def train(
    self: Function,
    minibatch_source: Any,
    minibatch_size: Any = 32,
    streams: Any = None,
    model_inputs_to_streams: Any = None,
    parameter_learners: Sequence[Learner] | Learner = [],
    callbacks: Sequence[Any] = [],
    progress_frequency: int | None = None,
    max_epochs: int | None = None,
    epoch_size: int | None = None,
    max_samples: int | None = None,
    shuffle: bool | int = False,
) -> Progress:
    """Trains on arrays, or on a source of minibatches; the function is the loss, or loss and metric.

    Args:
        minibatch_source: a tuple of arrays or CSR matrices in the order of the arguments, or a source
        minibatch_size: a number, or a minibatch_size_schedule
        streams, model_inputs_to_streams: which argument gets which stream of a source
        parameter_learners (list): what updates the parameters
        callbacks (list): progress writers, CheckpointConfig, CrossValidationConfig, TestConfig; Callbacks
          such as `cantik.train.EarlyStopping`; functions of the record of an epoch, where False ends the
          training
        progress_frequency (int): when writers summarize, in samples; an epoch by default
        max_epochs (int): when it ends; 1 by default
        epoch_size (int): in samples; by default a sweep over the arrays
        max_samples (int): when it ends, in place of max_epochs
        shuffle (bool or int): arrays come in a new order in each sweep; a number is the seed of the orders.
          As in CNTK, they come in their own order by default

    Returns:
        a record of `updates` and `epoch_summaries`, each with loss, metric and samples; `test_summary`
        with a TestConfig. A notebook shows its curves

    Example:
        >>> import cantik as C, numpy as np
        >>> x, y = C.input_variable(2), C.input_variable(1)
        >>> z = C.layers.Dense(1)(x)
        >>> data = np.ones((100, 2), np.float32), np.ones((100, 1), np.float32)
        >>> progress = C.squared_error(z, y).train(data, parameter_learners=[C.sgd(z.parameters, 0.1)])
        >>> progress.epoch_summaries[0].samples
        100
    """
    from .train import loops

    return loops.train(
        self,
        minibatch_source,
        minibatch_size,
        streams,
        model_inputs_to_streams,
        parameter_learners,
        callbacks,
        progress_frequency,
        max_epochs,
        epoch_size,
        max_samples,
        shuffle,
    )


@method_of(Function)
def test(
    self: Function,
    minibatch_source: Any,
    minibatch_size: Any = 32,
    streams: Any = None,
    model_inputs_to_streams: Any = None,
    callbacks: Sequence[Any] | None = None,
) -> Record:
    """The average of the metric (the last output) over arrays.

    Args:
        minibatch_source: a tuple of arrays or CSR matrices in the order of the arguments
        minibatch_size (int): how many samples at a time
        streams, model_inputs_to_streams: which argument gets which stream of a source
        callbacks (list): progress writers

    Returns:
        a record of `metric` and `samples`
    """
    from .train import loops

    return loops.test(self, minibatch_source, minibatch_size, streams, model_inputs_to_streams, callbacks)
