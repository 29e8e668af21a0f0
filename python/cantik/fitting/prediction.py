"""Outputs and metrics of a network over data of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import listed, text, whole
from ..io.columns import is_csr
from ..variables import Record
from .metrics import measured, metrics_named
from .tables import feature_columns, features_and_labels, size_of
from .task import Task, as_network, inputs_of, on_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..variables import Variable
    from .columns import Column


def feeds_of(inputs: Sequence[Variable], columns: list[Column], size: int) -> Iterator[dict[Variable, Any]]:
    """The data of each part of so many samples, by input."""
    n = size_of(columns)
    for begin in range(0, n, size):
        end = min(begin + size, n)
        yield {v: column.part(begin, end) for v, column in zip(inputs, columns)}


def joined_rows(parts: list[Any]) -> Any:
    """Results of several runs as one: an array, or a list where the results are sequences."""
    if any(isinstance(part, list) for part in parts):
        return [item for part in parts for item in part]
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


def predict(model: Any, data: Any, batch_size: int = 256) -> Any:
    """The outputs of a network for all samples, in their order.

    Args:
        model (Function): a network, or a layer that was trained by `fit`
        data: an array, a CSR matrix, a data frame, a dictionary of arrays, or a list of sequences
        batch_size (int): how many samples at a time

    Returns:
        an array [n, ...]; a list of arrays where the outputs are sequences

    Raises:
        ValueError: data that do not fit the inputs

    Example:
        >>> import cantik as C, numpy as np
        >>> z = C.layers.Dense(1, init=1, init_bias=0.5)(C.input_variable(2))
        >>> C.predict(z, np.ones((2, 2), np.float32))
        array([[2.5],
               [2.5]], dtype=float32)
    """
    batch_size = whole(batch_size, 'batch_size', 1)
    model = as_network(model)
    columns = feature_columns(data, inputs_of(model))
    size_of(columns)
    model = on_columns(model, columns)
    inputs = list(model.arguments)
    columns = [column.for_input(v) for column, v in zip(columns, inputs)]
    return joined_rows([model.eval(feeds) for feeds in feeds_of(inputs, columns, batch_size)])


def evaluation(task: Task, minibatches: Iterable[dict[Any, Any]]) -> tuple[float, Any, Any]:
    """The mean loss over minibatches, their labels, and the outputs for them."""
    both, output, loss = task.evaluated(), task.model.output, task.loss.output
    outputs, labels, total, count = [], [], 0.0, 0
    for feeds in minibatches:
        values = both.eval({v: feeds[v] for v in both.arguments})
        losses = values[loss] if isinstance(values[loss], list) else [values[loss]]
        total += sum(float(np.sum(part, dtype=np.float64)) for part in losses)
        count += sum(len(part) for part in losses)
        outputs.append(values[output])
        labels.append(_numbers(feeds[task.label], task.label))
    return total / count, joined_rows(labels), joined_rows(outputs)


def _numbers(data, variable):
    """Labels as arrays; a source brings them as a Value."""
    if not hasattr(data, 'asarray'):
        return data.toarray() if is_csr(data) else data
    if any(axis.is_sequence_axis for axis in variable.dynamic_axes):
        return [item.toarray() if is_csr(item) else item for item in data.as_sequences(variable)]
    data = data.asarray()
    parts = [
        part.toarray() if is_csr(part) else part for part in (data if isinstance(data, list) else [data])
    ]
    return np.concatenate(parts).reshape((-1, *variable.shape))


def record_of(
    task: Task, minibatches: Iterable[dict[Any, Any]], metrics: dict[str, Any], prefix: str = ''
) -> dict[str, float]:
    """The loss and the metrics over minibatches."""
    loss, labels, outputs = evaluation(task, minibatches)
    if isinstance(outputs, list):  # each step counts as a sample
        labels, outputs = np.concatenate(labels), np.concatenate(outputs)
    found = {'loss': loss, **measured(metrics, labels, outputs, task.classes is not None)}
    return {prefix + name: value for name, value in found.items()}


def score(
    model: Any,
    data: Any,
    labels: Any = None,
    *,
    loss: Any,
    metrics: Any = (),
    classes: Sequence[str] | None = None,
    batch_size: int = 256,
) -> Record:
    """The loss and metrics of a network over data.

    Args:
        model (Function): a network, or a layer that was trained by `fit`
        data, labels: as for `fit`
        loss, metrics: as for `fit`
        classes (list): names of the classes in the order of the outputs, as `history.classes` has them
        batch_size (int): how many samples at a time

    Returns:
        a record of `loss` and the metrics

    Raises:
        ValueError: data or labels that do not fit the network

    Example:
        >>> import cantik as C, numpy as np
        >>> z = C.layers.Dense(1, init=1, init_bias=0.5)(C.input_variable(2))
        >>> C.score(z, np.ones((2, 2)), [2.0, 3.0], loss='mse', metrics=['mae', 'r2'])
        {'loss': 0.25, 'mae': 0.5, 'r2': 0.0}
    """
    batch_size = whole(batch_size, 'batch_size', 1)
    model = as_network(model)
    features, labels = features_and_labels(data, labels)
    columns = feature_columns(features, inputs_of(model))
    model = on_columns(model, columns)
    task = Task(model, loss)
    given = [] if classes is None else listed(classes, 'classes')
    if given and task.classes is not None:
        task.classes.names = [text(name, 'the name of a class') for name in given]
    columns = [column.for_input(v) for column, v in zip(columns, task.inputs)]
    columns.append(task.label_column(labels))
    size_of(columns)
    task.make_loss(weighted=False)
    found = metrics_named(metrics, task.classes is not None)
    return Record(**record_of(task, feeds_of([*task.inputs, task.label], columns, batch_size), found))
