"""What is configured around a training. Written by tools/generate from what the library describes: change
that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from . import _configs
from ._rate_curve import curve_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._types import PathLike
    from ._rate_curve import RateCurve
    from .trainer import Trainer

__all__ = [
    'CheckpointConfig',
    'CrossValidationConfig',
    'TestConfig',
    'EarlyStopping',
    'ReduceOnPlateau',
    'GradientNorm',
    'Throughput',
    'find_learning_rate',
]


class CheckpointConfig(_configs.Checkpoints):
    """Checkpoints during training. The state is copied, and written while the training goes on; the file is
    whole at any moment.

    Args:
        filename: the file that checkpoints are written to
        frequency: how often: a number of samples, or (count, DataUnit); None for the end only
        restore (bool): goes on where the file (or the last of several) stopped, if there is one
        preserve_all (bool): each in a file of its own: its number is added to the name

    Example:
        >>> import cantik as C
        >>> C.CheckpointConfig('m.ckp', frequency=10000, preserve_all=True).filename
        'm.ckp'
    """

    def __init__(
        self, filename: PathLike, frequency: Any = None, restore: bool = True, preserve_all: bool = False
    ):
        super().__init__(
            {'filename': filename, 'frequency': frequency, 'restore': restore, 'preserve_all': preserve_all}
        )


class CrossValidationConfig(_configs.CrossValidation):
    """Cross-validation during training.

    Args:
        minibatch_source: a source, or a tuple of arrays in the order of the criterion's arguments; None
            if only the callback matters
        frequency: how often: a number of samples, or (count, DataUnit); None for the end only
        minibatch_size: in samples; a number or a schedule
        callback: called with (which, from 0; the average of the metric; samples; minibatches); false ends
            the training
        max_samples (int): how many are tested; none: to the end of data or sweep; at least 0
        model_inputs_to_streams: which input gets which stream of the source
        criterion: whose arguments the arrays are for
        source: the older name of minibatch_source
        mb_size: the older name of minibatch_size

    Example:
        >>> import cantik as C, numpy as np
        >>> data = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
        >>> x, y = C.input_variable(2), C.input_variable(1)
        >>> config = C.CrossValidationConfig(
        ...     data, frequency=100, minibatch_size=2, criterion=C.squared_error(C.layers.Dense(1)(x), y)
        ... )
    """

    def __init__(
        self,
        minibatch_source: Any = None,
        frequency: Any = None,
        minibatch_size: Any = 32,
        callback: Callable[..., Any] | None = None,
        max_samples: int | None = None,
        model_inputs_to_streams: Any = None,
        criterion: Any = None,
        source: Any = None,
        mb_size: Any = None,
    ):
        super().__init__(
            minibatch_source,
            model_inputs_to_streams,
            criterion,
            source,
            mb_size,
            {
                'frequency': frequency,
                'minibatch_size': minibatch_size,
                'callback': callback,
                'max_samples': max_samples,
            },
        )


class TestConfig(_configs.FinalTest):
    """A test at the end of the training.

    Args:
        minibatch_source: a source, or a tuple of arrays in the order of the criterion's arguments
        minibatch_size: in samples; a number or a schedule
        model_inputs_to_streams: which input gets which stream of the source
        criterion: whose arguments the arrays are for
        source: the older name of minibatch_source
        mb_size: the older name of minibatch_size

    Example:
        >>> import cantik as C, numpy as np
        >>> data = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
        >>> x, y = C.input_variable(2), C.input_variable(1)
        >>> config = C.TestConfig(data, minibatch_size=2, criterion=C.squared_error(C.layers.Dense(1)(x), y))
    """

    def __init__(
        self,
        minibatch_source: Any = None,
        minibatch_size: Any = 32,
        model_inputs_to_streams: Any = None,
        criterion: Any = None,
        source: Any = None,
        mb_size: Any = None,
    ):
        super().__init__(
            minibatch_source,
            model_inputs_to_streams,
            criterion,
            source,
            mb_size,
            {'minibatch_size': minibatch_size},
        )


class EarlyStopping(_cantik.EarlyStopping):
    """Ends a training that no longer gets better, and gives the network the parameters of its best epoch: at
    the end, before a test.

    An epoch is what `progress_frequency` says.

    Args:
        monitor (str): the entry of the records of epochs that is to get better: "loss", "metric",
            "val_metric" (of a cross-validation), or an entry of another callback
        patience (int): epochs without a better one after which the training ends; at least 1
        min_delta (float): by how much a better one differs at least; at least 0
        larger_is_better (bool): none: by the name; entries that end in accuracy, precision, recall, f1,
            auc or r2 are to grow, others to fall
        restore_best (bool): whether the network gets the parameters of the best epoch

    Example:
        >>> import cantik as C, numpy as np
        >>> x, y = C.input_variable(2), C.input_variable(1)
        >>> z = C.layers.Dense(1)(x)
        >>> data = np.ones((100, 2), np.float32), np.ones((100, 1), np.float32)
        >>> stop = C.train.EarlyStopping('loss', patience=2, min_delta=1e-6)
        >>> progress = C.squared_error(z, y).train(
        ...     data, parameter_learners=[C.sgd(z.parameters, 0.1)], max_epochs=1000, callbacks=[stop]
        ... )
        >>> len(progress.epoch_summaries) < 1000
        True
    """

    def __init__(
        self,
        monitor: str = 'val_metric',
        patience: int = 1,
        min_delta: float = 0.0,
        larger_is_better: bool | None = None,
        restore_best: bool = True,
    ):
        super().__init__(
            {
                'monitor': monitor,
                'patience': patience,
                'min_delta': min_delta,
                'larger_is_better': larger_is_better,
                'restore_best': restore_best,
            }
        )


class ReduceOnPlateau(_cantik.ReduceOnPlateau):
    """Reduces the rates of all learners where a training no longer gets better. From then on they are
    constant.

    Args:
        monitor (str): as for EarlyStopping
        factor (float): by which rates are multiplied; above 0 and below 1
        patience (int): epochs without a better one before that; at least 1
        min_delta (float): by how much a better one differs at least; at least 0
        larger_is_better (bool): as for EarlyStopping
        cooldown (int): epochs after a reduction that do not count; at least 0
        min_rate (float): rates are not reduced below; at least 0

    Example:
        >>> import cantik as C
        >>> reduce = C.train.ReduceOnPlateau('val_metric', factor=0.5, patience=3)
    """

    def __init__(
        self,
        monitor: str = 'val_metric',
        factor: float = 0.1,
        patience: int = 10,
        min_delta: float = 0.0001,
        larger_is_better: bool | None = None,
        cooldown: int = 0,
        min_rate: float = 0.0,
    ):
        super().__init__(
            {
                'monitor': monitor,
                'factor': factor,
                'patience': patience,
                'min_delta': min_delta,
                'larger_is_better': larger_is_better,
                'cooldown': cooldown,
                'min_rate': min_rate,
            }
        )


class GradientNorm(_cantik.GradientNorm):
    """Tells the progress writers "Gradient norm": the Euclidean norm, over all parameters, of the gradient of
    the mean loss. The record of an epoch has its mean as `gradient_norm`.

    Args:
        every (int): minibatches from one measurement to the next; at least 1

    Example:
        >>> import cantik as C
        >>> norm = C.train.GradientNorm(every=10)
    """

    def __init__(self, every: int = 50):
        super().__init__({'every': every})


class Throughput(_cantik.Throughput):
    """Tells the progress writers "Samples per second" of each epoch, which the record has as
    `samples_per_second`.

    Example:
        >>> import cantik as C
        >>> speed = C.train.Throughput()
    """

    def __init__(self) -> None:
        super().__init__()


def find_learning_rate(
    trainer: Trainer,
    minibatch_source: Any,
    minibatch_size: Any = 32,
    model_inputs_to_streams: Any = None,
    start: float = 1e-06,
    stop: float = 1.0,
    minibatches: int = 100,
    smoothing: float = 0.9,
    stop_at: float = 4.0,
) -> RateCurve:
    """Trains with rates that grow from minibatch to minibatch, and puts trainer and source back to where they
    were. All learners get the same rate. The source must have at least two minibatches. (Smith 2017,
    Cyclical learning rates for training neural networks.)

    Args:
        trainer: all its learners get the same rate
        minibatch_source: a source, or a tuple of arrays in the order of the loss's arguments
        minibatch_size: in samples; a number or a schedule; at least 1
        model_inputs_to_streams: which input gets which stream of a source
        start (float): the first rate; above 0
        stop (float): the last one, which is greater; above 0
        minibatches (int): on which the rate grows, each time by the same factor; at least 2
        smoothing (float): the weight of earlier losses in a loss of the curve; at least 0 and below 1
        stop_at (float): ends where a loss is so many times the smallest one; above 1

    Returns:
        RateCurve

    Raises:
        ValueError: rates that do not rise, or fewer than two minibatches with finite losses

    Example:
        >>> import cantik as C, numpy as np
        >>> x, y = C.input_variable(2), C.input_variable(1)
        >>> z = C.layers.Dense(1)(x)
        >>> data = np.ones((100, 2), np.float32), np.ones((100, 1), np.float32)
        >>> trainer = C.Trainer(z, C.squared_error(z, y), [C.sgd(z.parameters, 1.0)])
        >>> curve = C.train.find_learning_rate(trainer, data, minibatch_size=10, stop=0.1)
        >>> 1e-6 < curve.suggestion <= 0.1
        True
    """
    return curve_of(
        trainer,
        minibatch_source,
        model_inputs_to_streams,
        {
            'minibatch_size': minibatch_size,
            'start': start,
            'stop': stop,
            'minibatches': minibatches,
            'smoothing': smoothing,
            'stop_at': stop_at,
        },
    )
