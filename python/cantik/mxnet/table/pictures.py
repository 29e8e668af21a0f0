"""Pictures [batch, channels, height, width]: parts, sizes, sampling between pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import MXNetError
from ..lower import Val, call, text
from .entry import Axes, Bool, Float, Int, Shape, Text, numbered, operator

if TYPE_CHECKING:
    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes


@operator(
    'Crop',
    lambda a: numbered('arg', a.num_args),
    variadic='num_args',
    num_args=Int(required=True),
    offset=Shape((0, 0)),
    h_w=Shape((0, 0)),
    center_crop=Bool(False),
)
def crop(g: Lowering, a: Attributes, x: Any, like: Any = None) -> Any:
    """A part of each picture, as large as another operand's or as it is said."""
    size = like.shape[2:4] if like is not None else a.h_w
    offset = tuple((n - s) // 2 for n, s in zip(x.shape[2:], size)) if a.center_crop else a.offset
    for axis, (begin, n) in enumerate(zip(offset, size), 2):
        if n < 1 or begin + n > x.shape[axis]:
            raise MXNetError(f'Crop: {n} pixels from {begin} on are not in {text(x.shape)}')
        x = g.slice(x, axis, begin, begin + n)
    return x


def along_axis(g: Lowering, x: Any, axis: Any, matrix: Any) -> Any:
    """The matrix [new size, size] times the numbers along an axis."""
    order = [i for i in range(x.ndim) if i != axis]
    last = g.transpose(g.plain(x), order + [axis])
    flat = g.reshape(last, (last.size // last.shape[-1], last.shape[-1]))
    v = call('times', (flat.v, g.constant(matrix.T).v), (1, None), '')
    made = g.reshape(Val(v, False, (flat.shape[0], len(matrix)), x.dtype), last.shape[:-1] + (len(matrix),))
    order = list(range(x.ndim - 1))
    order.insert(axis, x.ndim - 1)
    return g.transpose(made, order)


def between(old: Any, new: Any, corners: Any) -> Any:
    """Each new pixel as a mean of two old ones."""
    matrix = np.zeros((new, old))
    for i in range(new):
        if corners:
            at = i * (old - 1) / max(new - 1, 1)
        else:
            at = max((i + 0.5) * old / new - 0.5, 0.0)
        low = min(int(at), old - 1)
        high = min(low + 1, old - 1)
        matrix[i, low] += 1 - (at - low)
        matrix[i, high] += at - low
    return matrix


@operator(
    '_contrib_BilinearResize2D',
    height=Int(1),
    width=Int(1),
    scale_height=Float(None),
    scale_width=Float(None),
    mode=Text('size', choices=('size',)),
    align_corners=Bool(True),
)
def bilinear_resize(g: Lowering, a: Attributes, x: Any) -> Any:
    """Another size; pixels between others are means of them."""
    sizes = [
        int(n * s) if s else m
        for n, s, m in zip(x.shape[2:], (a.scale_height, a.scale_width), (a.height, a.width))
    ]
    for axis, size in enumerate(sizes, 2):
        x = along_axis(g, x, axis, between(x.shape[axis], size, a.align_corners))
    return x


@operator('_contrib_AdaptiveAvgPooling2D', output_size=Axes(()))
def adaptive_average(g: Lowering, a: Attributes, x: Any) -> Any:
    """Means over as many parts of each picture as the result has pixels."""
    size = (a.output_size,) * 2 if isinstance(a.output_size, int) else tuple(a.output_size or (1, 1))
    for axis, n in enumerate(size * (2 // len(size)), 2):
        old = x.shape[axis]
        matrix = np.zeros((n, old))
        for i in range(n):
            begin, end = i * old // n, -(-(i + 1) * old // n)
            matrix[i, begin:end] = 1 / (end - begin)
        x = along_axis(g, x, axis, matrix)
    return x


def base_grid(height: Any, width: Any) -> Any:
    """x and y of each pixel, from -1 to 1: [2, height * width]."""

    def line(n):
        return np.linspace(-1, 1, n) if n > 1 else np.array([-1.0])

    y, x = np.meshgrid(line(height), line(width), indexing='ij')
    return np.stack([x.ravel(), y.ravel()])


@operator(
    'GridGenerator',
    transform_type=Text(required=True, choices=('affine', 'warp')),
    target_shape=Shape((0, 0)),
)
def grid_generator(g: Lowering, a: Attributes, x: Any) -> Any:
    """Where a picture is sampled, from -1 to 1: by an affine map [batch, 6] of the pixels, or their shift
    [batch, 2, height, width] in pixels."""
    if a.transform_type == 'affine':
        height, width = a.target_shape
        n = x.shape[0]
        pixels = np.concatenate([base_grid(height, width), np.ones((1, height * width))])
        flat = g.reshape(g.plain(x), (n * 2, 3))
        v = call('times', (flat.v, g.constant(pixels).v), (1, None), '')
        return g.reshape(Val(v, False, (n * 2, height * width), x.dtype), (n, 2, height, width))
    height, width = x.shape[2:]
    scale = np.array([max((width - 1) / 2, 1e-300), max((height - 1) / 2, 1e-300)]).reshape(1, 2, 1, 1)
    return g.plus(
        g.divide(x, g.constant(scale)), g.constant(base_grid(height, width).reshape(1, 2, height, width))
    )


@operator('BilinearSampler', 'data grid', cudnn_off=Bool(None))
def bilinear_sampler(g: Lowering, a: Attributes, x: Any, grid: Any) -> Any:
    """The pictures at places from -1 to 1; between pixels their means, outside of them 0."""
    n, channels, height, width = x.shape
    grid = g.plain(grid)
    rows = g.reshape(g.transpose(g.plain(x), (0, 2, 3, 1)), (n * height * width, channels))
    batch, new = g.constant(np.arange(n).reshape(n, 1, 1) * height * width), grid.shape[2:]
    at = [
        g.times(g.plus(g.reshape(g.slice(grid, 1, i, i + 1), (n,) + new), 1), (size - 1) / 2)
        for i, size in enumerate((width, height))
    ]
    low = [g.stop(g.op('floor', v)) for v in at]
    total = None
    for dx in (0, 1):
        for dy in (0, 1):
            places, weight, inside = [], None, None
            for v, begin, step, size in zip(at, low, (dx, dy), (width, height)):
                place = g.plus(begin, step)
                near = g.minus(1, g.minus(v, begin)) if step == 0 else g.minus(v, begin)
                within = g.times(g.map('greater_equal', place, 0), g.map('less', place, size))
                places.append(g.map('ieee_clip', place, 0, size - 1))
                weight = near if weight is None else g.times(weight, near)
                inside = within if inside is None else g.times(inside, within)
            flat = g.stop(g.plus(g.plus(g.times(places[1], width), places[0]), batch))
            values = Val(
                call('gather', (rows.v, flat.v), (None,), ''), False, (n,) + new + (channels,), x.dtype
            )
            part = g.times(values, g.reshape(g.times(weight, g.stop(inside)), (n,) + new + (1,)))
            total = part if total is None else g.plus(total, part)
    return g.transpose(total, (0, 3, 1, 2))


@operator(
    'SpatialTransformer',
    'data loc',
    target_shape=Shape((0, 0)),
    transform_type=Text(required=True, choices=('affine',)),
    sampler_type=Text(required=True, choices=('bilinear',)),
    cudnn_off=Bool(None),
)
def spatial_transformer(g: Lowering, a: Attributes, x: Any, loc: Any) -> Any:
    """The pictures, sampled by an affine map of their pixels (Jaderberg et al. 2015)."""
    return bilinear_sampler(g, a, x, grid_generator(g, a, loc))
