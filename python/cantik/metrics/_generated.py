"""Functions of the operators. Written by tools/generate from the operators' files: change those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._cantik import call as _call
from ..default_options import default_dtype as _default_dtype
from .._waiting import not_there as _not_there

if TYPE_CHECKING:
    from typing import Sequence

    from .._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike
    from ..ops.functions import Function

__all__ = [
    'classification_error',
    'edit_distance_error',
    'ndcg_at_1',
]


def classification_error(
    output_vector: Operand, target_vector: Operand, axis: AxisLike = -1, topN: int = 1, name: str = ''
) -> Function:
    """1 where the highest score is not that of the label, else 0, for each sample. With topN above 1 the
    number of samples whose label is not among the topN highest scores.

    Args:
        output_vector: a variable, function, number or array
        target_vector: a variable, function, number or array
        axis (Axis or int): the axis of the classes
        topN (int): the label is right if it is among so many highest scores
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.classification_error([-1.3, -0.3, 0.7, 1.7], [-1.3, -0.3, 0.7, 1.7]).eval().round(4)
        array([-0.7], dtype=float32)
    """
    return _call('classification_error', (output_vector, target_vector), (axis, topN), name)


def edit_distance_error(
    input_a: Operand,
    input_b: Operand,
    subPen: float = 1,
    delPen: float = 1,
    insPen: float = 1,
    squashInputs: bool = False,
    tokensToIgnore: int | Sequence[int] = [],
    name: str = '',
) -> Function:
    """How far the sequences of input_a are from those of input_b: edits for each token of input_b, times the
    number of steps, so that its mean over the steps is the error rate. The token of a step is the place of
    its largest number.

    Args:
        input_a: a variable, function, number or array
        input_b: a variable, function, number or array
        subPen (float): penalty of a changed token
        delPen (float): penalty of a removed token
        insPen (float): penalty of an added token
        squashInputs (bool): whether equal tokens side by side count as one
        tokensToIgnore (list of int): tokens that do not count
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x, y = C.sequence.input_variable(3), C.sequence.input_variable(3)
        >>> words = np.eye(3, dtype=np.float32)
        >>> C.edit_distance_error(x, y).eval({x: [words[[0, 1, 2]]], y: [words[[0, 2, 2]]]})
        array(1., dtype=float32)
    """
    return _call(
        'edit_distance_error',
        (input_a, input_b),
        (subPen, delPen, insPen, squashInputs, tokensToIgnore),
        name,
    )


def ndcg_at_1(output: Operand, gain: Operand, group: Operand, name: str = '') -> Function:
    """The gain of the document with the highest score over that of the list's first one, in percent, averaged
    over the lists, times the number of samples.

    Args:
        output: a variable, function, number or array
        gain: a variable, function, number or array
        group: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.ndcg_at_1([1.7], [1.7], [1.7]).eval().round(4)
        np.float32(100.0)
    """
    return _call('ndcg_at_1', (output, gain, group), (), name)
