"""Converting stacks of recurrences made for GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._checks import network

if TYPE_CHECKING:
    from ..ops.functions import Function


def convert_optimized_rnnstack(cudnn_model: Function) -> Function:
    """A copy of a model whose stacks of recurrences run anywhere. Ours do: `optimized_rnnstack` is a graph of
    ordinary operators.

    Args:
        cudnn_model (Function): with functions made by optimized_rnnstack

    Returns:
        a copy with parameters of its own, of the same inputs

    Example:
        >>> import cantik as C
        >>> stack = C.optimized_rnnstack(C.sequence.input_variable(3), C.parameter((28, 2)), 2, 1)
        >>> C.misc.convert_optimized_rnnstack(stack).shape
        (2,)
    """
    model = network(cudnn_model, 'cudnn_model')
    return model.clone('clone', {a: a for a in model.arguments})
