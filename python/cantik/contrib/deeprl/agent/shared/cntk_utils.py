"""Losses of agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..... import ops

if TYPE_CHECKING:
    from ....._types import VariableLike
    from .....ops.functions import Function

__all__ = ['huber_loss', 'negative_of_entropy_with_softmax']


def huber_loss(output: VariableLike, target: VariableLike) -> Function:
    """Sum over all elements of d^2 / 2 where |d| < 1 and |d| - 1/2 elsewhere, with d = target - output (Huber
    1964).

    Args:
        output, target: variables or functions of one shape

    Returns:
        a function of one number

    Example:
        >>> import cantik as C
        >>> huber_loss(C.constant([2, 1]), C.constant([4, 1.5])).eval()
        array(1.625, dtype=float32)
    """
    d = ops.minus(target, output)
    size = ops.abs(d)
    return ops.reduce_sum(ops.element_select(ops.less(size, 1), 0.5 * d * d, size - 0.5), keepdims=False)


def negative_of_entropy_with_softmax(p: VariableLike) -> Function:
    """sum(q log q) with q = softmax(p): the negative of the entropy of the distribution q.

    Args:
        p: a variable or function, a vector

    Returns:
        a function of one number

    Example:
        >>> import cantik as C
        >>> negative_of_entropy_with_softmax(C.constant([0.5, 0.5])).eval()
        array(-0.6931, dtype=float32)
    """
    return ops.reduce_sum(ops.softmax(p) * p, keepdims=False) - ops.reduce_log_sum_exp(p, keepdims=False)
