"""What a training begins with: the task and the data that fit each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._seeds import new_seed
from ..ops import input_variable
from .columns import Column
from .labels import weights_of
from .tables import feature_columns, features_and_labels, is_source, keep_columns, known_columns, size_of
from .task import Task, as_network, by_output, inputs_of, is_open, names_of, on_columns
from .training_data import Arrays, Source, split, streams_for


def of_arrays(
    model: Any,
    data: Any,
    labels: Any,
    loss: Any,
    metrics: Any,
    weights: tuple[Any, Any, Any],
    validation_split: Any,
    order: np.random.Generator | None,
) -> tuple[Task, Arrays, Arrays | None]:
    """The task, the data to train on, and those that are kept to validate with.

    Args:
        model, data, labels, loss, metrics, validation_split: as for `fit`
        weights: of classes, of samples, and of the losses of several outputs
        order: draws the order of an epoch; None for the order of the data
    """
    model = as_network(model)
    features, labels = features_and_labels(data, labels)
    columns = feature_columns(features, inputs_of(model), known_columns(model))
    if len(model.outputs) == 1:
        size_of([*columns, Column(labels, 'labels')])
    task = Task(on_columns(model, columns), loss, metrics)
    columns = [column.for_input(v) for column, v in zip(columns, task.inputs)]
    for trained in (model, task.model):
        keep_columns(trained, columns)
    targets = task.label_columns(labels)
    columns += targets
    inputs = [*task.inputs, *task.labels]
    validation = None
    task.make_loss(weights[2])
    weight = _weights(task, targets, size_of(columns), *weights[:2])
    if weight is not None:
        task.weigh()
        inputs.append(task.weight)
        columns = [*columns, Column(weight, 'sample_weight').for_input(task.weight)]
    if validation_split is not None:
        rows, others = split(size_of(columns), validation_split, order)
        count = len(task.inputs) + len(task.labels)
        validation = Arrays(inputs[:count], _taken(columns[:count], others))
        columns = _taken(columns, rows)
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
    model = as_network(model)
    streams, targets = streams_for(source, inputs_of(model), _label_streams(model, labels))
    if is_open(model):
        model = model(*[_input_for(info) for info in streams])
    inputs = list(model.arguments)
    made = [_input_for(t, output.dynamic_axes) for t, output in zip(targets, model.outputs)]
    task = Task(model, loss, metrics, made)
    _name_classes(task, targets, getattr(source, 'class_names', {}))
    task.make_loss(loss_weights)
    return task, Source(source, dict(zip([*inputs, *task.labels], [*streams, *targets])), again)


def _name_classes(task, targets, names):
    """Classes have the names that the source has for them."""
    for head, target in zip(task.heads, targets):
        found = names.get(target.name)
        if head.classes is not None and found and len(found) == max(head.classes.count, 2):
            head.classes.names = found


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
