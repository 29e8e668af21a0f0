"""Softmaxes and normalizations."""
import numpy as np

from ..base import MXNetError
from .entry import Bool, DType, Float, Int, Text, operator


def softmax_over(g, x, axis, name='softmax'):
    """Cantik's softmax over one axis."""
    axis %= x.ndim
    if x.rows and axis == 0:
        x = g.plain(x)
    return g.op(name, x, axis - 1 if x.rows else axis)


def _add(name, f):
    @operator(name, lambda a: ['data', 'length'] if a.use_length else ['data'], axis=Int(-1), temperature=Float(None), dtype=DType(None), use_length=Bool(False),
              types=lambda a, types: a.dtype or types[0])
    def lower(g, a, x, length=None):
        """Exponentials along an axis over their sum; the logarithms of those."""
        if length is not None:
            raise MXNetError("{}: use_length is not there in Cantik's MXNet layer; docs/mxnet.md lists what is".format(name))
        return f(g, x if a.temperature in (None, 1) else g.times(x, 1 / a.temperature), a.axis)


_add('softmax', softmax_over)
_add('log_softmax', lambda g, x, axis: softmax_over(g, x, axis, 'log_softmax'))
_add('softmin', lambda g, x, axis: softmax_over(g, g.op('negate', x), axis))


@operator('SoftmaxActivation', mode=Text('instance', choices=('instance', 'channel')))
def softmax_activation(g, a, x):
    """Softmax of each sample, or over the channels."""
    if a.mode == 'channel':
        return softmax_over(g, x, 1)
    flat = g.reshape(x, (x.shape[0], x.size // x.shape[0]))
    return g.reshape(softmax_over(g, flat, 1), x.shape)


def along(g, v, axis, ndim):
    """A vector as an operand that runs along one axis."""
    return g.reshape(v, tuple(v.shape[0] if i == axis else 1 for i in range(ndim)))


def complete_channels(index_of_axis):
    def complete(a, shapes):
        if shapes[0] is None:
            return shapes
        size = shapes[0][index_of_axis(a)]
        return [shapes[0]] + [(size,)] * (len(shapes) - 1)
    return complete


@operator('BatchNorm', 'data gamma beta', aux=('moving_mean', 'moving_var'), complete=complete_channels(lambda a: a.axis), aliases=('BatchNorm_v1',), eps=Float(1e-3),
          momentum=Float(0.9), fix_gamma=Bool(True), use_global_stats=Bool(False), output_mean_var=Bool(False), axis=Int(1), cudnn_off=Bool(False),
          min_calib_range=Float(None), max_calib_range=Float(None))
def batch_norm(g, a, x, gamma, beta, moving_mean, moving_var):
    """Normalized by mean and variance of each channel: those of the batch in training, which the moving ones follow, else the moving ones."""
    if a.output_mean_var:
        raise MXNetError("BatchNorm: output_mean_var is not there in Cantik's MXNet layer; docs/mxnet.md lists what is")
    axis = a.axis % x.ndim
    others = [i for i in range(x.ndim) if i != axis]
    if a.fix_gamma and g.train:
        g.fix(1, 1)
    if g.train and not a.use_global_stats:
        mean = g.reduce('reduce_mean', x, others)
        centred = g.minus(x, mean)
        var = g.reduce('reduce_mean', g.op('square', centred), others)
        for i, (moving, now) in enumerate(((moving_mean, mean), (moving_var, var))):
            now = g.reshape(g.stop(now), moving.shape)
            g.update(i, g.plus(g.times(moving, a.momentum), g.times(now, 1 - a.momentum)))
    else:
        mean, var = (along(g, g.stop(v), axis, x.ndim) for v in (moving_mean, moving_var))
        centred = g.minus(x, mean)
    scale = g.divide(1, g.op('ieee_sqrt', g.plus(var, a.eps)))
    if not a.fix_gamma:
        scale = g.times(scale, along(g, gamma, axis, x.ndim))
    return g.plus(g.times(centred, scale), along(g, beta, axis, x.ndim))


@operator('LayerNorm', 'data gamma beta', complete=complete_channels(lambda a: a.axis), axis=Int(-1), eps=Float(1e-5), output_mean_var=Bool(False))
def layer_norm(g, a, x, gamma, beta):
    """Normalized by mean and variance along one axis."""
    axis = a.axis % x.ndim
    centred = g.minus(x, g.reduce('reduce_mean', x, [axis]))
    var = g.reduce('reduce_mean', g.op('square', centred), [axis])
    y = g.divide(centred, g.op('ieee_sqrt', g.plus(var, a.eps)))
    return g.plus(g.times(y, along(g, gamma, axis, x.ndim)), along(g, beta, axis, x.ndim))


@operator('InstanceNorm', 'data gamma beta', complete=complete_channels(lambda a: 1), eps=Float(1e-3))
def instance_norm(g, a, x, gamma, beta):
    """Normalized by mean and variance of each sample's channel."""
    pixels = range(2, x.ndim)
    centred = g.minus(x, g.reduce('reduce_mean', x, pixels))
    var = g.reduce('reduce_mean', g.op('square', centred), pixels)
    y = g.divide(centred, g.op('ieee_sqrt', g.plus(var, a.eps)))
    return g.plus(g.times(y, along(g, gamma, 1, x.ndim)), along(g, beta, 1, x.ndim))


@operator('L2Normalization', eps=Float(1e-10), mode=Text('instance', choices=('channel', 'instance', 'spatial')))
def l2_normalization(g, a, x):
    """Over the root of the sum of squares: of a sample, over channels, or over pixels."""
    axes = {'instance': range(1, x.ndim), 'channel': [1], 'spatial': range(2, x.ndim)}[a.mode]
    size = g.reduce('reduce_sum', g.op('square', x), axes)
    return g.divide(x, g.op('ieee_sqrt', g.plus(size, a.eps)))


@operator('LRN', alpha=Float(1e-4), beta=Float(0.75), knorm=Float(2.0), nsize=Int(required=True))
def lrn(g, a, x):
    """Over (knorm + alpha / nsize times the sum of squares of nsize channels around)^beta."""
    if a.nsize % 2 == 0:
        raise MXNetError('LRN: nsize is odd, not {}'.format(a.nsize))
    squares = g.op('square', g.plain(x))
    n, c, half = x.shape[0], x.shape[1], a.nsize // 2
    total = squares
    for k in range(1, min(half, c - 1) + 1):
        none = g.constant(np.zeros((n, k) + x.shape[2:]), x.dtype)
        total = g.plus(total, g.splice([g.slice(squares, 1, k, c), none], 1))
        total = g.plus(total, g.splice([none, g.slice(squares, 1, 0, c - k)], 1))
    return g.times(x, g.map('pow', g.plus(g.times(total, a.alpha / a.nsize), a.knorm), -a.beta))
