"""Blocks: small layers, and the steps of recurrences."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from .. import _cantik
from ..default_options import default_override_or
from ..initializer import glorot_uniform
from ..ops import placeholder, sigmoid
from ..ops.functions import Function
from ._cells import GRU as GRU, LSTM as LSTM, RNNStep as RNNStep, Stabilizer as Stabilizer

if TYPE_CHECKING:
    from .._types import ActivationLike, InitLike, ShapeLike, VariableLike
    from ..variables import Variable

__all__ = [
    'UntestedBranchError',
    'ForwardDeclaration',
    'identity',
    'Stabilizer',
    'LSTM',
    'RNNStep',
    'RNNUnit',
    'GRU',
]


def UntestedBranchError(name: str) -> NotImplementedError:
    """The error of a combination of options that nobody has tried."""
    return NotImplementedError(f'Untested code branch: {name}')


def ForwardDeclaration(name: str = 'forward_declaration') -> Variable:
    """A placeholder for a value that is defined later; resolve_to binds it, which makes a recurrence.

    Args:
        name (str): of the placeholder

    Example:
        >>> import cantik as C
        >>> C.layers.ForwardDeclaration('f').name
        'f'
    """
    declared = placeholder(name=name)

    def resolve_to(value):
        network = _cantik.as_composite(value)
        network.replace_placeholders({declared: network.output})

    declared.resolve_to = resolve_to
    return declared


@Function
def identity(keep: VariableLike) -> VariableLike:  # a name for type checkers alone: its type stays open
    """y = x."""
    return keep


def RNNUnit(
    shape: ShapeLike,
    cell_shape: ShapeLike | None = None,
    activation: ActivationLike = default_override_or(sigmoid),
    init: InitLike = default_override_or(glorot_uniform()),
    init_bias: InitLike = default_override_or(0),
    enable_self_stabilization: bool = default_override_or(False),
    name: str = '',
) -> Function:
    """The old name of RNNStep.

    Example:
        >>> import cantik as C
        >>> C.layers.Recurrence(C.layers.RNNUnit(5))(C.sequence.input_variable(3)).shape
        (5,)
    """
    warnings.warn('RNNUnit is called RNNStep now', DeprecationWarning, stacklevel=2)
    return RNNStep(shape, cell_shape, activation, init, init_bias, enable_self_stabilization, name)
