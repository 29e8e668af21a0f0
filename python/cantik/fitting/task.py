"""What a training is made of: the network on its inputs, the label, the loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import refused
from ..ops import combine, element_times, input_variable, one_hot
from ..ops.functions import Function
from .columns import Column
from .labels import Classes
from .losses import check_end, checked_loss, loss_named

if TYPE_CHECKING:
    from ..variables import Variable


def as_network(model: Any) -> Function:
    """A network of a Function, or of a Python function of variables."""
    if isinstance(model, _cantik.Function):
        return model
    if not callable(model):
        raise refused('model', 'a Function, a layer, or a function of variables', model)
    return Function(model)


def is_open(model: Function) -> bool:
    """Whether the network's arguments are placeholders, which have no shape yet."""
    return bool(model.placeholders)


def inputs_of(model: Function) -> list[Variable]:
    """The inputs of a network, or its placeholders."""
    return list(model.placeholders) or list(model.arguments)


def on_columns(model: Function, columns: list[Column]) -> Function:
    """The network on inputs; a network of placeholders gets inputs that suit the data."""
    if not is_open(model):
        return model
    return model(*[column.numbers(np.float32).make_input() for column in columns])


class Task:
    """A network, its label and its loss.

    Args:
        model (Function): the network on its inputs
        loss: a name, or a function of (output, label)
        label (Variable): an input for the label that a source brings; None for one that suits the data
    """

    def __init__(self, model: Function, loss: Any, label: Variable | None = None):
        if len(model.outputs) != 1:
            raise ValueError(f'fit trains models of one output, this one has {len(model.outputs)}')
        self.model, self.inputs = model, list(model.arguments)
        self.loss_name, self._make_loss = loss_named(loss)
        check_end(model, self.loss_name)
        shape = tuple(model.output.shape)
        self.classes = None
        if self.loss_name == 'cross_entropy':
            if len(shape) != 1 or shape[0] < 2:
                raise ValueError(
                    f"the loss 'cross_entropy' is for models of at least two outputs, one for each class\n"
                    f'  got      the shape {shape}\n'
                    "  remedy   loss='binary_cross_entropy' for one output and two classes"
                )
            self.classes = Classes(shape[0])
        elif self.loss_name == 'binary_cross_entropy' and int(np.prod(shape)) == 1:
            self.classes = Classes(1)
        self.label, self.weight = label, None
        self.loss = self.trained = None  # without and with the weights of samples

    def label_column(self, labels: Any, what: str = 'labels') -> Column:
        """Labels in the form that the label's input takes."""
        column = Column(labels, what)
        wants_sequences = any(a.is_sequence_axis for a in self.model.output.dynamic_axes)
        if wants_sequences and not isinstance(column.data, list):
            column.data = list(column.data)
        column = self.classes.numbers(column) if self.classes else column.numbers(np.float32)
        if self.label is None:
            self._make_label(column)
        if self.classes is not None and self.classes.count > 1 and not isinstance(column.data, list):
            adapt = (
                self.classes.as_rows if self.label.shape == (self.classes.count,) else self.classes.as_numbers
            )
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

    def make_loss(self, weighted: bool) -> None:
        """The loss, with a weight for each sample where one is wanted."""
        label = self.label
        if self.loss_name == 'cross_entropy' and int(np.prod(label.shape)) == 1:
            count = self.classes.count
            label = one_hot(label if label.shape == () else label[0], count, sparse_output=True)
        self.loss = checked_loss(self._make_loss(self.model, label))
        self.trained = self.loss
        if weighted:
            if any(a.is_sequence_axis for a in self.loss.output.dynamic_axes):
                raise NotImplementedError('weights of samples are for losses of one value a sample')
            self.weight = input_variable((), dtype=self.loss.output.dtype, name='weight')
            self.trained = element_times(self.loss, self.weight)

    def evaluated(self) -> Function:
        """Output and loss together, for one run over data that are not trained on."""
        return combine([self.model.output, self.loss.output])
