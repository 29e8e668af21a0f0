"""Models as users give them: networks, layers, functions of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import refused
from ..default_options import default_override_or, get_default_override
from ..ops import constant, input_variable, parameter, placeholder
from ..ops._annotations import argument_types
from ..ops._tracing import composite
from ..ops.functions import Function

if TYPE_CHECKING:
    from ..variables import Variable
    from .columns import Column


class Model:
    """What becomes a network on inputs.

    Args:
        given: a network; a layer, which gets inputs that suit the data; or a Python function of variables,
            which is called with such inputs

    Attributes:
        network (Function): as it was given; None of a function of variables
        inputs (list): its inputs, or its placeholders in the order of a call
    """

    def __init__(self, given: Any):
        self.network, self._function, self._given = None, None, given
        if not isinstance(given, _cantik.Function):
            if not callable(given):
                raise refused('model', 'a Function, a layer, or a function of variables', given)
            names, types = argument_types(given)
            if types:  # as the annotations say
                given = Function(given)
            else:
                self._function = given
                self.inputs = [placeholder(name=name) for name in names]
        if self._function is None:
            self.network = given
            self.inputs = list(given.signature if given.placeholders else given.arguments)

    @property
    def is_open(self) -> bool:
        """Whether its inputs have no shape yet."""
        return self.network is None or bool(self.network.placeholders)

    @property
    def has_open_sizes(self) -> bool:
        """Whether it is a layer that takes sizes from its first inputs."""
        return self.is_open and self.network is not None and bool(_open_in(self.network))

    def copy(self) -> Function:
        """The layer with other parameters in place of those that take sizes from the first inputs."""
        others = {
            v: parameter(v.shape, 0, v.dtype, name=v.name)
            if v.is_parameter
            else constant(0, v.shape, v.dtype, name=v.name)
            for v in _open_in(self.network)
        }
        return self.network.clone('share', others)

    def of(self, inputs: list[Variable], columns: list[Column] | None = None) -> Function:
        """The network of these inputs, in the order of its own, and of their columns, if they are known. A
        layer that they do not fit stays as it was."""
        if self.has_open_sizes:
            self._check(self.copy()(*inputs), inputs, columns)
        if self.network is not None:
            network = self.network(*inputs)
        else:
            name = getattr(self._function, '__name__', type(self._function).__name__)
            network = composite(self._function(*inputs), name)
        self._check(network, inputs, columns)
        return network

    def on(self, columns: list[Column]) -> tuple[Function, list[Variable]]:
        """The network on inputs that suit the data, and the input of each column. Samples that may be
        sequences of one length are such where the model takes sequences."""
        if not self.is_open:
            return self.network, self.inputs
        columns = [column.numbers(self._dtype) for column in columns]
        try:
            return self._on_samples_or_steps(columns)
        except _NumbersOfWords as error:
            raise ValueError(str(error)) from None

    def trained_on(self, columns: list[Column]) -> tuple[Function, list[Variable]]:
        """The same of a model that was trained before."""
        found = self.on(columns)
        if not isinstance(self._given, _cantik.Function):
            again, _ = Model(self._given).on(columns)
            if {p.uid for p in again.parameters} != {p.uid for p in found[0].parameters}:
                raise ValueError(
                    'the model is a Python function that makes parameters: each call makes new ones, which '
                    'nothing has trained\n'
                    '  remedy   give history.model, the network that fit has made, or make the layers '
                    'outside of the function'
                )
        return found

    @property
    def _dtype(self):
        """The element type of inputs: that of the parameters, or the one that holds for new inputs."""
        known = [p.dtype for p in self.network.parameters] if self.network is not None else []
        return (
            known[0] if known else get_default_override(input_variable, dtype=default_override_or(np.float32))
        )

    def _on_samples_or_steps(self, columns):
        try:
            return self._on(columns)
        except Exception as of_samples:
            if not any(column.may_be_steps() for column in columns):
                raise
            as_steps = [column.as_steps() for column in columns]
            try:
                found = self._on(as_steps)
            except _NumbersOfWords:
                raise
            except Exception:
                raise of_samples from None
        for column, other in zip(columns, as_steps):
            column.data, column.is_sequence = other.data, other.is_sequence
        return found

    def _on(self, columns):
        names = [v.name for v in self.inputs] if len(columns) > 1 else ['']
        inputs = [column.make_input(self._dtype, name) for column, name in zip(columns, names)]
        return self.of(inputs, columns), inputs

    def _check(self, network, inputs, columns):
        used = {v.uid for v in network.arguments}
        for given, made in zip(self.inputs, inputs):
            if made.uid not in used:
                raise ValueError(f"the model does not use its argument '{given.name}'")
        for made, column in zip(inputs, columns or []):
            _refuse_numbers_of_words(network, made, column)


def _open_in(network):
    stored = [*network.parameters, *network.constants]
    return [v for v in stored if any(size < 0 for size in v.shape)]


class _NumbersOfWords(ValueError):
    """Whole numbers are multiplied by a vector where their rows of a table were meant."""


def _refuse_numbers_of_words(network, made, column):
    if not column.is_whole or tuple(made.shape) != (1,) or column.largest() <= 1:
        return
    for function in _cantik.traverse(network, -1):
        if getattr(function, 'op_name', None) == 'Embedding' and _reads(function, made):
            raise _NumbersOfWords(
                f'{column.what} are whole numbers, and Embedding without a vocabulary takes one-hot rows: it '
                'would multiply the numbers by one vector\n'
                '  remedy   Embedding(..., vocabulary=n), where n is above the largest number: '
                f'{int(column.largest()) + 1} or more'
            )


def _reads(embedding, variable):
    """Whether an embedding without a vocabulary reads a variable of one number."""
    operands = list(embedding.inputs)
    return any(v.uid == variable.uid for v in operands) and any(
        (v.is_parameter or v.is_constant) and tuple(v.shape[:1]) == (1,) for v in operands
    )
