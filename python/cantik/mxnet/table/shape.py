"""Operators that move numbers about: shapes, slices, joins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import MXNetError, axis_at
from ..lower import Val, call, spread, text
from .entry import Axes, Bool, Float, Int, Shape, Text, numbered, operator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes


def _count(shape):
    n = 1
    for s in shape:
        n *= s
    return n


def new_shape(shape: Any, wanted: Any, reverse: bool = False) -> Any:
    """MXNet's codes in a shape: 0 copies, -1 is inferred, -2 copies the rest, -3 joins two axes, -4 splits
    one into the two that follow."""
    if reverse:
        if any(w in (-2, -3, -4) for w in wanted):
            raise MXNetError('reshape: -2, -3 and -4 cannot be read from behind')
        return new_shape(shape[::-1], wanted[::-1])[::-1]
    made, at, i = [], 0, 0
    while i < len(wanted):
        w = wanted[i]
        if w == 0:
            made.append(shape[at])
            at += 1
        elif w == -1:
            made.append(-1)
            at += 1
        elif w == -2:
            made += shape[at:]
            at = len(shape)
        elif w == -3:
            made.append(shape[at] * shape[at + 1])
            at += 2
        elif w == -4:
            first, second = wanted[i + 1 : i + 3]
            size = shape[at]
            first, second = (
                (size // second if first == -1 else first),
                (size // first if second == -1 else second),
            )
            if first * second != size:
                raise MXNetError(f'reshape: an axis of {size} does not split into {first} and {second}')
            made += [first, second]
            at += 1
            i += 2
        else:
            made.append(w)
            at += 1
        i += 1
    total = _count(shape)
    if made.count(-1) > 1:
        raise MXNetError('One and only one dim can be inferred')
    if -1 in made:
        rest = _count([m for m in made if m != -1])
        made[made.index(-1)] = total // rest if rest else 0
    if _count(made) != total:
        raise MXNetError(
            'Check failed: oshape.Size() == dshape.Size(): Target shape size is different to source. '
            f'Target: {text(made)}\nSource: {text(shape)}'
        )
    return tuple(made)


def same_count(a: Attributes, shapes: Sequence[Any], results: Any) -> Any:
    """One unknown axis of the operand follows from the number of elements."""
    data, made = shapes[0], results[0]
    if data is None or made is None or data.count(0) != 1 or 0 in made:
        return []
    size, left = divmod(_count(made), _count([d for d in data if d]))
    return [] if left else [tuple(d or size for d in data)]


def without_axis(a: Attributes, shapes: Sequence[Any], results: Any) -> Any:
    """The result's shape without the new axis."""
    made = results[0]
    if made is None:
        return []
    at = axis_at(a.axis, len(made))
    return [made[:at] + made[at + 1 :]]


def other_axes(axis: Any) -> Any:
    """The operands have the result's shape but for one axis."""

    def back(a, shapes, results):
        made = next((r for r in results if r is not None), None)
        if made is None:
            return []
        at = axis_at(axis(a), len(made))
        return [made[:at] + (0,) + made[at + 1 :]] * len(shapes)

    return back


def complete_concat(a: Attributes, shapes: Sequence[Any]) -> Any:
    """The operands have one shape but for one axis."""
    known = next((s for s in shapes if s is not None), None)
    if known is None:
        return shapes
    at = axis_at(a.dim, len(known))
    return [
        s
        if s is not None and len(s) != len(known)
        else tuple(
            0 if i == at else max((t[i] for t in shapes if t is not None and len(t) == len(known)), default=0)
            for i in range(len(known))
        )
        for s in shapes
    ]


@operator(
    'Reshape',
    back=same_count,
    aliases=('reshape',),
    shape=Shape(()),
    reverse=Bool(False),
    target_shape=Shape(()),
    keep_highest=Bool(False),
)
def reshape(g: Lowering, a: Attributes, x: Any) -> Any:
    """The same numbers under another shape."""
    if not a.shape and a.target_shape:
        return g.reshape(
            x,
            new_shape(
                x.shape,
                ((0,) + a.target_shape[1:])
                if a.keep_highest
                else tuple(-1 if s == 0 else s for s in a.target_shape),
            ),
        )
    try:
        return g.reshape(x, new_shape(x.shape, a.shape, a.reverse))
    except IndexError:
        raise MXNetError(
            f'reshape: the shape {text(a.shape)} speaks of more axes than {text(x.shape)} has'
        ) from None


@operator(
    'reshape_like', 'lhs rhs', lhs_begin=Int(None), lhs_end=Int(None), rhs_begin=Int(None), rhs_end=Int(None)
)
def reshape_like(g: Lowering, a: Attributes, x: Any, y: Any) -> Any:
    """The left operand's numbers under the right one's shape; or some of its axes become some of the
    other's."""

    def part(v, begin, end):
        return slice(*slice(begin, end).indices(v.ndim)[:2])

    mine, other = part(x, a.lhs_begin, a.lhs_end), part(y, a.rhs_begin, a.rhs_end)
    wanted = x.shape[: mine.start] + y.shape[other] + x.shape[mine.stop :]
    if _count(wanted) != x.size:
        raise MXNetError(f'reshape_like: {text(x.shape)} cannot become {text(wanted)}')
    return g.reshape(x, wanted)


@operator('Flatten', by_batch=True, aliases=('flatten',))
def flatten(g: Lowering, a: Attributes, x: Any) -> Any:
    """All axes but the first are joined."""
    return g.reshape(x, (x.shape[0], _count(x.shape[1:])))


@operator('expand_dims', back=without_axis, axis=Int(required=True))
def expand_dims(g: Lowering, a: Attributes, x: Any) -> Any:
    """A new axis of size 1."""
    at = axis_at(a.axis, x.ndim + 1)
    return g.reshape(x, x.shape[:at] + (1,) + x.shape[at:])


@operator('squeeze', axis=Axes(None))
def squeeze(g: Lowering, a: Attributes, x: Any) -> Any:
    """Without axes of size 1."""
    axes = (
        [i for i, s in enumerate(x.shape) if s == 1]
        if a.axis is None
        else [axis_at(i, x.ndim) for i in ((a.axis,) if isinstance(a.axis, int) else a.axis)]
    )
    if any(x.shape[i] != 1 for i in axes):
        raise MXNetError(
            'cannot select an axis to squeeze out which has '
            f'size={next(x.shape[i] for i in axes if x.shape[i] != 1)} not equal to one'
        )
    return g.reshape(x, tuple(s for i, s in enumerate(x.shape) if i not in axes) or (1,))


@operator('transpose', axes=Shape(()))
def transpose(g: Lowering, a: Attributes, x: Any) -> Any:
    """The axes in another order, by default from behind."""
    axes = a.axes or tuple(reversed(range(x.ndim)))
    if sorted(axis_at(i, x.ndim) for i in axes) != list(range(x.ndim)):
        raise MXNetError(f'transpose: the axes {text(axes)} are no order of {x.ndim} axes')
    return g.transpose(x, axes)


@operator('SwapAxis', aliases=('swapaxes',), dim1=Int(0), dim2=Int(0))
def swap_axis(g: Lowering, a: Attributes, x: Any) -> Any:
    """Two axes change places."""
    axes = list(range(x.ndim))
    first, second = axis_at(a.dim1, x.ndim), axis_at(a.dim2, x.ndim)
    axes[first], axes[second] = second, first
    return g.transpose(x, axes)


def reach(size: Any, begin: Any, end: Any, step: Any = 1) -> Any:
    """Where a slice begins and ends, as Cantik's slice has it; steps may be negative."""
    positions = range(size)[slice(begin, end, step)]
    if not len(positions):
        raise MXNetError(f'a slice from {begin} to {end} of {size} elements is empty')
    low, high = min(positions), max(positions)
    return low, high + 1, step


def sliced(g: Lowering, x: Any, axis: Any, begin: Any, end: Any, step: Any = 1) -> Any:
    low, high, step = reach(x.shape[axis], begin, end, step)
    return x if (low, high, step) == (0, x.shape[axis], 1) else g.slice(x, axis, low, high, step)


@operator('slice_axis', axis=Int(required=True), begin=Int(required=True), end=Int(None))
def slice_axis(g: Lowering, a: Attributes, x: Any) -> Any:
    """A part along one axis."""
    return sliced(g, x, axis_at(a.axis, x.ndim), a.begin, a.end)


@operator('slice', aliases=('crop',), begin=Shape(required=True), end=Shape(required=True), step=Shape(()))
def slice_(g: Lowering, a: Attributes, x: Any) -> Any:
    """A part along the first axes."""
    for axis, (begin, end) in enumerate(zip(a.begin, a.end)):
        x = sliced(g, x, axis, begin, end, (a.step[axis] if axis < len(a.step) else None) or 1)
    return x


@operator('slice_like', 'data shape_like', axes=Shape(()))
def slice_like(g: Lowering, a: Attributes, x: Any, like: Any) -> Any:
    """The first part of the operand, as large as the other one along these axes."""
    for axis in [axis_at(i, x.ndim) for i in a.axes] or range(x.ndim):
        x = sliced(g, x, axis, 0, like.shape[axis])
    return x


@operator('reverse', aliases=('flip',), axis=Axes(required=True))
def reverse(g: Lowering, a: Attributes, x: Any) -> Any:
    """From behind, along some axes."""
    for axis in (a.axis,) if isinstance(a.axis, int) else a.axis:
        axis = axis_at(axis, x.ndim)
        x = g.slice(x, axis, 0, x.shape[axis], -1)
    return x


def split_back(a: Attributes, shapes: Sequence[Any], results: Any) -> Any:
    """The parts have the operand's shape but for one axis, which may be gone."""
    made = next((r for r in results if r is not None), None)
    if made is None or a.squeeze_axis:
        return []
    at = axis_at(a.axis, len(made))
    return [made[:at] + (made[at] * a.num_outputs,) + made[at + 1 :]]


@operator(
    'SliceChannel',
    back=split_back,
    aliases=('split',),
    num_outputs=Int(required=True, least=1),
    axis=Int(1),
    squeeze_axis=Bool(False),
    outputs=lambda a: numbered('output', a.num_outputs) if a.num_outputs > 1 else ['output'],
)
def slice_channel(g: Lowering, a: Attributes, x: Any) -> Any:
    """Equal parts along an axis."""
    axis = axis_at(a.axis, x.ndim)
    size, left = divmod(x.shape[axis], a.num_outputs)
    if left:
        raise MXNetError(
            f'num_outputs ({a.num_outputs}) does not divide input dimension {axis} ({x.shape[axis]})'
        )
    parts = [sliced(g, x, axis, i * size, (i + 1) * size) for i in range(a.num_outputs)]
    return (
        [g.reshape(p, p.shape[:axis] + p.shape[axis + 1 :]) for p in parts]
        if a.squeeze_axis and size == 1
        else parts
    )


@operator(
    '_split_v2',
    indices=Shape(required=True),
    axis=Int(1),
    squeeze_axis=Bool(False),
    sections=Int(0),
    outputs=lambda a: (
        numbered('output', a.sections or len(a.indices)) if (a.sections or len(a.indices)) > 1 else ['output']
    ),
)
def split_v2(g: Lowering, a: Attributes, x: Any) -> Any:
    """Parts along an axis: as many as it is said, or from each index to the next one."""
    axis = axis_at(a.axis, x.ndim)
    size = x.shape[axis]
    if a.sections and size % a.sections:
        raise MXNetError(f'split_v2: {a.sections} parts of {size} elements')
    begins = range(0, size, size // a.sections) if a.sections else a.indices
    parts = [sliced(g, x, axis, b, e) for b, e in zip(begins, [*begins[1:], size])]
    return [g.reshape(p, p.shape[:axis] + p.shape[axis + 1 :]) for p in parts] if a.squeeze_axis else parts


def places_of(x: Any, a: Attributes) -> Any:
    """The flat places of a part of the operand."""
    step = a.step or (None,) * len(a.begin)
    key = tuple(slice(b, e, s or None) for b, e, s in zip(a.begin, a.end, step))
    return np.arange(x.size).reshape(x.shape)[key]


@operator(
    '_slice_assign',
    'lhs rhs',
    aliases=('_crop_assign',),
    begin=Shape(required=True),
    end=Shape(required=True),
    step=Shape(()),
)
def slice_assign(g: Lowering, a: Attributes, x: Any, y: Any) -> Any:
    """The left operand with a part of it replaced."""
    at = places_of(x, a)
    if at.shape != y.shape:
        raise MXNetError(
            f'_slice_assign: the part has the shape {text(at.shape)}, the right operand {text(y.shape)}'
        )
    places = np.full(x.size, -1)
    places[at.ravel()] = np.arange(at.size)
    source = np.where(places < 0, np.arange(x.size), x.size + places)
    both = g.splice([g.reshape(g.plain(v), (v.size, 1)) for v in (x, y)], 0)
    return g.reshape(
        Val(call('gather', (both.v, g.constant(source).v), (None,), ''), False, (x.size, 1), x.dtype), x.shape
    )


@operator(
    '_slice_assign_scalar',
    aliases=('_crop_assign_scalar',),
    begin=Shape(required=True),
    end=Shape(required=True),
    step=Shape(()),
    scalar=Float(0.0),
)
def slice_assign_scalar(g: Lowering, a: Attributes, x: Any) -> Any:
    """The operand with a number in a part of it."""
    mask = np.zeros(x.size)
    mask[places_of(x, a).ravel()] = 1
    return g.map('element_select', g.constant(mask.reshape(x.shape)), a.scalar, x)


@operator(
    'Concat',
    lambda a: numbered('arg', a.num_args),
    complete=complete_concat,
    back=other_axes(lambda a: a.dim),
    aliases=('concat',),
    variadic='num_args',
    num_args=Int(required=True, least=1),
    dim=Int(1),
)
def concat(g: Lowering, a: Attributes, *values: Any) -> Any:
    """Side by side along an axis."""
    axis = axis_at(a.dim, values[0].ndim)
    for v in values[1:]:
        if v.ndim != values[0].ndim or any(
            s != t for i, (s, t) in enumerate(zip(v.shape, values[0].shape)) if i != axis
        ):
            raise MXNetError(
                'Concat: the shapes differ in other axes than {}: {}'.format(
                    a.dim, ' '.join(text(v.shape) for v in values)
                )
            )
    return g.splice(values, axis)


@operator(
    'stack',
    lambda a: numbered('arg', a.num_args),
    variadic='num_args',
    num_args=Int(required=True),
    axis=Int(0),
)
def stack(g: Lowering, a: Attributes, *values: Any) -> Any:
    """Side by side along a new axis."""
    at = axis_at(a.axis, values[0].ndim + 1)
    return g.splice([g.reshape(v, v.shape[:at] + (1,) + v.shape[at:]) for v in values], at)


@operator('tile', reps=Shape(required=True))
def tile(g: Lowering, a: Attributes, x: Any) -> Any:
    """The operand again and again along its axes."""
    if any(n < 1 for n in a.reps):
        raise MXNetError(f'invalid reps={a.reps}, dim size must be positive')
    reps = (1,) * (x.ndim - len(a.reps)) + a.reps
    shape = (1,) * (len(reps) - x.ndim) + x.shape
    pairs = list(zip(reps, shape))
    apart = g.reshape(g.plain(x), tuple(n for size in shape for n in (1, size)))
    return g.reshape(
        spread(g, apart, tuple(n for pair in pairs for n in pair)), tuple(n * size for n, size in pairs)
    )


@operator('repeat', repeats=Int(required=True), axis=Axes(None))
def repeat(g: Lowering, a: Attributes, x: Any) -> Any:
    """Each element several times along an axis."""
    if a.axis is None:
        x, axis = g.reshape(x, (x.size,)), 0
    else:
        axis = axis_at(a.axis, x.ndim)
    shape = x.shape
    x = g.reshape(g.plain(x), shape[: axis + 1] + (1,) + shape[axis + 1 :])
    x = spread(g, x, shape[: axis + 1] + (a.repeats,) + shape[axis + 1 :])
    return g.reshape(x, shape[:axis] + (shape[axis] * a.repeats,) + shape[axis + 1 :])


def spread_to(g: Lowering, x: Any, shape: Any) -> Any:
    """The operand spread to a shape of as many axes."""
    if len(shape) != x.ndim or any(s not in (1, w) for s, w in zip(x.shape, shape)):
        raise MXNetError(
            f'Check failed: Operand of shape {text(x.shape)} cannot be broadcasted to {text(shape)}'
        )
    return spread(g, x, shape)


@operator('broadcast_to', shape=Shape(required=True))
def broadcast_to(g: Lowering, a: Attributes, x: Any) -> Any:
    """Axes of size 1 are spread."""
    return spread_to(
        g,
        x,
        tuple(s if w == 0 else w for s, w in zip(x.shape, a.shape)) if len(a.shape) == x.ndim else a.shape,
    )


@operator('broadcast_axis', aliases=('broadcast_axes',), axis=Shape(()), size=Shape(()))
def broadcast_axis(g: Lowering, a: Attributes, x: Any) -> Any:
    """Some axes of size 1 are spread."""
    if len(a.axis) != len(a.size):
        raise MXNetError(
            f'broadcast_axis: there is a size for each axis, not {len(a.size)} for {len(a.axis)}'
        )
    for axis in a.axis:
        if not 0 <= axis < x.ndim or x.shape[axis] != 1:
            raise MXNetError(
                'Check failed: oshape[param.axis[i]] == 1U: Broadcasting axis must have size 1: axis '
                f'{axis} of {text(x.shape)}'
            )
    sizes = dict(zip(a.axis, a.size))
    return spread(g, x, tuple(sizes.get(i, s) for i, s in enumerate(x.shape)))


@operator('broadcast_like', 'lhs rhs', lhs_axes=Axes(None), rhs_axes=Axes(None))
def broadcast_like(g: Lowering, a: Attributes, x: Any, like: Any) -> Any:
    """Axes of size 1 are spread as the other operand has them."""
    if a.lhs_axes is not None:
        sizes = {
            axis_at(i, x.ndim): like.shape[axis_at(j, like.ndim)] for i, j in zip(a.lhs_axes, a.rhs_axes)
        }
        return spread_to(g, x, tuple(sizes.get(i, s) for i, s in enumerate(x.shape)))
    return spread_to(g, x, like.shape)


@operator(
    'Pad',
    aliases=('pad',),
    mode=Text(required=True, choices=('constant', 'edge', 'reflect')),
    pad_width=Shape(required=True),
    constant_value=Float(0.0),
)
def pad(g: Lowering, a: Attributes, x: Any) -> Any:
    """Numbers around the operand: a pair of counts for each axis."""
    pairs = list(zip(a.pad_width[::2], a.pad_width[1::2]))
    if len(pairs) != x.ndim:
        raise MXNetError(f'Pad: pad_width has a pair for each of the {x.ndim} axes')
    if a.mode == 'edge':
        for axis, (before, behind) in enumerate(pairs):
            parts = [sliced(g, x, axis, 0, 1)] * before + [x] + [sliced(g, x, axis, -1, None)] * behind
            x = g.splice(parts, axis) if len(parts) > 1 else x
        return x
    x = g.plain(x) if pairs[0] != (0, 0) else x
    return g.like(
        call(
            'pad',
            (x.v,),
            (pairs[1:] if x.rows else pairs, {'constant': 0, 'reflect': 1}[a.mode], a.constant_value),
            '',
        ),
        x,
    )


def depth_blocks(g: Lowering, x: Any, b: Any, back: Any) -> Any:
    n, c, h, w = x.shape
    if back:  # space to depth
        x = g.transpose(g.reshape(x, (n, c, h // b, b, w // b, b)), (0, 3, 5, 1, 2, 4))
        return g.reshape(x, (n, c * b * b, h // b, w // b))
    x = g.transpose(g.reshape(x, (n, b, b, c // (b * b), h, w)), (0, 3, 4, 1, 5, 2))
    return g.reshape(x, (n, c // (b * b), h * b, w * b))


@operator('depth_to_space', block_size=Int(required=True))
def depth_to_space(g: Lowering, a: Attributes, x: Any) -> Any:
    """Channels become blocks of pixels."""
    return depth_blocks(g, x, a.block_size, False)


@operator('space_to_depth', block_size=Int(required=True))
def space_to_depth(g: Lowering, a: Attributes, x: Any) -> Any:
    """Blocks of pixels become channels."""
    return depth_blocks(g, x, a.block_size, True)


@operator('shape_array', types=lambda a, types: np.int64)
def shape_array(g: Lowering, a: Attributes, x: Any) -> Any:
    """The shape as an array."""
    return g.constant(x.shape)


@operator('size_array', types=lambda a, types: np.int64)
def size_array(g: Lowering, a: Attributes, x: Any) -> Any:
    """The number of elements as an array."""
    return g.constant([x.size])
