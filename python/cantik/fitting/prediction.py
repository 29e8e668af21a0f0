"""Outputs and metrics of a network over data of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import whole
from ..io.columns import is_csr
from ..variables import Record
from .kept import known_classes, known_columns
from .metrics import measured, metrics_named
from .models import Model
from .tables import feature_columns, features_and_labels, size_of
from .task import Task, metrics_by_output, names_of

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
        model (Function): a network, or a layer that was trained by `fit`; of a Python function that makes
            layers the network is `history.model`
        data: an array, a CSR matrix, a data frame, a dictionary of arrays, or a list of sequences
        batch_size (int): how many samples at a time

    Returns:
        an array [n, ...]; a list of arrays where the outputs are sequences; of several outputs a dictionary
        of such by their names

    Raises:
        ValueError: data that do not fit the inputs; a table with other columns than the network was trained
            with (their order does not matter)

    Example:
        >>> import cantik as C, numpy as np
        >>> z = C.layers.Dense(1, init=1, init_bias=0.5)(C.input_variable(2))
        >>> C.predict(z, np.ones((2, 2), np.float32))
        array([[2.5],
               [2.5]], dtype=float32)
    """
    batch_size = whole(batch_size, 'batch_size', 1, 2**31 - 1)
    given = Model(model)
    columns = feature_columns(data, given.inputs, known_columns(given.network))
    size_of(columns)
    network, inputs = given.trained_on(columns)
    columns = [column.for_input(v) for column, v in zip(columns, inputs)]
    parts = [network.eval(feeds) for feeds in feeds_of(inputs, columns, batch_size)]
    if len(network.outputs) == 1:
        return joined_rows(parts)
    return {
        name: joined_rows([part[output] for part in parts])
        for name, output in zip(names_of(network), network.outputs)
    }


class _Sum:
    """The mean of a loss over minibatches."""

    def __init__(self):
        self.total, self.count = 0.0, 0

    def add(self, losses: Any) -> None:
        """The losses of a minibatch, an array or one for each sequence."""
        parts = losses if isinstance(losses, list) else [losses]
        self.total += sum(float(np.sum(part, dtype=np.float64)) for part in parts)
        self.count += sum(len(part) for part in parts)

    def mean(self) -> float:
        return self.total / self.count


def evaluation(
    task: Task, minibatches: Iterable[dict[Any, Any]]
) -> tuple[float, list[tuple[float, Any, Any]]]:
    """The mean loss over minibatches; of each output the mean of its own, its labels, and what it gives."""
    run, heads = task.evaluated(), task.heads
    losses = [_Sum() for _ in heads]
    outputs, labels = [[] for _ in heads], [[] for _ in heads]
    for feeds in minibatches:
        values = run.eval({v: feeds[v] for v in run.arguments})
        for k, head in enumerate(heads):
            losses[k].add(values[head.loss.output])
            outputs[k].append(values[head.model.output])
            labels[k].append(_numbers(feeds[head.label], head.label))
    means = [one.mean() for one in losses]
    found = [(means[k], joined_rows(labels[k]), joined_rows(outputs[k])) for k in range(len(heads))]
    return task.mean_loss(means), found


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
    task: Task, minibatches: Iterable[dict[Any, Any]], metrics: list[dict[str, Any]], prefix: str = ''
) -> dict[str, float]:
    """The loss and the metrics over minibatches; of several outputs also the losses, all by their names."""
    loss, of_heads = evaluation(task, minibatches)
    record = {'loss': loss}
    for head, named, (own, labels, outputs) in zip(task.heads, metrics, of_heads):
        if isinstance(outputs, list):  # each step counts as a sample
            labels, outputs = np.concatenate(labels), np.concatenate(outputs)
        if head.name:
            record[head.name + '_loss'] = own
        found = measured(named, labels, outputs, head.classes is not None)
        record.update({(head.name + '_' if head.name else '') + name: value for name, value in found.items()})
    return {prefix + name: value for name, value in record.items()}


def metrics_of(task: Task, given: Any) -> list[dict[str, Any]]:
    """The metrics of each output, as `fit` takes them."""
    if len(task.heads) == 1:
        return [metrics_named(given, task.heads[0].kind)]
    parts = metrics_by_output(given, task.names)
    return [metrics_named(part, head.kind) for head, part in zip(task.heads, parts)]


def score(
    model: Any,
    data: Any,
    labels: Any = None,
    *,
    loss: Any,
    metrics: Any = (),
    classes: Any = None,
    batch_size: int = 256,
    loss_weights: Any = None,
) -> Record:
    """The loss and metrics of a network over data.

    Args:
        model (Function): a network, or a layer that was trained by `fit`; of a Python function that makes
            layers the network is `history.model`
        data, labels: as for `fit`
        loss, metrics, loss_weights: as for `fit`
        classes (list): names of the classes in the order of the outputs, as `history.classes` has them; a
            network that was trained by `fit` knows its own
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
    batch_size = whole(batch_size, 'batch_size', 1, 2**31 - 1)
    given = Model(model)
    features, labels = features_and_labels(data, labels)
    columns = feature_columns(features, given.inputs, known_columns(given.network))
    task = Task(*given.trained_on(columns), loss, metrics)
    task.name_classes(known_classes(given.network) if classes is None else classes)
    columns = [column.for_input(v) for column, v in zip(columns, task.inputs)]
    columns += task.label_columns(labels)
    size_of(columns)
    task.make_loss(loss_weights)
    found = metrics_of(task, metrics)
    return Record(**record_of(task, feeds_of([*task.inputs, *task.labels], columns, batch_size), found))
