"""What a training begins with: the task and the data that fit each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _cantik
from .._seeds import new_seed
from ..ops import input_variable
from .columns import Column
from .kept import keep, known_classes, known_columns
from .labels import weights_of
from .models import Model
from .prediction import metrics_of
from .tables import feature_columns, features_and_labels, is_source, size_of
from .task import Task, by_output, names_of
from .training_data import Arrays, Source, input_streams, split, streams_for


class Given(NamedTuple):
    """What `fit` was given, as it was given."""

    data: Any
    labels: Any
    loss: Any
    metrics: Any
    classes: Any
    class_weight: Any
    sample_weight: Any
    loss_weights: Any
    validation_data: Any
    validation_split: Any
    training_metrics: bool


class Prepared(NamedTuple):
    """What a training begins with."""

    task: Task
    training: Arrays | Source
    validation: Arrays | Source | None
    metrics: list[dict[str, Any]]  # of each output functions by their names


def prepared(model: Any, given: Given, order: np.random.Generator | None) -> Prepared:
    """The task and its data. A layer learns sizes from data that fit in all, and from no others.

    Args:
        model, given: as for `fit`
        order: draws the order of an epoch; None for the order of the data
    """
    layer = Model(model)
    if layer.has_open_sizes:
        seeds = _cantik.seed_source()
        try:
            _prepared(layer.copy(), given, None)
        finally:
            _cantik.set_seed_source(seeds)
    return _prepared(model, given, order)


def _prepared(model, given, order):
    if is_source(given.data):
        if not (given.validation_split is given.class_weight is given.sample_weight is None):
            raise ValueError(
                'validation_split, class_weight and sample_weight are for arrays, and data is a source'
            )
        again = given.training_metrics and given.metrics is not None and given.metrics != ()
        task, training = of_source(
            model, given.data, given.labels, given.loss, given.metrics, given.loss_weights, again
        )
        validation = None
    else:
        task, training, validation = _of_arrays(model, given, order)
    if given.validation_data is not None:
        validation = validation_for(task, given.validation_data, given.labels)
    return Prepared(task, training, validation, metrics_of(task, given.metrics))


def _of_arrays(model, given, order):
    """The task, the data to train on, and those that are kept to validate with."""
    model = Model(model)
    features, labels = features_and_labels(given.data, given.labels)
    columns = feature_columns(features, model.inputs, known_columns(model.network))
    network, inputs = model.on(columns)
    if len(network.outputs) == 1:
        size_of([*columns, Column(labels, 'labels')])
    task = Task(network, inputs, given.loss, given.metrics)
    task.name_classes(known_classes(model.network) if given.classes is None else given.classes)
    columns = [column.for_input(v) for column, v in zip(columns, inputs)]
    named = [column for column in columns if column.joined]
    targets = task.label_columns(labels)
    columns += targets
    inputs = [*inputs, *task.labels]
    validation = None
    task.make_loss(given.loss_weights)
    weight = _weights(task, targets, size_of(columns), given.class_weight, given.sample_weight)
    if weight is not None:
        task.weigh()
        inputs.append(task.weight)
        columns = [*columns, Column(weight, 'sample_weight').for_input(task.weight)]
    if given.validation_split is not None:
        rows, others = split(size_of(columns), given.validation_split, order)
        count = len(task.inputs) + len(task.labels)
        validation = Arrays(inputs[:count], _taken(columns[:count], others))
        columns = _taken(columns, rows)
    for trained in (model.network, network):
        if trained is not None:
            keep(trained, named, task.classes)
    return task, Arrays(inputs, columns, None if order is None else new_seed()), validation


def _taken(columns, rows):
    """The columns of some samples."""
    return [column.taken(rows) for column in columns]


def _weights(task, targets, n, class_weight, sample_weight):
    """The weight of each sample, or of each step of the sequences; None where all are 1."""
    if class_weight is None and sample_weight is None:
        return None
    lengths = [len(item) for item in targets[0].data] if task.counts_steps else None
    weights = np.ones(n if lengths is None else sum(lengths), np.float32)
    if sample_weight is not None:
        weights = _given_weights(sample_weight, n, lengths)
    if class_weight is not None:
        if len(targets) > 1:
            raise ValueError('class_weight is for models of one output: give sample_weight')
        classes, column = task.heads[0].classes, targets[0]
        if classes is None or classes.places:
            raise ValueError('class_weight is for labels that are classes, one for each sample or step')
        if isinstance(column.data, list):
            column = Column(np.concatenate(column.data), column.what)
        weights = weights * weights_of(column, classes, class_weight)
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise ValueError('weights of samples must be finite and at least 0')
    return weights if lengths is None else np.split(weights, np.cumsum(lengths)[:-1])


def _given_weights(given, n, lengths):
    """The user's weights of samples, or of all steps side by side; a sequence's own is that of its steps."""
    column = Column(given, 'sample_weight').numbers(np.float32)
    if isinstance(column.data, np.ndarray) and column.data.shape in ((n,), (n, 1)):
        weights = column.data.reshape(n).copy()
        return weights if lengths is None else np.repeat(weights, lengths)
    if lengths is None:
        found = [len(item) for item in column.data] if isinstance(column.data, list) else column.data.shape
        raise ValueError(f'sample_weight must have the shape ({n},), not {found}')
    steps = [np.reshape(item, -1) for item in column.data]
    if [len(item) for item in steps] != lengths:
        raise ValueError(
            'sample_weight does not fit the labels: it must have a weight for each sequence, or for each of '
            'its steps'
        )
    return np.concatenate(steps)


def of_source(
    model: Any, source: Any, labels: Any, loss: Any, metrics: Any, loss_weights: Any, again: bool
) -> tuple[Task, Source]:
    """The task, and the source with its streams."""
    model = Model(model)
    network, inputs = model.network, model.inputs
    if model.is_open:
        streams = input_streams(source, inputs, _names_in(labels))
        inputs = [_input_for(info) for info in streams]
        network = model.of(inputs)
    streams, targets = streams_for(source, inputs, _label_streams(network, labels))
    made = [_input_for(t, output.dynamic_axes) for t, output in zip(targets, network.outputs)]
    task = Task(network, inputs, loss, metrics, made)
    _name_classes(task, targets, getattr(source, 'class_names', {}))
    task.make_loss(loss_weights)
    return task, Source(source, dict(zip([*inputs, *task.labels], [*streams, *targets])), again)


def _name_classes(task, targets, names):
    """Classes have the names that the source has for them."""
    for head, target in zip(task.heads, targets):
        found = names.get(target.name)
        if head.classes is not None and found and len(found) == max(head.classes.count, 2):
            head.classes.names = found


def _names_in(labels):
    """The names of streams that are said to be labels."""
    parts = labels.values() if isinstance(labels, dict) else labels
    parts = [parts] if isinstance(parts, str) else parts or ()
    return [part for part in parts if isinstance(part, str)]


def _label_streams(model, labels):
    """The name of the stream of each label; None where it is not said."""
    if len(model.outputs) == 1:
        return [labels]
    names = names_of(model)
    return names if labels is None else by_output(labels, names, 'labels')


def _input_for(info, dynamic_axes=None):
    """An input for a stream."""
    axes = {} if dynamic_axes is None else {'dynamic_axes': dynamic_axes}
    return input_variable(
        tuple(info.sample_shape), is_sparse=info.storage_format == 'sparse', name=info.name, **axes
    )


def validation_for(task: Task, data: Any, labels: Any) -> Arrays | Source:
    """Data to validate with, as those to train on are."""
    what = 'validation_data'
    if is_source(data):
        single = len(task.labels) == 1
        named = labels if isinstance(labels, str) or (not single and _are_names(labels)) else None
        streams, targets = streams_for(data, task.inputs, _label_streams(task.model, named))
        return Source(data, dict(zip([*task.inputs, *task.labels], [*streams, *targets])))
    name = labels if isinstance(labels, str) else None
    features, given = features_and_labels(data, None if isinstance(data, tuple) else name, what)
    columns = feature_columns(features, task.inputs, known_columns(task.model), what)
    columns = [column.for_input(v) for column, v in zip(columns, task.inputs)]
    columns += task.label_columns(given, f'the labels of {what}')
    size_of(columns)
    return Arrays([*task.inputs, *task.labels], columns)


def _are_names(labels):
    parts = list(labels.values()) if isinstance(labels, dict) else labels
    return isinstance(parts, (list, tuple)) and all(isinstance(part, str) for part in parts)
