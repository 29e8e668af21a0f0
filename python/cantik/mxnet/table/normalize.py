"""Softmaxes and normalizations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import MXNetError, axis_at
from ..lower import text
from .entry import Bool, DType, Float, Int, Text, operator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes


def first_like_result(a: Attributes, shapes: Sequence[Any], results: Any) -> Any:
    """The first operand has the result's shape."""
    return [results[0]]


def softmax_over(g: Lowering, x: Any, axis: Any, name: Any = 'softmax') -> Any:
    """Cantik's softmax over one axis."""
    axis = axis_at(axis, x.ndim)
    if x.rows and axis == 0:
        x = g.plain(x)
    return g.op(name, x, axis - 1 if x.rows else axis)


def _add(name, f):
    @operator(
        name,
        lambda a: ['data', 'length'] if a.use_length else ['data'],
        back=first_like_result,
        axis=Int(-1),
        temperature=Float(None),
        dtype=DType(None),
        use_length=Bool(False),
        types=lambda a, types: a.dtype or types[0],
    )
    def lower(g, a, x, length=None):
        """Exponentials along an axis over their sum; the logarithms of those."""
        inside = None
        if length is not None:  # what lies behind the length has no part in it
            axis = axis_at(a.axis, x.ndim)
            steps = g.constant(
                np.arange(x.shape[axis]).reshape([-1 if i == axis else 1 for i in range(x.ndim)]), x.dtype
            )
            inside = g.map(
                'less', steps, g.reshape(g.stop(length), x.shape[:axis] + (1,) + x.shape[axis + 1 :])
            )
            x = g.map('element_select', inside, x, math.inf if name == 'softmin' else -math.inf)
        made = f(g, x if a.temperature in (None, 1) else g.times(x, 1 / a.temperature), a.axis)
        return made if inside is None else g.map('element_select', inside, made, 0)


_add('softmax', softmax_over)
_add('log_softmax', lambda g, x, axis: softmax_over(g, x, axis, 'log_softmax'))
_add('softmin', lambda g, x, axis: softmax_over(g, g.op('negate', x), axis))


@operator('SoftmaxActivation', mode=Text('instance', choices=('instance', 'channel')))
def softmax_activation(g: Lowering, a: Attributes, x: Any) -> Any:
    """Softmax over the last axis, which is all of a sample where there are two, or over the channels."""
    return softmax_over(g, x, 1 if a.mode == 'channel' else x.ndim - 1)


def along(g: Lowering, v: Any, axis: Any, ndim: Any) -> Any:
    """A vector as an operand that runs along one axis."""
    return g.reshape(v, tuple(v.shape[0] if i == axis else 1 for i in range(ndim)))


def complete_channels(index_of_axis: Any) -> Any:
    def complete(a, shapes):
        if shapes[0] is None:
            return shapes
        size = shapes[0][index_of_axis(a)]
        return [shapes[0]] + [(size,)] * (len(shapes) - 1)

    return complete


def centred(g: Lowering, x: Any, axes: Any) -> Any:
    """The operand less its mean over some axes, the mean and the variance."""
    mean = g.reduce('reduce_mean', x, axes)
    beside = g.minus(x, mean)
    return beside, mean, g.reduce('reduce_mean', g.op('square', beside), axes)


def with_moments(*names: Any) -> Any:
    """Names of the results: of the moments too, where they are asked for."""
    return lambda a: ['output', *names] if a.output_mean_var else ['output']


def types_of_norm(a: Attributes, known: Any) -> list[Any]:
    """Of float16 the numbers of the channels are float32."""
    own = np.dtype(known[0] or np.float32)
    return [own] + [t or (np.float32 if own == np.float16 else own) for t in known[1:]]


@operator(
    'BatchNorm',
    'data gamma beta',
    complete_types=types_of_norm,
    by_batch=True,
    aux=('moving_mean', 'moving_var'),
    complete=complete_channels(lambda a: a.axis),
    back=first_like_result,
    aliases=('BatchNorm_v1',),
    outputs=with_moments('mean', 'var'),
    eps=Float(1e-3),
    momentum=Float(0.9),
    fix_gamma=Bool(True),
    use_global_stats=Bool(False),
    output_mean_var=Bool(False),
    axis=Int(1),
    cudnn_off=Bool(False),
    min_calib_range=Float(None),
    max_calib_range=Float(None),
)
def batch_norm(
    g: Lowering, a: Attributes, x: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any
) -> Any:
    """Normalized by mean and variance of each channel: those of the batch in training, which the moving ones
    follow, else the moving ones."""
    axis = axis_at(a.axis, x.ndim)
    others = [i for i in range(x.ndim) if i != axis]
    if a.fix_gamma and g.train:
        g.fix(1, 1)
    if g.train and not a.use_global_stats:
        beside, mean, var = centred(g, x, others)
        for i, (moving, now) in enumerate(((moving_mean, mean), (moving_var, var))):
            now = g.reshape(g.stop(now), moving.shape)
            g.update(i, g.plus(g.times(moving, a.momentum), g.times(now, 1 - a.momentum)))
    else:
        mean, var = (along(g, g.stop(v), axis, x.ndim) for v in (moving_mean, moving_var))
        beside = g.minus(x, mean)
    inverse = g.divide(1, g.op('ieee_sqrt', g.plus(var, a.eps)))
    scale = inverse if a.fix_gamma else g.times(inverse, along(g, gamma, axis, x.ndim))
    y = g.plus(g.times(beside, scale), along(g, beta, axis, x.ndim))
    return [y, *(g.stop(g.reshape(v, gamma.shape)) for v in (mean, inverse))] if a.output_mean_var else y


def normalized(g: Lowering, a: Attributes, x: Any, axes: Any, gamma: Any, beta: Any) -> Any:
    """Normalized by mean and variance over some axes; with output_mean_var also the mean and the standard
    deviation."""
    beside, mean, var = centred(g, x, axes)
    deviation = g.op('ieee_sqrt', g.plus(var, a.eps))
    y = g.plus(g.times(g.divide(beside, deviation), gamma), beta)
    return [y, mean, deviation] if a.get('output_mean_var') else y


@operator(
    'LayerNorm',
    'data gamma beta',
    complete=complete_channels(lambda a: a.axis),
    back=first_like_result,
    outputs=with_moments('mean', 'std'),
    axis=Int(-1),
    eps=Float(1e-5),
    output_mean_var=Bool(False),
)
def layer_norm(g: Lowering, a: Attributes, x: Any, gamma: Any, beta: Any) -> Any:
    """Normalized by mean and variance along one axis."""
    axis = axis_at(a.axis, x.ndim)
    return normalized(g, a, x, [axis], along(g, gamma, axis, x.ndim), along(g, beta, axis, x.ndim))


@operator(
    'InstanceNorm',
    'data gamma beta',
    complete=complete_channels(lambda a: 1),
    back=first_like_result,
    eps=Float(1e-3),
)
def instance_norm(g: Lowering, a: Attributes, x: Any, gamma: Any, beta: Any) -> Any:
    """Normalized by mean and variance of each sample's channel."""
    return normalized(g, a, x, range(2, x.ndim), along(g, gamma, 1, x.ndim), along(g, beta, 1, x.ndim))


@operator(
    'GroupNorm',
    'data gamma beta',
    complete=lambda a, shapes: [shapes[0]] + [(a.num_groups,)] * 2,
    back=first_like_result,
    outputs=with_moments('mean', 'std'),
    num_groups=Int(1),
    eps=Float(1e-5),
    output_mean_var=Bool(False),
)
def group_norm(g: Lowering, a: Attributes, x: Any, gamma: Any, beta: Any) -> Any:
    """Normalized by mean and variance of each sample's group of channels (Wu, He 2018)."""
    if x.ndim < 3 or x.shape[1] % a.num_groups:
        raise MXNetError(f'GroupNorm: {a.num_groups} groups of the channels of {text(x.shape)}')
    groups = g.reshape(x, (x.shape[0], a.num_groups, x.size // (x.shape[0] * a.num_groups)))
    made = normalized(g, a, groups, [2], along(g, gamma, 1, 3), along(g, beta, 1, 3))
    if not a.output_mean_var:
        return g.reshape(made, x.shape)
    return [g.reshape(made[0], x.shape)] + [g.reshape(v, v.shape[:2]) for v in made[1:]]


@operator(
    'L2Normalization', eps=Float(1e-10), mode=Text('instance', choices=('channel', 'instance', 'spatial'))
)
def l2_normalization(g: Lowering, a: Attributes, x: Any) -> Any:
    """Over the root of the sum of squares: of a sample, over channels, or over pixels."""
    axes = {'instance': range(1, x.ndim), 'channel': [1], 'spatial': range(2, x.ndim)}[a.mode]
    size = g.reduce('reduce_sum', g.op('square', x), axes)
    return g.divide(x, g.op('ieee_sqrt', g.plus(size, a.eps)))


@operator(
    'LRN', by_batch=True, alpha=Float(1e-4), beta=Float(0.75), knorm=Float(2.0), nsize=Int(required=True)
)
def lrn(g: Lowering, a: Attributes, x: Any) -> Any:
    """Over (knorm + alpha / nsize times the sum of squares of nsize channels around)^beta."""
    if a.nsize % 2 == 0:
        raise MXNetError(f'LRN: nsize is odd, not {a.nsize}')
    squares = g.op('square', g.plain(x))
    n, c, half = x.shape[0], x.shape[1], a.nsize // 2
    total = squares
    for k in range(1, min(half, c - 1) + 1):
        none = g.constant(np.zeros((n, k) + x.shape[2:]), x.dtype)
        total = g.plus(total, g.splice([g.slice(squares, 1, k, c), none], 1))
        total = g.plus(total, g.splice([none, g.slice(squares, 1, 0, c - k)], 1))
    return g.times(x, g.map('pow', g.plus(g.times(total, a.alpha / a.nsize), a.knorm), -a.beta))
