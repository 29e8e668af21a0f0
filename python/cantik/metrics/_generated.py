"""Functions of the operators. Written by tools/generate from the registry: change the operators' files, then run it."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .._cantik import call as _call
from ..internal.waiting import not_there as _not_there

if TYPE_CHECKING:
    from typing import Sequence

    from .._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike
    from ..ops.functions import Function

__all__ = [
    'classification_error', 'ndcg_at_1', 'edit_distance_error',
]


def classification_error(output_vector: Operand, target_vector: Operand, axis: AxisLike = -1, topN: int = 1, name: str = '') -> Function:
    """1 where the highest score is not that of the label, else 0.

    Args:
        output_vector: a variable, function, number or array
        target_vector: a variable, function, number or array
        axis (Axis or int): the axis of the classes
        topN (int): the label is right if it is among so many highest scores
        name (str): of the function

    Returns:
        a function of one output
    """
    return _call('classification_error', (output_vector, target_vector), (axis, topN), name)


def ndcg_at_1(output, gain, group, name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('ndcg_at_1')


def edit_distance_error(input_a, input_b, subPen=1, delPen=1, insPen=1, squashInputs=False, tokensToIgnore=[], name=''):
    """Not there yet, see docs/status.md."""
    raise _not_there('edit_distance_error')
