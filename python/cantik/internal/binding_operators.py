"""Operators under the names that CNTK's binding gives them, where these take what the public ones take. Those
that take axes or shapes in the binding's order are not among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import losses, metrics, ops
from ..losses import (
    binary_cross_entropy,
    cosine_distance,
    lambda_rank,
    squared_error,
    weighted_binary_cross_entropy,
)
from ..metrics import edit_distance_error, ndcg_at_1
from ..ops import (
    abs,
    acos,
    alias,
    asin,
    asinh,
    assign,
    atan,
    atanh,
    ceil,
    clip,
    combine,
    cos,
    cosh,
    element_and,
    element_divide,
    element_max,
    element_min,
    element_not,
    element_or,
    element_select,
    element_times,
    element_xor,
    elu,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    hard_sigmoid,
    hardmax,
    leaky_relu as leaky_re_lu,
    less,
    less_equal,
    log,
    log_add_exp,
    minus,
    negate,
    not_equal,
    ones_like,
    param_relu as pre_lu,
    plus,
    pow,
    reciprocal,
    relu as re_lu,
    round,
    selu,
    sigmoid,
    sin,
    sinh,
    softplus,
    softsign,
    sqrt,
    square,
    stop_gradient,
    tan,
    tanh,
    to_batch,
    unpack_batch,
    zeros_like,
)

if TYPE_CHECKING:
    from .._types import VariableLike
    from ..ops.functions import Function

__all__ = [
    'abs',
    'acos',
    'alias',
    'asin',
    'asinh',
    'assign',
    'atan',
    'atanh',
    'binary_cross_entropy',
    'ceil',
    'classification_error',
    'clip',
    'combine',
    'cos',
    'cosh',
    'cosine_distance',
    'cross_entropy_with_softmax',
    'edit_distance_error',
    'element_and',
    'element_divide',
    'element_max',
    'element_min',
    'element_not',
    'element_or',
    'element_select',
    'element_times',
    'element_xor',
    'elu',
    'equal',
    'exp',
    'floor',
    'greater',
    'greater_equal',
    'hard_sigmoid',
    'hardmax',
    'lambda_rank',
    'leaky_re_lu',
    'less',
    'less_equal',
    'log',
    'log_add_exp',
    'log_softmax',
    'minus',
    'ndcg_at_1',
    'negate',
    'not_equal',
    'ones_like',
    'plus',
    'pow',
    'pre_lu',
    're_lu',
    'reciprocal',
    'round',
    'selu',
    'sigmoid',
    'sin',
    'sinh',
    'softmax',
    'softplus',
    'softsign',
    'sqrt',
    'square',
    'squared_error',
    'stop_gradient',
    'tan',
    'tanh',
    'to_batch',
    'unpack_batch',
    'weighted_binary_cross_entropy',
    'zeros_like',
]


def softmax(operand: VariableLike, name: str = '') -> Function:
    """ops.softmax over all numbers of a sample."""
    return ops.softmax(operand, name=name)


def log_softmax(operand: VariableLike, name: str = '') -> Function:
    """ops.log_softmax over all numbers of a sample."""
    return ops.log_softmax(operand, name=name)


def cross_entropy_with_softmax(prediction: VariableLike, labels: VariableLike, name: str = '') -> Function:
    """losses.cross_entropy_with_softmax along the last axis."""
    return losses.cross_entropy_with_softmax(prediction, labels, name=name)


def classification_error(prediction: VariableLike, labels: VariableLike, name: str = '') -> Function:
    """metrics.classification_error along the last axis."""
    return metrics.classification_error(prediction, labels, name=name)
