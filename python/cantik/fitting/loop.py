"""fit: a whole training in one call."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import flag, text, whole
from .._seeds import Shared
from ..logging import ProgressBar
from ..train._sources import Reading
from ..train.callbacks import EarlyStopping
from ..train.interrupts import KeyboardInterrupts
from ..train.loops import partitioned
from ..train.trainer import Trainer
from ..train.training_session import (
    CheckpointConfig,
    CrossValidationConfig,
    DataUnit,
    TestConfig,
    minibatch_size_schedule,
)
from .epochs import Epochs, Measurement
from .history import History
from .metrics import SMALLER_IS_BETTER
from .optimizers import check_learner, learner_of
from .preparation import Given, prepared
from .seeds import seeded
from .training_data import Arrays, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..variables import Record

_MEASURED_AT_ONCE = 256  # samples of a run without training


def fit(
    model: Any,
    data: Any,
    labels: Any = None,
    *,
    loss: Any,
    metrics: Any = (),
    learner: Any = 'adam',
    rate: float | Callable[[int], float] | None = None,
    epochs: int = 10,
    batch_size: int = 32,
    shuffle: bool = True,
    validation_data: Any = None,
    validation_split: float | None = None,
    patience: int | None = None,
    monitor: str | None = None,
    callbacks: Callable[[Record], Any] | Sequence[Any] = (),
    class_weight: Any = None,
    sample_weight: Any = None,
    loss_weights: Any = None,
    classes: Any = None,
    seed: int | None = None,
    training_metrics: bool = True,
    progress: bool = True,
) -> History:
    """Trains a network, and tells what happened epoch by epoch.

    The loss of a minibatch is the mean over its samples, and so is the gradient that learners get. The loss
    of an epoch is the mean over the minibatches as they were trained; metrics are measured when the epoch is
    over, without dropout.

    Args:
        model (Function): a network; or a layer, or a function of variables, that gets inputs as the data are
        data: the samples, or a pair (samples, labels). Samples are an array [n, ...], a CSR matrix, a data
            frame, a list of sequences [steps, ...], or a dictionary from inputs or their names to arrays. Or
            a source of minibatches
        labels: numbers or names of classes [n] or [n, 1], one-hot rows [n, classes], or targets of a
            regression; the name of a column of a table, or of a stream of a source
        loss: 'cross_entropy', 'focal' and 'binary_cross_entropy', of scores; 'mse', 'mae', 'huber'; or a
            function of (output, label) that gives a value for each sample. Of a model of several outputs one
            for all of them, a list, or a dictionary by their names, as labels and metrics are; the loss is
            their sum
        metrics: one or several of 'accuracy', 'top_5_accuracy', 'precision', 'recall', 'f1', 'auc', 'mse',
            'mae', 'r2'; or functions of (labels, outputs) as arrays
        learner: 'sgd', 'momentum_sgd', 'nesterov', 'adam', 'adamw', 'rmsprop' or 'adagrad'; a Learner; or a
            function of the parameters that makes one
        rate: the learning rate, or a function of the epoch's number, 1 for the first; by default 0.001 for
            'adam' and 'adamw', 0.01 for the others
        epochs (int): how many sweeps over the data
        batch_size (int): samples of a minibatch; of sequences the steps are counted
        shuffle (bool): the order of samples is drawn anew for each epoch. A source has its own order
        validation_data: as data
        validation_split (float): the share of the samples to validate with; drawn, or with shuffle=False the
            last ones
        patience (int): the training ends after so many epochs without a better one, and the model has the
            parameters of the best one
        monitor (str): what is to get better: by default 'val_loss', or 'loss' without validation data
        callbacks: functions that are called with the record of each epoch, where False ends the training;
            progress writers, Callbacks of `cantik.train`, a CheckpointConfig
        class_weight: weights of classes by number or name, or 'balanced'
        sample_weight: weights of samples [n], or of the steps of sequences, a list of [steps]; losses are
            multiplied by them
        loss_weights: weights of the losses of several outputs, a list or a dictionary
        classes (list): the names of all classes in the order of the outputs, where labels are names and not
            all of them are among the data; a network that was trained before knows its own. Of several
            outputs a dictionary
        seed (int): makes the training repeatable: the first values of a layer that was not used before,
            dropout and the order of samples follow from it
        training_metrics (bool): whether metrics are measured on the training data too
        progress (bool): a progress bar on terminals and in notebooks

    Returns:
        History, with the trained network as `model`

    Raises:
        ValueError: data that do not fit the model, names that are not there

    Example:
        >>> import cantik as C, numpy as np
        >>> X = np.random.RandomState(0).randn(200, 2)
        >>> y = np.where(X[:, 0] > X[:, 1], 'left', 'right')
        >>> model = C.layers.Sequential([C.layers.Dense(16, C.tanh), C.layers.Dense(2)])
        >>> history = C.fit(model, (X, y), loss='cross_entropy', metrics='accuracy', rate=0.05, seed=1)
        >>> history[-1].accuracy > 0.9
        True
    """
    epochs = whole(epochs, 'epochs', 1, 2**31 - 1)
    batch_size = whole(batch_size, 'batch_size', 1, 2**31 - 1)
    shuffle = flag(shuffle, 'shuffle')
    training_metrics, progress = flag(training_metrics, 'training_metrics'), flag(progress, 'progress')
    given = [callbacks] if callable(callbacks) or isinstance(callbacks, _cantik.Callback) else callbacks
    writers, configs, given = partitioned(given)
    for kind in (CrossValidationConfig, TestConfig):
        if kind in configs:
            raise ValueError(f'fit takes validation_data, not a {kind.__name__}')
    if validation_data is not None and validation_split is not None:
        raise ValueError('validation_data and validation_split are mutually exclusive')
    check_learner(learner, rate)
    stopping = _stopping(patience, monitor, not (validation_data is validation_split is None))
    wanted = Given(
        data, labels, loss, metrics, classes, class_weight, sample_weight, loss_weights, validation_data,
        validation_split, training_metrics,
    )  # fmt: skip
    with seeded(seed):
        begun = prepared(model, wanted, Shared.generator if shuffle else None)
        if seed is not None:
            _cantik.draw_seeds(begun.task.trained)
        made = learner_of(learner, begun.task.model.parameters, rate)
        if progress and isinstance(begun.training, Arrays):
            writers.append(ProgressBar(begun.training.size, epochs))
        measurement = _measurement(begun, batch_size, training_metrics)
        history = History([], begun.task.model, begun.task.classes)
        size = begun.training.size if isinstance(begun.training, Arrays) else None
        records = Epochs(history, epochs, made, rate, size)
        options = dict(
            minibatch_size=minibatch_size_schedule(batch_size),
            progress=(1, int(DataUnit.sweep)),
            callbacks=[
                measurement,
                *given,
                stopping or _cantik.Callback(),  # one of each: patience may come and go between trainings
                records,
            ],
        )
        if CheckpointConfig in configs:
            options['checkpoint'] = configs[CheckpointConfig].options()
        feed = begun.training.sweeps(epochs)
        trainer = Trainer(None, (begun.task.trained, None), [made], writers)
        session = _cantik.TrainingSession(trainer, feed, options)
        with Reading(feed), KeyboardInterrupts(session, options.get('checkpoint') is not None):
            session.train()
    if records.trained == 0 and len(history):
        warnings.warn(
            f'nothing was trained: the training of the checkpoint has ended after {len(history)} epochs, and '
            'the network is as it was then; for more of them give more epochs, to train on these data name '
            'another file, or CheckpointConfig(restore=False)',
            RuntimeWarning,
            stacklevel=2,
        )
    if len(history) < epochs and not session.is_ended:
        raise ValueError(
            f'the source came to its end before epoch {len(history) + 1}\n'
            '  remedy   make it with as many sweeps as there are epochs, or with max_sweeps=INFINITELY_REPEAT'
        )
    if stopping is not None:
        history.best_epoch = stopping.best_epoch
    return history


def _measurement(begun, batch_size, training_metrics):
    """What measures loss and metrics when an epoch is over."""
    measurement = Measurement(begun.task, begun.metrics)
    if any(begun.metrics) and training_metrics:
        # Of a source that repeats its data a sweep is known by its minibatches alone: they are those of the
        # training.
        at_once = batch_size if isinstance(begun.training, Source) else _MEASURED_AT_ONCE
        measurement.training = (begun.training, at_once)
    if begun.validation is not None:
        measurement.validation = (begun.validation, _MEASURED_AT_ONCE)
    return measurement


def _stopping(patience, monitor, validates):
    """What ends the training early, if the user wants it."""
    if patience is None:
        if monitor is not None:
            raise ValueError('monitor is for patience, which is not given')
        return None
    if monitor is None:
        monitor = 'val_loss' if validates else 'loss'
    name = text(monitor, 'monitor').removeprefix('val_')
    is_smaller = name in SMALLER_IS_BETTER or any(name.endswith('_' + kind) for kind in SMALLER_IS_BETTER)
    return EarlyStopping(monitor, patience, larger_is_better=not is_smaller)
