"""Pooling layers: the maximum or the average of windows, or of whole images, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _cantik
from .._cantik import ArgumentError
from .._refusals import shown
from .._types import ShapeLike
from ..default_options import default_override_or
from ..ops.functions import Function
from ._options import chosen

if TYPE_CHECKING:
    from .._types import FlagsLike

__all__ = ['MaxPooling', 'AveragePooling', 'GlobalMaxPooling', 'GlobalAveragePooling', 'MaxUnpooling']

_layers = _cantik.layers


def _window(layer, filter_shape):
    """The window of a pooling: a tuple. One number is not enough, as the number of axes is not known yet."""
    if not isinstance(filter_shape, (tuple, list)):
        size = filter_shape if isinstance(filter_shape, int) else 2
        raise ArgumentError(
            f'{layer}: filter_shape must be a tuple with a number for each axis of the window, not '
            f'{shown(filter_shape)}\n'
            f'  remedy   give ({size}, {size}) for a window on images'
        )
    return tuple(filter_shape)


def MaxPooling(
    filter_shape: ShapeLike,
    strides: ShapeLike = 1,
    pad: FlagsLike = default_override_or(False),
    name: str = '',
) -> Function:
    """The largest element of each window.

    Args:
        filter_shape (tuple): of the window, without channels
        strides (int or tuple): from one window to the next, for each axis
        pad (bool or tuple): whether windows may reach beyond the input, for each axis
        name (str): of the layer

    Returns:
        a function of one argument

    Example:
        >>> import cantik as C
        >>> C.layers.MaxPooling((3, 3), strides=2)(C.input_variable((8, 28, 28))).shape
        (8, 13, 13)
    """
    (pad,) = chosen(MaxPooling, pad=pad)
    return _layers.max_pooling(_window('MaxPooling', filter_shape), strides, pad, name)


def AveragePooling(
    filter_shape: ShapeLike,
    strides: ShapeLike = 1,
    pad: FlagsLike = default_override_or(False),
    name: str = '',
) -> Function:
    """The mean of each window; see MaxPooling for the arguments.

    Example:
        >>> import cantik as C
        >>> C.layers.AveragePooling((2, 2), strides=2)(C.input_variable((1, 4, 4))).shape
        (1, 2, 2)
    """
    (pad,) = chosen(AveragePooling, pad=pad)
    return _layers.average_pooling(_window('AveragePooling', filter_shape), strides, pad, name)


def GlobalMaxPooling(name: str = '') -> Function:
    """The largest element of each channel.

    Example:
        >>> import cantik as C
        >>> C.layers.GlobalMaxPooling()(C.input_variable((3, 4, 4))).shape
        (3, 1, 1)
    """
    return _layers.global_max_pooling(name)


def GlobalAveragePooling(name: str = '') -> Function:
    """The mean of each channel.

    Example:
        >>> import cantik as C
        >>> C.layers.GlobalAveragePooling()(C.input_variable((3, 4, 4))).shape
        (3, 1, 1)
    """
    return _layers.global_average_pooling(name)


def MaxUnpooling(
    filter_shape: ShapeLike, strides: ShapeLike = 1, pad: FlagsLike = False, name: str = ''
) -> Function:
    """Puts the results of a MaxPooling back where they came from.

    Args:
        filter_shape (tuple): of the pooling's window
        strides (int or tuple): of the pooling
        pad (bool or tuple): of the pooling
        name (str): of the layer

    Returns:
        a function of two arguments: the pooled values, and what the pooling saw

    Example:
        >>> import cantik as C
        >>> x = C.input_variable((1, 4, 4))
        >>> C.layers.MaxUnpooling((2, 2), strides=2)(C.layers.MaxPooling((2, 2), strides=2)(x), x).shape
        (1, 4, 4)
    """
    return _layers.max_unpooling(_window('MaxUnpooling', filter_shape), strides, pad, name)
