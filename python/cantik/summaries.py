"""A network as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _cantik
from ._checks import network
from ._html import table

if TYPE_CHECKING:
    from .ops.functions import Function


class Summary:
    """Rows (name, operator, output shapes, parameters) of a network, in the order data flow, and sums; prints
    as a table, in a notebook too."""

    def __init__(self, model: Function):
        self.rows, self.inputs, self.parameters, self.tensors, self._table = _cantik.summary(model)

    def __str__(self):
        return self._table

    __repr__ = __str__

    def _repr_html_(self):
        inputs = [(name, '', _sizes([shape]), '') for name, shape in self.inputs]
        functions = [
            (name, operator, _sizes(shapes), parameters or '')
            for name, operator, shapes, parameters in self.rows
        ]
        below = f'{self.parameters} parameters in {self.tensors} tensors'
        return table(('name', 'operator', 'output', 'parameters'), inputs + functions, below)


_NOT_KNOWN = {-1: '?', -2: '?', -3: '*'}  # a size that is inferred, a shape that is not known, a free size


def _sizes(shapes):
    return ', '.join(' x '.join(_NOT_KNOWN.get(n, str(n)) for n in shape) or '1' for shape in shapes)


def summary(model: Function) -> Summary:
    """A network as a table: its functions in the order data flow, their output shapes and parameters.

    Args:
        model (Function): the network

    Returns:
        a Summary, which prints as the table

    Example:
        >>> import cantik as C
        >>> model = C.layers.Dense(2, name='d')(C.input_variable(3, name='x'))
        >>> print(C.summary(model))
        name  operator  output  parameters
        ----------------------------------
        x               3
        d     Dense     2                8
        ----------------------------------
        8 parameters in 2 tensors
    """
    return Summary(network(model, 'model'))
