"""Layers of networks: convolutions, poolings, dropout, activations with parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base import MXNetError, axis_at
from ..lower import Val, call, spread, text
from .entry import Attributes, Bool, Float, Int, Shape, Text, numbered, operator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...mxnet.lower import Lowering


def per_axis(given: Any, rank: Any, default: Any, what: str) -> Any:
    """One number for each axis of pixels."""
    if not given:
        return (default,) * rank
    if len(given) != rank:
        raise MXNetError(f'{what} has {len(given)} numbers, the kernel {rank}')
    return given


def complete_convolution(a: Attributes, shapes: Sequence[Any]) -> Any:
    data = shapes[0]
    if data is None:
        return shapes
    return [data, (a.num_filter, data[1] // a.num_group) + a.kernel] + [(a.num_filter,)] * (len(shapes) - 2)


def convolution_back(a: Attributes, shapes: Sequence[Any], results: Any) -> Any:
    """The pictures' number and, of steps of 1, their sizes."""
    data, made = shapes[0], results[0]
    if data is None or made is None:
        return []
    rank = len(a.kernel)
    sizes = [
        n + (k - 1) * d - 2 * p if n and s == 1 else 0
        for n, k, s, d, p in zip(
            made[2:],
            a.kernel,
            *(
                per_axis(given, rank, default, '')
                for given, default in ((a.stride, 1), (a.dilate, 1), (a.pad, 0))
            ),
        )
    ]
    return [made[:1] + (0,) + tuple(sizes)]


def batch_back(a: Attributes, shapes: Sequence[Any], results: Any) -> Any:
    """As many pictures as results."""
    return (
        [results[0][:1] + (0,) * (len(shapes[0]) - 1)]
        if shapes[0] is not None and results[0] is not None
        else []
    )


WINDOW = dict(kernel=Shape(required=True), stride=Shape(()), dilate=Shape(()), pad=Shape(()))
# workspace and cudnn_... say how cuDNN is to work: read, and without meaning here
FILTERS = dict(
    num_filter=Int(required=True, least=1),
    num_group=Int(1),
    workspace=Int(1024),
    no_bias=Bool(False),
    cudnn_tune=Text(None),
    cudnn_off=Bool(False),
    layout=Text(None),
)


def only_channels_first(a: Attributes) -> Any:
    if a.layout not in (None, 'NCW', 'NCHW', 'NCDHW'):
        raise MXNetError(
            f"layout {a.layout} is not there in Cantik's MXNet layer: channels come before pixels (NCHW)"
        )


def add_bias(g: Lowering, v: Any, bias: Any, rank: Any) -> Any:
    if bias is None:
        return v
    return call(
        'plus', (v, call('reshape', (g.plain(bias).v,), (bias.shape + (1,) * rank, None, None), '')), (), ''
    )


@operator(
    'Convolution',
    lambda a: ['data', 'weight'] + ([] if a.no_bias else ['bias']),
    batch_axis=0,
    complete=complete_convolution,
    back=convolution_back,
    aliases=('Convolution_v1',),
    **WINDOW,
    **FILTERS,
)
def convolution(g: Lowering, a: Attributes, x: Any, w: Any, bias: Any = None) -> Any:
    """Convolution of pictures [batch, channels, pixels...] with filters [filters, channels / groups,
    taps...]."""
    only_channels_first(a)
    rank = len(a.kernel)
    if x.ndim != rank + 2:
        raise MXNetError(
            'Input data should be {}D in batch-num_filter-{}: {}'.format(
                rank + 2, 'xyz'[:rank], text(x.shape)
            )
        )
    x = g.by_rows(x)
    pad = per_axis(a.pad, rank, 0, 'pad')
    v = call(
        'convolution',
        (g.plain(w).v, x.v),
        (
            per_axis(a.stride, rank, 1, 'stride'),
            [True],
            [False],
            False,
            per_axis(a.dilate, rank, 1, 'dilate'),
            1,
            a.num_group,
            0,
            (0,) + pad,
            (0,) + pad,
            False,
            (),
        ),
        '',
    )
    return g.value(add_bias(g, v, bias, rank), True, x.shape[0], x.dtype)


def complete_deconvolution(a: Attributes, shapes: Sequence[Any]) -> Any:
    data = shapes[0]
    if data is None:
        return shapes
    return [data, (data[1], a.num_filter // a.num_group) + a.kernel] + [(a.num_filter,)] * (len(shapes) - 2)


@operator(
    'Deconvolution',
    lambda a: ['data', 'weight'] + ([] if a.no_bias else ['bias']),
    batch_axis=0,
    complete=complete_deconvolution,
    back=batch_back,
    **WINDOW,
    adj=Shape(()),
    target_shape=Shape(()),
    **{**FILTERS, 'no_bias': Bool(True)},
)
def deconvolution(g: Lowering, a: Attributes, x: Any, w: Any, bias: Any = None) -> Any:
    """The transpose of a convolution: from the results' shape to the pictures'."""
    only_channels_first(a)
    rank = len(a.kernel)
    stride, pad, adj = (
        per_axis(a.stride, rank, 1, 'stride'),
        per_axis(a.pad, rank, 0, 'pad'),
        per_axis(a.adj, rank, 0, 'adj'),
    )
    dilate = per_axis(a.dilate, rank, 1, 'dilate')
    if x.shape[1] % a.num_group or a.num_filter % a.num_group:
        raise MXNetError(
            f'Deconvolution: {a.num_group} groups of {x.shape[1]} channels and {a.num_filter} filters'
        )
    reach = [(k - 1) * d + 1 for k, d in zip(a.kernel, dilate)]
    x = g.by_rows(x)
    if a.target_shape:
        sizes = a.target_shape
        total = [(n - 1) * s + k - t for n, s, k, t in zip(x.shape[2:], stride, reach, sizes)]
        pad = tuple((t + 1) // 2 for t in total)
    else:
        sizes = tuple(
            (n - 1) * s + k - 2 * p + e for n, s, k, p, e in zip(x.shape[2:], stride, reach, pad, adj)
        )
    behind = [(n - 1) * s + k - p - m for n, s, k, p, m in zip(x.shape[2:], stride, reach, pad, sizes)]
    v = call(
        'correlate_adjoint',
        (x.v, g.plain(w).v),
        (
            a.kernel,
            stride,
            dilate,
            pad,
            behind,
            [False] * rank,
            False,
            a.num_group,
            (a.num_filter,) + tuple(sizes),
        ),
        '',
    )
    return g.value(add_bias(g, v, bias, rank), True, x.shape[0], x.dtype)


@operator(
    'Pooling',
    batch_axis=0,
    back=batch_back,
    kernel=Shape(()),
    pool_type=Text('max', choices=('max', 'avg', 'sum', 'lp')),
    global_pool=Bool(False),
    cudnn_off=Bool(False),
    pooling_convention=Text('valid', choices=('valid', 'full', 'same')),
    stride=Shape(()),
    pad=Shape(()),
    p_value=Int(None),
    count_include_pad=Bool(True),
    layout=Text(None),
    aliases=('Pooling_v1',),
)
def pooling(g: Lowering, a: Attributes, x: Any) -> Any:
    """The largest number, the mean or the sum of each window of pixels."""
    only_channels_first(a)
    rank = x.ndim - 2
    if a.pool_type == 'lp':  # the p-th root of the sum of p-th powers
        power = a.p_value or 2
        total = pooling(g, Attributes(a, pool_type='sum'), g.map('ieee_pow', g.op('abs', x), power))
        return g.map('ieee_pow', total, 1 / power)
    if a.global_pool:
        if a.pool_type != 'max':
            return g.reduce({'avg': 'reduce_mean', 'sum': 'reduce_sum'}[a.pool_type], x, range(2, x.ndim))
        a = Attributes(
            a, kernel=x.shape[2:], stride=(), pad=(), pooling_convention='valid'
        )  # of equals the first one has the gradient
    if len(a.kernel) != rank:
        raise MXNetError(
            f'Pooling: the kernel has {len(a.kernel)} axes, the pictures {text(x.shape)} have {rank}'
        )
    x = g.by_rows(x)
    stride, pad = per_axis(a.stride, rank, 1, 'stride'), per_axis(a.pad, rank, 0, 'pad')
    for size, k, p in zip(x.shape[2:], a.kernel, pad):
        if k > size + 2 * p:
            raise MXNetError(
                f'Check failed: param.kernel[0] <= dshape[2] + 2 * param.pad[0]: kernel size ({k}) exceeds '
                f'input ({size} padded to {size + 2 * p})'
            )
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
    v = call(
        'pooling',
        (x.v,),
        (
            0 if a.pool_type == 'max' else 1,
            a.kernel,
            stride,
            [False],
            full,
            inside or a.pool_type == 'sum',
            pad,
            behind,
        ),
        '',
    )
    if a.pool_type == 'sum':
        v = call('element_times', (v, float(_count(a.kernel))), (), '')
    return g.value(v, True, x.shape[0], x.dtype)


def _count(shape):
    n = 1
    for s in shape:
        n *= s
    return n


@operator(
    'Dropout',
    by_batch=True,
    p=Float(0.5, least=0, most=1),
    mode=Text('training', choices=('training', 'always')),
    axes=Shape(()),
    cudnn_off=Bool(False),
    random=True,
    alike=True,
)
def dropout(g: Lowering, a: Attributes, x: Any) -> Any:
    """In training, numbers are 0 with probability p, the others grow so that the mean stays."""
    if not 0 <= a.p < 1:
        raise MXNetError(f'value {a.p} for Parameter p exceed bound [0,1)')
    if not (g.train or a.mode == 'always') or a.p == 0:
        return g.op('alias', x)
    if a.axes or not g.keeps:  # Cantik's dropout acts in runs that keep what gradients need
        shape = tuple(1 if i in [axis_at(j, x.ndim) for j in a.axes] else s for i, s in enumerate(x.shape))
        kept = g.map(
            'less',
            Val(call('uniform', (), (shape, g.compute, 0.0, 1.0, None), ''), False, shape, x.dtype),
            1 - a.p,
        )
        return g.times(x, g.stop(g.times(kept, 1 / (1 - a.p))))
    return g.op('dropout', x, a.p, None)


def complete_leaky_relu(a: Attributes, shapes: Sequence[Any]) -> Any:
    if a.act_type == 'prelu' and shapes[0] is not None and shapes[1] is None:
        shapes[1] = (shapes[0][1],) if len(shapes[0]) > 1 else (1,)
    return shapes


@operator(
    'LeakyReLU',
    lambda a: ['data', 'gamma'] if a.act_type == 'prelu' else ['data'],
    by_batch=True,
    complete=complete_leaky_relu,
    random=True,
    act_type=Text('leaky', choices=('leaky', 'prelu', 'elu', 'selu', 'gelu', 'rrelu')),
    slope=Float(0.25),
    lower_bound=Float(0.125),
    upper_bound=Float(0.334),
)
def leaky_relu(g: Lowering, a: Attributes, x: Any, gamma: Any = None) -> Any:
    """x above 0; below it a part of x, or of e^x - 1."""

    def below(y):
        """The operand above 0, else y."""
        return g.map('element_select', g.map('greater', x, 0), x, y)

    if a.act_type == 'leaky':
        return below(g.times(x, a.slope))
    if a.act_type == 'elu':
        return below(g.times(g.op('expm1', g.map('element_select', g.map('greater', x, 0), 0, x)), a.slope))
    if a.act_type == 'selu':
        return g.op('selu', x)
    if a.act_type == 'prelu':
        if gamma.ndim == 1 and x.ndim > 1:
            gamma = g.reshape(gamma, (1, gamma.shape[0]) + (1,) * (x.ndim - 2))
        return below(g.times(x, gamma))
    if (
        a.act_type == 'gelu'
    ):  # x times the probability that a normal number is below it (Hendrycks, Gimpel 2016)
        return g.times(x, g.times(g.plus(g.op('erf', g.times(x, 0.5**0.5)), 1), 0.5))
    if not g.train:
        return below(g.times(x, (a.lower_bound + a.upper_bound) / 2))
    slope = Val(
        call('uniform', (), (x.shape, g.compute, a.lower_bound, a.upper_bound, None), ''),
        False,
        x.shape,
        x.dtype,
    )
    return below(g.times(x, g.stop(slope)))


def enlarged(g: Lowering, x: Any, s: Any) -> Any:
    """Every pixel becomes a square of pixels."""
    n, c, h, w = x.shape
    x = spread(g, g.reshape(g.plain(x), (n, c, h, 1, w, 1)), (n, c, h, s, w, s))
    return g.reshape(x, (n, c, h * s, w * s))


def complete_upsampling(a: Attributes, shapes: Sequence[Any]) -> Any:
    if a.sample_type != 'bilinear' or shapes[0] is None:
        return shapes
    kernel = 2 * a.scale - a.scale % 2
    return [shapes[0], (a.num_filter, 1, kernel, kernel)]


def upsampling_operands(a: Attributes) -> Any:
    if a.sample_type == 'bilinear':
        return ['data', 'weight']
    return ['data'] if a.num_args <= 1 else numbered('arg', a.num_args)


@operator(
    'UpSampling',
    upsampling_operands,
    variadic='num_args',
    complete=complete_upsampling,
    scale=Int(required=True, least=1),
    num_filter=Int(0),
    sample_type=Text(required=True, choices=('nearest', 'bilinear')),
    multi_input_mode=Text('concat', choices=('concat', 'sum')),
    num_args=Int(1),
    workspace=Int(512),
)
def upsampling(g: Lowering, a: Attributes, *values: Any) -> Any:
    """Pictures several times as large: every pixel becomes a square, or pixels between others are means, by a
    Deconvolution of each channel."""
    if a.sample_type == 'bilinear':
        x, w = values
        more = Attributes(
            layout=None,
            kernel=w.shape[2:],
            stride=(a.scale,) * 2,
            pad=(-(-(a.scale - 1) // 2),) * 2,
            adj=(),
            dilate=(),
            target_shape=(),
            num_filter=a.num_filter,
            num_group=a.num_filter,
        )
        return deconvolution(g, more, x, w)
    size = values[0].shape[2] * a.scale
    made = [enlarged(g, x, size // x.shape[2]) for x in values]
    if a.multi_input_mode == 'concat':
        return g.splice(made, 1)
    total = made[0]
    for x in made[1:]:
        total = g.plus(total, x)
    return total
