"""Operators under the names that CNTK's binding gives them, where these take what the public ones take. Those
that take axes or shapes in the binding's order are not among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import losses, metrics, ops
from ..losses import (
    binary_cross_entropy,
    cosine_distance,
    cosine_distance_with_negative_samples,
    lambda_rank,
    lattice_sequence_with_softmax,
    nce_loss,
    squared_error,
    weighted_binary_cross_entropy,
)
from ..metrics import edit_distance_error, ndcg_at_1
from ..ops import (
    abs,
    acos,
    alias,
    as_block,
    as_composite,
    asin,
    asinh,
    assign,
    atan,
    atanh,
    cast,
    ceil,
    clip,
    combine,
    cos,
    cosh,
    depth_to_space,
    dropout,
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
    eye_like,
    floor,
    forward_backward,
    greater,
    greater_equal,
    hard_sigmoid,
    hardmax,
    image_scaler,
    labels_to_graph,
    leaky_relu as leaky_re_lu,
    less,
    less_equal,
    local_response_normalization,
    log,
    log_add_exp,
    mean_variance_normalization,
    minus,
    negate,
    not_equal,
    ones_like,
    optimized_rnnstack,
    param_relu as pre_lu,
    per_dim_mean_variance_normalize,
    plus,
    pow,
    random_sample,
    random_sample_inclusion_frequency,
    reciprocal,
    reconcile_dynamic_axes,
    relu as re_lu,
    round,
    selu,
    sigmoid,
    sin,
    sinh,
    softplus,
    softsign,
    space_to_depth,
    sqrt,
    square,
    stop_gradient,
    straight_through_impl as straight_through,
    tan,
    tanh,
    to_batch,
    to_sequence_like,
    unpack_batch,
    zeros_like,
)
from ..ops.sequence import (
    broadcast_as,
    first,
    gather,
    is_first,
    is_last,
    last,
    reduce_max as sequence_reduce_max,
    reduce_sum as sequence_reduce_sum,
    scatter,
    slice as sequence_slice,
    softmax as sequence_softmax,
    unpack,
    where,
)
from ..random import (
    bernoulli as bernoulli_random,
    bernoulli_like as bernoulli_random_like,
    gumbel as gumbel_random,
    gumbel_like as gumbel_random_like,
    normal as normal_random,
    normal_like as normal_random_like,
    uniform as uniform_random,
    uniform_like as uniform_random_like,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._types import VariableLike
    from ..ops.functions import Function

__all__ = [
    'abs',
    'acos',
    'alias',
    'as_block',
    'as_composite',
    'asin',
    'asinh',
    'assign',
    'atan',
    'atanh',
    'bernoulli_random',
    'bernoulli_random_like',
    'binary_cross_entropy',
    'broadcast_as',
    'cast',
    'ceil',
    'classification_error',
    'clip',
    'combine',
    'cos',
    'cosh',
    'cosine_distance',
    'cosine_distance_with_negative_samples',
    'cross_entropy_with_softmax',
    'depth_to_space',
    'dropout',
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
    'eye_like',
    'first',
    'floor',
    'forward_backward',
    'gather',
    'greater',
    'greater_equal',
    'gumbel_random',
    'gumbel_random_like',
    'hard_sigmoid',
    'hardmax',
    'image_scaler',
    'is_first',
    'is_last',
    'labels_to_graph',
    'lambda_rank',
    'last',
    'lattice_sequence_with_softmax',
    'leaky_re_lu',
    'less',
    'less_equal',
    'local_response_normalization',
    'log',
    'log_add_exp',
    'log_softmax',
    'mean',
    'mean_variance_normalization',
    'minus',
    'nce_loss',
    'ndcg_at_1',
    'negate',
    'normal_random',
    'normal_random_like',
    'not_equal',
    'ones_like',
    'optimized_rnnstack',
    'per_dim_mean_variance_normalize',
    'plus',
    'pow',
    'pre_lu',
    'random_sample',
    'random_sample_inclusion_frequency',
    're_lu',
    'reciprocal',
    'reconcile_dynamic_axes',
    'round',
    'scatter',
    'selu',
    'sequence_reduce_max',
    'sequence_reduce_sum',
    'sequence_slice',
    'sequence_softmax',
    'sigmoid',
    'sin',
    'sinh',
    'softmax',
    'softplus',
    'softsign',
    'space_to_depth',
    'sqrt',
    'square',
    'squared_error',
    'stop_gradient',
    'straight_through',
    'sum',
    'tan',
    'tanh',
    'to_batch',
    'to_sequence_like',
    'uniform_random',
    'uniform_random_like',
    'unpack',
    'unpack_batch',
    'weighted_binary_cross_entropy',
    'where',
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


def mean(operands: Sequence[VariableLike], name: str = '') -> Function:
    """ops.mean of a list."""
    return ops.mean(*operands, name=name)


def sum(operands: Sequence[VariableLike], name: str = '') -> Function:
    """ops.sum of a list."""
    return ops.sum(*operands, name=name)
