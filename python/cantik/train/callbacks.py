"""Callbacks: code that sees a training go on, measures it, changes rates and ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._cantik import Callback as Callback
from .._checks import callable_object, flag, listed, number, refused, text, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..variables import Record

__all__ = ['Callback', 'EarlyStopping', 'GradientNorm', 'ReduceOnPlateau', 'Throughput']

# Entries of records that are to grow; losses and errors are to fall.
_GROW = ('accuracy', 'precision', 'recall', 'f1', 'auc', 'r2')


def _grows(monitor, larger_is_better):
    """Whether a larger number is a better one."""
    if larger_is_better is not None:
        return flag(larger_is_better, 'larger_is_better')
    return any(monitor.endswith(name) for name in _GROW)


class EarlyStopping(_cantik.EarlyStopping):
    """Ends a training that no longer gets better, and gives the network the parameters of its best epoch.

    An epoch is what `progress_frequency` says. The parameters are put back at the end, before a test.

    Args:
        monitor (str): the entry of the epochs' records that is to get better: 'loss', 'metric', 'val_metric'
          (of a CrossValidationConfig), or an entry of another callback
        patience (int): epochs without a better one after which the training ends
        min_delta (float): by how much a better one differs at least
        larger_is_better (bool): None: by the name; accuracies and their like are to grow, all others to fall
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
        monitor = text(monitor, 'monitor')
        super().__init__(
            monitor,
            whole(patience, 'patience', 1),
            number(min_delta, 'min_delta'),
            _grows(monitor, larger_is_better),
            flag(restore_best, 'restore_best'),
        )


class ReduceOnPlateau(_cantik.ReduceOnPlateau):
    """Reduces the rates of all learners where a training no longer gets better. From then on they are
    constant.

    Args:
        monitor (str): as for EarlyStopping
        factor (float): by which the rate is multiplied, between 0 and 1
        patience (int): epochs without a better one before that
        min_delta (float): by how much a better one differs at least
        larger_is_better (bool): as for EarlyStopping
        cooldown (int): epochs after a reduction that do not count
        min_rate (float): rates are not reduced below

    Example:
        >>> import cantik as C
        >>> reduce = C.train.ReduceOnPlateau('val_metric', factor=0.5, patience=3)
    """

    def __init__(
        self,
        monitor: str = 'val_metric',
        factor: float = 0.1,
        patience: int = 10,
        min_delta: float = 1e-4,
        larger_is_better: bool | None = None,
        cooldown: int = 0,
        min_rate: float = 0.0,
    ):
        monitor = text(monitor, 'monitor')
        super().__init__(
            monitor,
            number(factor, 'factor'),
            whole(patience, 'patience', 1),
            number(min_delta, 'min_delta'),
            _grows(monitor, larger_is_better),
            whole(cooldown, 'cooldown', 0),
            number(min_rate, 'min_rate'),
        )


class GradientNorm(_cantik.GradientNorm):
    """Tells the progress writers 'Gradient norm': the Euclidean norm, over all parameters, of the gradient of
    the mean loss. The record of an epoch has its mean as `gradient_norm`.

    Args:
        every (int): minibatches from one measurement to the next

    Example:
        >>> import cantik as C
        >>> norm = C.train.GradientNorm(every=10)
    """

    def __init__(self, every: int = 50):
        super().__init__(whole(every, 'every', 1))


class Throughput(_cantik.Throughput):
    """Tells the progress writers 'Samples per second' of each epoch, which the record has as
    `samples_per_second`.

    Example:
        >>> import cantik as C
        >>> speed = C.train.Throughput()
    """

    def __init__(self) -> None:
        super().__init__()


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
