"""What a training begins with: the task and the data that fit each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._seeds import new_seed
from ..ops import input_variable
from .columns import Column
from .labels import weights_of
from .tables import feature_columns, features_and_labels, is_source, size_of
from .task import Task, as_network, inputs_of, is_open, on_columns
from .training_data import Arrays, Source, split, streams_for


def of_arrays(
    model: Any,
    data: Any,
    labels: Any,
    loss: Any,
    weights: tuple[Any, Any],
    validation_split: Any,
    order: np.random.Generator | None,
) -> tuple[Task, Arrays, Arrays | None]:
    """The task, the data to train on, and those that are kept to validate with.

    Args:
        model, data, labels, loss, validation_split: as for `fit`
        weights: of classes, and of samples
        order: draws the order of an epoch; None for the order of the data
    """
    model = as_network(model)
    features, labels = features_and_labels(data, labels)
    columns = feature_columns(features, inputs_of(model))
    size_of([*columns, Column(labels, 'labels')])
    task = Task(on_columns(model, columns), loss)
    columns = [column.for_input(v) for column, v in zip(columns, task.inputs)]
    columns.append(task.label_column(labels))
    inputs = [*task.inputs, task.label]
    validation = None
    weight = _weights(task, columns, *weights)
    task.make_loss(weighted=weight is not None)
    if weight is not None:
        inputs.append(task.weight)
        columns = [*columns, Column(weight, 'sample_weight').for_input(task.weight)]
    if validation_split is not None:
        rows, others = split(size_of(columns), validation_split, order)
        count = len(task.inputs) + 1
        validation = Arrays(inputs[:count], _taken(columns[:count], others))
        columns = _taken(columns, rows)
    return task, Arrays(inputs, columns, None if order is None else new_seed()), validation


def _taken(columns, rows):
    """The columns of some samples."""
    return [column.taken(rows) for column in columns]


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


def of_source(model: Any, source: Any, labels: Any, loss: Any, again: bool) -> tuple[Task, Source]:
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


def validation_for(task: Task, data: Any, labels: Any) -> Arrays | Source:
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
