"""Layers of networks: convolutions, poolings, dropout, activations with parameters."""
from ..base import MXNetError
from ..lower import Val, call, text
from .entry import Bool, Float, Int, Shape, TUNING, Text, operator


def per_axis(given, rank, default, what):
    """One number for each axis of pixels."""
    if not given:
        return (default,) * rank
    if len(given) != rank:
        raise MXNetError('{} has {} numbers, the kernel {}'.format(what, len(given), rank))
    return given


def complete_convolution(a, shapes):
    data = shapes[0]
    if data is None:
        return shapes
    return [data, (a.num_filter, data[1] // a.num_group) + a.kernel] + [(a.num_filter,)] * (len(shapes) - 2)


CONVOLUTION = dict(kernel=Shape(required=True), stride=Shape(()), dilate=Shape(()), pad=Shape(()), num_filter=Int(required=True), num_group=Int(1), no_bias=Bool(False),
                   layout=Text(None), **TUNING)


def only_channels_first(a):
    if a.layout not in (None, 'NCW', 'NCHW', 'NCDHW'):
        raise MXNetError("layout {} is not there in Cantik's MXNet layer: channels come before pixels (NCHW)".format(a.layout))


def add_bias(g, v, bias, rank):
    if bias is None:
        return v
    return call('plus', (v, call('reshape', (g.plain(bias).v,), (bias.shape + (1,) * rank, None, None), '')), (), '')


@operator('Convolution', lambda a: ['data', 'weight'] + ([] if a.no_bias else ['bias']), complete=complete_convolution, aliases=('Convolution_v1',), **CONVOLUTION)
def convolution(g, a, x, w, bias=None):
    """Convolution of pictures [batch, channels, pixels...] with filters [filters, channels / groups, taps...]."""
    only_channels_first(a)
    rank = len(a.kernel)
    if x.ndim != rank + 2:
        raise MXNetError('Input data should be {}D in batch-num_filter-{}: {}'.format(rank + 2, 'xyz'[:rank], text(x.shape)))
    x = g.by_rows(x)
    pad = per_axis(a.pad, rank, 0, 'pad')
    v = call('convolution', (g.plain(w).v, x.v),
             (per_axis(a.stride, rank, 1, 'stride'), [True], [False], False, per_axis(a.dilate, rank, 1, 'dilate'), 1, a.num_group, 0, (0,) + pad, (0,) + pad, False, ()), '')
    return g.value(add_bias(g, v, bias, rank), True, x.shape[0], x.dtype)


def complete_deconvolution(a, shapes):
    data = shapes[0]
    if data is None:
        return shapes
    return [data, (data[1], a.num_filter // a.num_group) + a.kernel] + [(a.num_filter,)] * (len(shapes) - 2)


@operator('Deconvolution', lambda a: ['data', 'weight'] + ([] if a.no_bias else ['bias']), complete=complete_deconvolution,
          **{**CONVOLUTION, 'no_bias': Bool(True), 'adj': Shape(()), 'target_shape': Shape(())})
def deconvolution(g, a, x, w, bias=None):
    """The transpose of a convolution: from the results' shape to the pictures'."""
    only_channels_first(a)
    rank = len(a.kernel)
    if a.num_group != 1 or any(d != 1 for d in a.dilate):
        raise MXNetError("Deconvolution with groups or dilation is not there in Cantik's MXNet layer; docs/mxnet.md lists what is")
    stride, pad, adj = per_axis(a.stride, rank, 1, 'stride'), per_axis(a.pad, rank, 0, 'pad'), per_axis(a.adj, rank, 0, 'adj')
    x = g.by_rows(x)
    if a.target_shape:
        sizes = a.target_shape
        total = [(n - 1) * s + k - t for n, s, k, t in zip(x.shape[2:], stride, a.kernel, sizes)]
        pad = tuple((t + 1) // 2 for t in total)
    else:
        sizes = tuple((n - 1) * s + k - 2 * p + e for n, s, k, p, e in zip(x.shape[2:], stride, a.kernel, pad, adj))
    v = call('convolution', (g.plain(w).v, x.v), (stride, [True], [False], False, (1,), 1, 1, 0, (0,) + pad, (0,) + pad, True, (a.num_filter,) + sizes), '')
    return g.value(add_bias(g, v, bias, rank), True, x.shape[0], x.dtype)


@operator('Pooling', kernel=Shape(()), pool_type=Text('max', choices=('max', 'avg', 'sum')), global_pool=Bool(False), cudnn_off=Bool(False),
          pooling_convention=Text('valid', choices=('valid', 'full', 'same')), stride=Shape(()), pad=Shape(()), p_value=Int(None), count_include_pad=Bool(True),
          layout=Text(None), aliases=('Pooling_v1',))
def pooling(g, a, x):
    """The largest number, the mean or the sum of each window of pixels."""
    only_channels_first(a)
    rank = x.ndim - 2
    reduction = {'max': 'reduce_max', 'avg': 'reduce_mean', 'sum': 'reduce_sum'}[a.pool_type]
    if a.global_pool:
        return g.reduce(reduction, x, range(2, x.ndim))
    if len(a.kernel) != rank:
        raise MXNetError('Pooling: the kernel has {} axes, the pictures {} have {}'.format(len(a.kernel), text(x.shape), rank))
    x = g.by_rows(x)
    stride, pad = per_axis(a.stride, rank, 1, 'stride'), per_axis(a.pad, rank, 0, 'pad')
    for size, k, p in zip(x.shape[2:], a.kernel, pad):
        if k > size + 2 * p:
            raise MXNetError('Check failed: param.kernel[0] <= dshape[2] + 2 * param.pad[0]: kernel size ({}) exceeds input ({} padded to {})'.format(k, size, size + 2 * p))
    behind = pad
    if a.pooling_convention == 'same':
        sizes = [-(-n // s) for n, s in zip(x.shape[2:], stride)]
        total = [max((m - 1) * s + k - n, 0) for m, s, k, n in zip(sizes, stride, a.kernel, x.shape[2:])]
        pad, behind = tuple(t // 2 for t in total), tuple(t - t // 2 for t in total)
    full, inside = a.pooling_convention == 'full', a.count_include_pad
    if full and a.pool_type == 'avg' and inside:  # padding counts, what is beyond it does not
        pairs = [(0, 0)] + list(zip(pad, behind))
        x = g.like(call('pad', (x.v,), (pairs, 0, 0.0), ''), x) if any(pad) else x
        pad = behind = (0,) * rank
        inside = False
    v = call('pooling', (x.v,), (0 if a.pool_type == 'max' else 1, a.kernel, stride, [False], full, inside or a.pool_type == 'sum', pad, behind), '')
    if a.pool_type == 'sum':
        v = call('element_times', (v, float(_count(a.kernel))), (), '')
    return g.value(v, True, x.shape[0], x.dtype)


def _count(shape):
    n = 1
    for s in shape:
        n *= s
    return n


@operator('Dropout', p=Float(0.5), mode=Text('training', choices=('training', 'always')), axes=Shape(()), cudnn_off=Bool(False), random=True)
def dropout(g, a, x):
    """In training, numbers are 0 with probability p, the others grow so that the mean stays."""
    if not 0 <= a.p < 1:
        raise MXNetError('value {} for Parameter p exceed bound [0,1)'.format(a.p))
    if not (g.train or a.mode == 'always') or a.p == 0:
        return g.op('alias', x)
    if a.axes or not g.keeps:  # Cantik's dropout acts in runs that keep what gradients need
        shape = tuple(1 if i in [j % x.ndim for j in a.axes] else s for i, s in enumerate(x.shape))
        kept = g.map('less', Val(call('uniform', (), (shape, g.compute, 0.0, 1.0, None), ''), False, shape, x.dtype), 1 - a.p)
        return g.times(x, g.stop(g.times(kept, 1 / (1 - a.p))))
    return g.op('dropout', x, a.p, None)


def complete_leaky_relu(a, shapes):
    if a.act_type == 'prelu' and shapes[0] is not None and shapes[1] is None:
        shapes[1] = (shapes[0][1],) if len(shapes[0]) > 1 else (1,)
    return shapes


@operator('LeakyReLU', lambda a: ['data', 'gamma'] if a.act_type == 'prelu' else ['data'], complete=complete_leaky_relu, random=True,
          act_type=Text('leaky', choices=('leaky', 'prelu', 'elu', 'selu', 'gelu', 'rrelu')), slope=Float(0.25), lower_bound=Float(0.125), upper_bound=Float(0.334))
def leaky_relu(g, a, x, gamma=None):
    """x above 0; below it a part of x, or of e^x - 1."""
    if a.act_type == 'leaky':
        return g.op('leaky_relu', x, a.slope)
    if a.act_type == 'elu':
        return g.op('elu', x, a.slope)
    if a.act_type == 'selu':
        return g.op('selu', x)
    if a.act_type == 'prelu':
        if gamma.ndim == 1 and x.ndim > 1:
            gamma = g.reshape(gamma, (1, gamma.shape[0]) + (1,) * (x.ndim - 2))
        return g.map('element_select', g.map('greater', x, 0), x, g.times(x, gamma))
    if a.act_type == 'rrelu' and not g.train:
        return g.op('leaky_relu', x, (a.lower_bound + a.upper_bound) / 2)
    raise MXNetError("LeakyReLU: act_type='{}' is not there in Cantik's MXNet layer; docs/mxnet.md lists what is".format(a.act_type))


@operator('UpSampling', lambda a: ['data'] if a.num_args <= 1 else ['arg{}'.format(i) for i in range(a.num_args)], variadic='num_args', scale=Int(required=True),
          num_filter=Int(0), sample_type=Text(required=True, choices=('nearest', 'bilinear')), multi_input_mode=Text('concat'), num_args=Int(1), workspace=Int(512))
def upsampling(g, a, *values):
    """Every pixel becomes a square of pixels."""
    if a.sample_type != 'nearest' or len(values) != 1:
        raise MXNetError("UpSampling other than 'nearest' of one operand is not there in Cantik's MXNet layer; docs/mxnet.md lists what is")
    x, s = values[0], a.scale
    n, c, h, w = x.shape
    x = g.reshape(x, (n, c, h, 1, w, 1))
    for axis in (3, 5):
        x = g.splice([x] * s, axis)
    return g.reshape(x, (n, c, h * s, w * s))
