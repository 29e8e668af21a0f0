"""Functions of the operators. Written by tools/generate from the registry: change the operators' files, then run it."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .._cantik import call as _call

if TYPE_CHECKING:
    from typing import Sequence

    from .._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike
    from .functions import Function

__all__ = [
    'alias', 'classification_error', 'cross_entropy_with_softmax', 'element_times', 'exp', 'minus', 'negate', 'plus', 'relu', 'sigmoid', 'tanh',
    'times',
]


def alias(x: Operand, name: str = '') -> Function:
    """y = x, under another name.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.alias([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1.3, -0.7, -0.1],
               [ 0.5,  1.1,  1.7]], dtype=float32)
    """
    return _call('alias', (x,), (), name)


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


def cross_entropy_with_softmax(output_vector: Operand, target_vector: Operand, axis: AxisLike = -1, name: str = '') -> Function:
    """loss = log(sum_i exp z_i) - sum_i label_i z_i: the cross entropy of softmax(z) against the labels.

    Args:
        output_vector: a variable, function, number or array
        target_vector: a variable, function, number or array
        axis (Axis or int): the axis of the classes
        name (str): of the function

    Returns:
        a function of one output
    """
    return _call('cross_entropy_with_softmax', (output_vector, target_vector), (axis,), name)


def element_times(left: Operand, right: Operand, name: str = '') -> Function:
    """Element by element; the operands broadcast.

    y = left * right, element by element.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.element_times([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[1.69, 0.49, 0.01],
               [0.25, 1.21, 2.89]], dtype=float32)
    """
    return _call('element_times', (left, right), (), name)


def exp(x: Operand, name: str = '') -> Function:
    """y = e^x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.exp([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0.2725, 0.4966, 0.9048],
               [1.6487, 3.0042, 5.4739]], dtype=float32)
    """
    return _call('exp', (x,), (), name)


def minus(left: Operand, right: Operand, name: str = '') -> Function:
    """Element by element; the operands broadcast.

    y = left - right, element by element.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.minus([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    return _call('minus', (left, right), (), name)


def negate(x: Operand, name: str = '') -> Function:
    """y = -x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.negate([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[ 1.3,  0.7,  0.1],
               [-0.5, -1.1, -1.7]], dtype=float32)
    """
    return _call('negate', (x,), (), name)


def plus(left: Operand, right: Operand, name: str = '') -> Function:
    """Element by element; the operands broadcast.

    y = left + right, element by element.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.plus([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-2.6, -1.4, -0.2],
               [ 1. ,  2.2,  3.4]], dtype=float32)
    """
    return _call('plus', (left, right), (), name)


def relu(x: Operand, name: str = '') -> Function:
    """y = max(x, 0), with the derivative 0 at 0.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.relu([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0. , 0. , 0. ],
               [0.5, 1.1, 1.7]], dtype=float32)
    """
    return _call('relu', (x,), (), name)


def sigmoid(x: Operand, name: str = '') -> Function:
    """y = 1 / (1 + exp(-x)).

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.sigmoid([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0.2142, 0.3318, 0.475 ],
               [0.6225, 0.7503, 0.8455]], dtype=float32)
    """
    return _call('sigmoid', (x,), (), name)


def tanh(x: Operand, name: str = '') -> Function:
    """y = tanh x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.tanh([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-0.8617, -0.6044, -0.0997],
               [ 0.4621,  0.8005,  0.9354]], dtype=float32)
    """
    return _call('tanh', (x,), (), name)


def times(left: Operand, right: Operand, output_rank: int = 1, infer_input_rank_to_map: int = -1, name: str = '') -> Function:
    """Matrix product over the last axes of left and the first of right; right keeps output_rank axes.

    y = left · right over the inner axes: [m..., k...] · [k..., n...] = [m..., n...].

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        output_rank (int): how many axes of right stay in the result
        infer_input_rank_to_map (int): leading axes of left to map over, where right's rank is to be inferred
        name (str): of the function

    Returns:
        a function of one output
    """
    return _call('times', (left, right), (output_rank, infer_input_rank_to_map), name)
