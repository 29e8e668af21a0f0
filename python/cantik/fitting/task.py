"""What a training is made of: the network on its inputs, its labels, its losses."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import dictionary, number, refused
from ..axis import Axis
from ..ops import combine, element_times, input_variable, one_hot, plus, reduce_mean, reduce_sum, sequence
from .columns import Column
from .labels import Classes
from .losses import OF_CLASSES, check_batch, check_end, checked_loss, loss_named
from .metrics import are_of_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ops.functions import Function
    from ..variables import Variable


class Head:
    """An output of a network, its label and its loss.

    Args:
        model (Function): the network with this output alone
        root (Function): what the output is made by
        loss: a name, or a function of (output, label)
        label (Variable): an input for the label that a source brings; None for one that suits the data
        name (str): of the output; empty where there is no other
        metrics: of the output, as `fit` takes them: they tell whether a function's labels are classes
    """

    def __init__(
        self, model: Function, root: Function, loss: Any, label: Variable | None, name: str, metrics: Any
    ):
        self.model, self.name = model, name
        self.loss_name, self._make_loss = loss_named(loss)
        check_batch(model)
        check_end(root, self.loss_name)
        shape = tuple(model.output.shape)
        self.classes = None
        # [classes, rows, columns]: a class for each pixel
        self.places = shape[1:] if self.loss_name == 'cross_entropy' and len(shape) == 3 else ()
        if self.loss_name in OF_CLASSES:
            if len(shape) - len(self.places) != 1 or shape[0] < 2:
                raise ValueError(
                    f"the loss '{self.loss_name}' is for models of at least two outputs, one for each class\n"
                    f'  got      the shape {shape}\n'
                    "  remedy   loss='binary_cross_entropy' for one output and two classes"
                )
            self.classes = Classes(shape[0], self.places)
        elif self.loss_name is None and len(shape) == 1 and shape[0] > 1 and are_of_classes(metrics):
            self.classes = Classes(shape[0])
        elif self.loss_name == 'binary_cross_entropy' and int(np.prod(shape)) == 1:
            self.classes = Classes(1)
        self.label, self.loss = label, None

    @property
    def kind(self) -> str:
        """What the labels are: 'classes', several 'labels' that are 0 or 1, 'numbers'."""
        if self.classes is not None:
            return 'classes'
        return 'labels' if self.loss_name == 'binary_cross_entropy' else 'numbers'

    def label_column(self, labels: Any, what: str = 'labels') -> Column:
        """Labels in the form that the label's input takes."""
        column = Column(labels, what)
        wants_sequences = any(a.is_sequence_axis for a in self.model.output.dynamic_axes)
        if wants_sequences and not isinstance(column.data, list):
            column.data = list(column.data)
        column = self.classes.numbers(column) if self.classes else column.numbers(self.model.output.dtype)
        if self.label is None:
            self._make_label(column)
        if self.classes is not None and self.classes.count > 1 and not isinstance(column.data, list):
            rows = (self.classes.count, *self.places)
            adapt = self.classes.as_rows if tuple(self.label.shape) == rows else self.classes.as_numbers
            adapt(column)
        column.numbers(self.label.dtype)
        shape = tuple(self.label.shape)
        if self._has_other_shape(column, shape):
            raise ValueError(
                f'{what} does not fit the model\n'
                f'  expected the shape {shape} for each sample, as the model gives it\n'
                f'  got      the shape {column.sample_shape}'
            )
        if not column.is_sparse and not isinstance(column.data, list):
            column.data = column.data.reshape((len(column), *shape))
            column.store_as(self.label)
        elif isinstance(column.data, list):
            column.data = [item.reshape((len(item), *shape)) for item in column.data]
        return column

    @staticmethod
    def _has_other_shape(column, shape):
        return [d for d in column.sample_shape if d != 1] != [d for d in shape if d != 1]

    def _make_label(self, column):
        """The label's input: a number for a class, or the shape of the output."""
        output = self.model.output
        shape = tuple(output.shape)
        is_class = self.classes is not None and self.classes.count > 1
        is_free = is_class or self.loss_name is None  # a function of the user's may take other labels
        if is_free and int(np.prod(column.sample_shape)) != int(np.prod(shape)):
            shape = column.sample_shape
        self.label = input_variable(shape, dtype=output.dtype, dynamic_axes=output.dynamic_axes, name='label')

    @property
    def is_of_steps(self) -> bool:
        """Whether the loss has a value for each step of a sequence."""
        return any(a.is_sequence_axis for a in self.loss.output.dynamic_axes)

    def make_loss(self) -> None:
        """The loss of output and label."""
        label = self.label
        if self.places:
            if tuple(label.shape) == self.places:
                label = one_hot(label, self.classes.count, axis=0)
            self.loss = reduce_mean(self._make_loss(self.model, label, axis=0))
            return
        if self.classes is not None and self.classes.count > 1 and int(np.prod(label.shape)) == 1:
            label = label if label.shape == () else label[0]
            # A function of the user's may do with its label what needs a dense one.
            label = one_hot(label, self.classes.count, sparse_output=self.loss_name is not None)
        self.loss = checked_loss(self._make_loss(self.model, label))


class Task:
    """A network, and a label and a loss for each of its outputs.

    Args:
        model (Function): the network on its inputs
        inputs (list): its inputs, in the order of the data
        loss: a name, or a function of (output, label); of several outputs one for all of them, a list in
            their order, or a dictionary by their names
        metrics: as `fit` takes them
        labels: inputs for the labels that a source brings; None for such as suit the data
    """

    def __init__(
        self,
        model: Function,
        inputs: Sequence[Variable],
        loss: Any,
        metrics: Any = (),
        labels: Sequence[Variable] | None = None,
    ):
        self.model, self.inputs = model, list(inputs)
        self.names = names_of(model)
        single = len(self.names) == 1
        made = labels or [None] * len(self.names)
        losses = [loss] * len(self.names)
        if not single and not isinstance(loss, str) and not callable(loss):
            losses = by_output(loss, self.names, 'loss')
        self.heads = [
            Head(*((model, model.root_function) if single else (combine([output]), output.owner)), *rest)
            for output, *rest in zip(
                model.outputs,
                losses,
                made,
                [''] if single else self.names,
                [metrics] if single else metrics_by_output(metrics, self.names),
            )
        ]
        self.weight = None
        self.loss = self.trained = None  # without and with the weights of samples

    @property
    def labels(self) -> list[Variable]:
        """The inputs of the labels."""
        return [head.label for head in self.heads]

    @property
    def classes(self) -> Any:
        """The names of the classes, in the order of an output; of several outputs by their names."""
        found = {head.name: head.classes.names for head in self.heads if head.classes and head.classes.names}
        return found if len(self.heads) > 1 else found.get('')

    def name_classes(self, classes: Any) -> None:
        """Gives outputs the names of their classes, as `history.classes` has them. None: labels say them."""
        if classes is None:
            return
        by_name = dictionary(classes, 'classes') if len(self.heads) > 1 else {'': classes}
        for head in self.heads:
            if by_name.get(head.name) is not None and head.classes is not None:
                head.classes.name(by_name[head.name])

    def label_columns(self, labels: Any, what: str = 'labels') -> list[Column]:
        """Labels in the form that their inputs take."""
        if len(self.heads) == 1:
            return [self.heads[0].label_column(labels, what)]
        given = by_output(labels, self.names, what)
        return [h.label_column(part, f"{what}['{h.name}']") for h, part in zip(self.heads, given)]

    def make_loss(self, loss_weights: Any = None) -> None:
        """The loss of all outputs: the sum of the means of theirs, each times its weight."""
        weights = [1.0] * len(self.heads)
        if loss_weights is not None:
            if len(self.heads) == 1:
                raise ValueError('loss_weights is for models of several outputs')
            weights = [number(w, 'loss_weights') for w in by_output(loss_weights, self.names, 'loss_weights')]
        for head in self.heads:
            head.make_loss()
        self._loss_weights = weights
        self.loss = self.trained = self._sum_of([head.loss for head in self.heads])

    @property
    def counts_steps(self) -> bool:
        """Whether all losses have a value for each step of the same sequences."""
        return self.heads[0].is_of_steps and len({head.loss.output.dynamic_axes for head in self.heads}) == 1

    def _sum_of(self, losses):
        """The sum over the outputs, each times its weight, with a value for each sample. A loss that has
        values for other samples, as steps beside sequences, enters by its mean over them."""
        axes = [loss.output.dynamic_axes for loss in losses]
        own = min(axes, key=len)
        parts = [
            loss if a == own else reduce_mean(reduce_sum(loss), axis=Axis.all_axes())
            for loss, a in zip(losses, axes)
        ]
        parts = [part if w == 1 else part * w for part, w in zip(parts, self._loss_weights)]
        parts.sort(key=lambda part: not part.output.dynamic_axes)  # the order of the rest stays
        return functools.reduce(plus, parts)

    def weigh(self) -> None:
        """The losses of each sample, or of each step, are multiplied by a weight."""
        output = self.loss.output
        axes = output.dynamic_axes if self.counts_steps else [Axis.default_batch_axis()]
        self.weight = input_variable((), dtype=output.dtype, dynamic_axes=axes, name='weight')
        self.trained = self._sum_of([element_times(h.loss, self._weight_for(h.loss)) for h in self.heads])

    def _weight_for(self, loss):
        if loss.output.dynamic_axes == self.weight.dynamic_axes:
            return self.weight
        return sequence.broadcast_as(self.weight, loss)

    def mean_loss(self, means: Sequence[float]) -> float:
        """The loss of all outputs from the means of theirs."""
        return sum(w * mean for w, mean in zip(self._loss_weights, means))

    def evaluated(self) -> Function:
        """Outputs and losses together, for one run over data that are not trained on."""
        return combine([part.output for h in self.heads for part in (h.model, h.loss)])


def metrics_by_output(metrics: Any, names: list[str]) -> list[Any]:
    """The metrics of each output; outputs without any need not be named."""
    if metrics is None or metrics == ():
        return [()] * len(names)
    if isinstance(metrics, dict):
        metrics = {**dict.fromkeys(names, ()), **metrics}
    return by_output(metrics, names, 'metrics')


def names_of(model: Function) -> list[str]:
    """The names of a network's outputs; one without a name is called by its place."""
    names = [
        v.name or (v.owner.name if v.owner else '') or f'output_{i}' for i, v in enumerate(model.outputs)
    ]
    if len(set(names)) < len(names):
        raise ValueError(f'two outputs of the model have one name: {", ".join(names)}')
    return names


def by_output(given: Any, names: list[str], what: str) -> list[Any]:
    """What is given for each output: a list in their order, or a dictionary by their names."""
    if isinstance(given, dict):
        if set(given) != set(names):
            raise ValueError(
                f'{what} does not fit the outputs of the model\n'
                f'  expected {", ".join(names)}\n'
                f'  got      {", ".join(map(str, given))}'
            )
        return [given[name] for name in names]
    if not isinstance(given, (list, tuple)) or len(given) != len(names):
        raise refused(what, f'a dictionary or a list for the outputs {", ".join(names)}', given)
    return list(given)
