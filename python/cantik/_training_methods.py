"""Function.train and Function.test. Training is imported when it begins. Written by tools/generate from what
the library describes: change that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._bases import method_of
from .ops.functions import Function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._cantik import Learner
    from .variables import Record
    from .train.progress import Progress


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
        minibatch_size: samples of a minibatch; steps where there are sequences; a number or a schedule
        streams: which argument gets which stream of a source
        model_inputs_to_streams: CNTK's other name of streams
        parameter_learners: what updates the parameters
        callbacks: called in this order: progress writers, CheckpointConfig, CrossValidationConfig,
            TestConfig; Callbacks such as `cantik.train.EarlyStopping`; functions of the record of an
            epoch, where False ends the training
        progress_frequency (int): when writers summarize, in samples; none: an epoch; at least 0
        max_epochs (int): when it ends; 1 where neither this nor max_samples is given; at least 1
        epoch_size (int): in samples; none: a sweep over data in memory; at least 1
        max_samples (int): when it ends, in place of max_epochs; at least 1
        shuffle (bool | int): arrays come in a new order in each sweep; a number is the seed of the
            orders. As in CNTK, they come in their own order by default

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
        streams,
        model_inputs_to_streams,
        parameter_learners,
        shuffle,
        {
            'minibatch_size': minibatch_size,
            'callbacks': callbacks,
            'progress_frequency': progress_frequency,
            'max_epochs': max_epochs,
            'epoch_size': epoch_size,
            'max_samples': max_samples,
        },
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
    """The average of the metric (the last output) over arrays, or over all that a source brings.

    Args:
        minibatch_source: a tuple of arrays or CSR matrices in the order of the arguments, or a source
            that ends
        minibatch_size: samples of a minibatch; steps where there are sequences; a number or a schedule;
            at least 1
        streams: which argument gets which stream of a source
        model_inputs_to_streams: CNTK's other name of streams
        callbacks: progress writers

    Returns:
        a record of `metric` and `samples`

    Example:
        >>> import cantik as C, numpy as np
        >>> x, y = C.input_variable(2), C.input_variable(1)
        >>> data = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
        >>> C.squared_error(C.reduce_sum(x), y).test(data, minibatch_size=2).metric
        1.0
    """
    from .train import loops

    return loops.test(
        self,
        minibatch_source,
        streams,
        model_inputs_to_streams,
        callbacks,
        {'minibatch_size': minibatch_size},
    )
