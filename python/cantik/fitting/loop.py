"""fit: a whole training in one call."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import callable_object, flag, listed, whole
from ..learners import learning_parameter_schedule
from ..ops import input_variable
from ..train.loops import Collector
from ..train.trainer import Trainer
from ..train.training_session import minibatch_size_schedule, reading
from ..variables import Record
from .columns import Column
from .history import History
from .labels import weights_of
from .metrics import metrics_named
from .optimizers import learner_of, rate_at
from .prediction import record_of
from .seeds import generator_of
from .stopping import EarlyStopping
from .tables import feature_columns, features_and_labels, is_source, size_of
from .task import Task, as_network, inputs_of, is_open, on_columns
from .training_data import Arrays, Source, split, streams_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NEVER = 2**63 - 1
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
    callbacks: Callable[[Record], Any] | Sequence[Callable[[Record], Any]] = (),
    class_weight: Any = None,
    sample_weight: Any = None,
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
        labels: numbers or names of classes [n] or [n, 1], one-hot rows [n, classes], or numbers to be met;
            the name of a column of a table, or of a stream of a source
        loss: 'cross_entropy' and 'binary_cross_entropy', of scores; 'mse', 'mae', 'huber'; or a function of
            (output, label) that gives a value for each sample
        metrics: one or several of 'accuracy', 'top_5_accuracy', 'precision', 'recall', 'f1', 'auc', 'mse',
            'mae', 'r2'; or functions of (labels, outputs) as arrays
        learner: 'sgd', 'momentum_sgd', 'nesterov', 'adam' or 'adamw'; a Learner; or a function of the
            parameters that makes one
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
        callbacks: functions that are called with the record of each epoch; False ends the training
        class_weight: weights of classes by number or name, or 'balanced'
        sample_weight: weights of samples [n]; losses are multiplied by them
        seed (int): makes the training repeatable, see set_seed
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
    epochs, batch_size = whole(epochs, 'epochs', 1), whole(batch_size, 'batch_size', 1)
    shuffle = flag(shuffle, 'shuffle')
    training_metrics, progress = flag(training_metrics, 'training_metrics'), flag(progress, 'progress')
    callbacks = [callbacks] if callable(callbacks) else listed(callbacks, 'callbacks')
    callbacks = [callable_object(callback, 'a callback') for callback in callbacks]
    if validation_data is not None and validation_split is not None:
        raise ValueError('validation_data and validation_split are mutually exclusive')
    generator = generator_of(seed)
    order = generator if shuffle else None
    if is_source(data):
        if validation_split is not None or class_weight is not None or sample_weight is not None:
            raise ValueError(
                'validation_split, class_weight and sample_weight are for arrays, and data is a source'
            )
        again = training_metrics and metrics is not None and metrics != ()
        task, training = _of_source(model, data, labels, loss, again)
        validation = None
    else:
        task, columns = _of_arrays(model, data, labels, loss)
        weights = _weights(task, columns, class_weight, sample_weight)
        task.make_loss(weighted=weights is not None)
        rows = None
        validation = None
        inputs = [*task.inputs, task.label]
        if validation_split is not None:
            rows, others = split(size_of(columns), validation_split, order)
            validation = Arrays(inputs, columns, None, others)
        if weights is not None:
            inputs, columns = (
                [*inputs, task.weight],
                [
                    *columns,
                    Column(weights, 'sample_weight').for_input(task.weight),
                ],
            )
        training = Arrays(inputs, columns, order, rows)
    if validation_data is not None:
        validation = _validation(task, validation_data, labels)
    found = metrics_named(metrics, task.classes is not None)
    made = learner_of(learner, task.model.parameters, rate)
    stopping = None
    if patience is not None:
        usual = 'loss' if validation is None else 'val_loss'
        stopping = EarlyStopping(task.model, usual if monitor is None else monitor, patience)
    elif monitor is not None:
        raise ValueError('monitor is for patience, which is not given')

    collector = Collector(_NEVER)
    writers = [collector]
    if progress and isinstance(training, Arrays):
        writers.append(_cantik.ProgressBar(training.size, epochs))
    trainer = Trainer(None, (task.trained, None), [made], writers)
    # Of a source that repeats its data a sweep is known by its minibatches alone: they are those of the
    # training.
    at_once = batch_size if isinstance(training, Source) else _MEASURED_AT_ONCE
    history = History([], task.model, task.classes.names if task.classes else None)
    for epoch in range(1, epochs + 1):
        begin = time.perf_counter()
        if callable(rate):
            made.reset_learning_rate(learning_parameter_schedule(rate_at(rate, epoch)))
        used = made.learning_rate()
        record = {'epoch': epoch, 'loss': _train_epoch(trainer, training, batch_size, epoch, collector)}
        if found and training_metrics:
            measured = record_of(task, training.minibatches(at_once), found)
            record.update({name: value for name, value in measured.items() if name != 'loss'})
        if validation is not None:
            record.update(record_of(task, validation.minibatches(_MEASURED_AT_ONCE), found, 'val_'))
        record.update(rate=used, seconds=time.perf_counter() - begin)
        history.epochs.append(Record(**record))
        goes_on = [callback(history[-1]) is not False for callback in callbacks]
        if not all(goes_on) or (stopping is not None and not stopping.goes_on(history[-1])):
            break
    if stopping is not None:
        stopping.restore()
        history.best_epoch = stopping.best_epoch
    return history


def _train_epoch(trainer, training, batch_size, epoch, collector):
    """One sweep; the mean loss."""
    source = training.sweep()
    options = {'minibatch_size': minibatch_size_schedule(batch_size), 'progress': (0, 1)}
    learner = trainer.parameter_learners[0]
    before = learner.total_number_of_sweeps_seen()
    if isinstance(training, Source):

        def in_sweep():
            return learner.total_number_of_sweeps_seen() == before

        options['hooks'] = {'on_minibatch_end': in_sweep}
    told = len(collector.epochs)
    with reading(source):
        _cantik.TrainingSession(trainer, source, options).train()
    if len(collector.epochs) == told or not collector.epochs[-1].samples:
        raise ValueError(
            f'the source came to its end before epoch {epoch}\n'
            '  remedy   make it with as many sweeps as there are epochs, or with max_sweeps=INFINITELY_REPEAT'
        )
    return collector.epochs[-1].loss


def _of_arrays(model, data, labels, loss):
    """The task, and a column for each input and for the label."""
    model = as_network(model)
    features, labels = features_and_labels(data, labels)
    columns = feature_columns(features, inputs_of(model))
    size_of([*columns, Column(labels, 'labels')])
    task = Task(on_columns(model, columns), loss)
    columns = [column.for_input(v) for column, v in zip(columns, task.inputs)]
    columns.append(task.label_column(labels))
    return task, columns


def _weights(task, columns, class_weight, sample_weight):
    """The weight of each sample; None where all are 1."""
    if class_weight is None and sample_weight is None:
        return None
    n = size_of(columns)
    weights = np.ones(n, np.float32)
    if sample_weight is not None:
        given = Column(sample_weight, 'sample_weight').numbers(np.float32)
        if given.data.shape not in ((n,), (n, 1)):
            raise ValueError(f'sample_weight must have the shape ({n},), not {given.data.shape}')
        weights = given.data.reshape(n).copy()
    if class_weight is not None:
        if task.classes is None:
            raise ValueError('class_weight is for labels that are classes')
        if isinstance(columns[-1].data, list):
            raise NotImplementedError('class_weight is for one label a sample')
        weights *= weights_of(columns[-1], task.classes, class_weight)
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise ValueError('weights of samples must be finite and at least 0')
    return weights


def _of_source(model, source, labels, loss, again):
    """The task, and the source with its streams."""
    model = as_network(model)
    streams, target = streams_for(source, inputs_of(model), labels)
    if is_open(model):
        model = model(*[_input_for(info) for info in streams])
    inputs = list(model.arguments)
    task = Task(model, loss, _input_for(target, model.output.dynamic_axes))
    task.make_loss(weighted=False)
    return task, Source(source, dict(zip([*inputs, task.label], [*streams, target])), again)


def _input_for(info, dynamic_axes=None):
    """An input for a stream."""
    axes = {} if dynamic_axes is None else {'dynamic_axes': dynamic_axes}
    return input_variable(
        tuple(info.sample_shape), is_sparse=info.storage_format == 'sparse', name=info.name, **axes
    )


def _validation(task, data, labels):
    """Data to validate with, as those to train on are."""
    what = 'validation_data'
    if is_source(data):
        streams, target = streams_for(data, task.inputs, labels if isinstance(labels, str) else None)
        return Source(data, dict(zip([*task.inputs, task.label], [*streams, target])))
    name = labels if isinstance(labels, str) else None
    features, given = features_and_labels(data, None if isinstance(data, tuple) else name, what)
    columns = feature_columns(features, task.inputs, what)
    columns = [column.for_input(v) for column, v in zip(columns, task.inputs)]
    columns.append(task.label_column(given, f'the labels of {what}'))
    size_of(columns)
    return Arrays([*task.inputs, task.label], columns)
