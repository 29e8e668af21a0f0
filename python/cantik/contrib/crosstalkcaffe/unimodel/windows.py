"""Where the windows of convolutions and poolings stand: sizes rounded as in Caffe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...._types import FlagsLike, ShapeLike

__all__ = ['convolved', 'pooled']


def convolved(size: int, kernel: int, stride: int, pad: FlagsLike, dilation: ShapeLike = 1) -> Any:
    """How many windows fit on an axis, with `pad` zeros on each side.

    Example:
        >>> convolved(8, kernel=3, stride=2, pad=1)
        4
    """
    return _positive((size + 2 * pad - (dilation * (kernel - 1) + 1)) // stride + 1, size, kernel, pad)


def pooled(size: int, kernel: int, stride: int, pad: FlagsLike) -> tuple[Any, Any]:
    """How many windows a pooling has on an axis, and how far behind its end they reach. The last window
    begins before the end and may be cut by the border of the padding.

    Returns:
        (windows, numbers behind the axis); a negative count is of the axis' own last numbers, which no window
        has

    Example:
        >>> pooled(8, kernel=3, stride=2, pad=0), pooled(4, kernel=3, stride=2, pad=1)
        ((4, 0), (3, 1))
        >>> pooled(8, kernel=2, stride=3, pad=1)
        (3, -1)
    """
    if pad >= kernel:
        raise ValueError(f'the padding must be smaller than the window of {kernel}, and is {pad}')
    windows = _positive(-((kernel - size - 2 * pad) // stride) + 1, size, kernel, pad)
    if (windows - 1) * stride >= size + pad:
        windows -= 1
    return windows, min(pad, (windows - 1) * stride + kernel - size - pad)


def _positive(windows, size, kernel, pad):
    if windows < 1:
        raise ValueError(f'a window of {kernel} does not fit an axis of {size} with a padding of {pad}')
    return windows
