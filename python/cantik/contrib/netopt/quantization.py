"""Networks whose convolutions work on bits: for training, and on packed bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import ops
from ..._checks import callable_object, flags, variable, whole
from ...initializer import glorot_uniform
from ...misc import convert
from ...variables import Parameter
from ._blocks import function_inside, refilled, weights_of
from .custom_convolution_ops import CustomMultibit

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._types import FlagsLike, InitLike, ShapeLike
    from ...ops.functions import Function

__all__ = [
    'binarize_convolution',
    'convert_to_native_binary_convolution',
    'convert_to_binary_convolution',
    'binary_convolution',
]


def binarize_convolution(
    model: Function,
    train_function: Callable[[Function], Any],
    filter_function: Callable[[Function], bool] | None = None,
) -> Function:
    """A copy of a model with convolutions on packed bits, trained in between.

    Args:
        model (Function): the network
        train_function: trains the network it is given; called with the copy whose convolutions are binary
        filter_function: from a layer to whether it is made binary; by default all convolutions are

    Returns:
        the trained copy with native convolutions

    Example:
        >>> import cantik as C
        >>> z = C.layers.Convolution2D((3, 3), 8)(C.input_variable((4, 6, 6)))
        >>> fast = C.contrib.netopt.quantization.binarize_convolution(z, lambda model: None)
        >>> fast.shape
        (8, 4, 4)
    """
    callable_object(train_function, 'train_function')
    binary = convert_to_binary_convolution(model, filter_function)
    train_function(binary)
    return convert_to_native_binary_convolution(binary)


def convert_to_binary_convolution(
    model: Function, filter_function: Callable[[Function], bool] | None = None
) -> Function:
    """A copy of a model with convolutions of signs and their means in the place of its convolutional layers'.
    They train with the straight-through estimator.

    The filters begin with the values that the layers have (CNTK draws new ones); bias, activation and the
    rest of the model are shared with it.

    Args:
        model (Function): the network
        filter_function: from a layer to whether it is made binary; by default all convolutions are

    Returns:
        the copy; each of its binary convolutions is a block of the kind BinaryConvolution

    Example:
        >>> import cantik as C
        >>> z = C.layers.Convolution2D((3, 3), 8, activation=C.relu)(C.input_variable((4, 6, 6)))
        >>> b = C.contrib.netopt.quantization.convert_to_binary_convolution(z)
        >>> len(
        ...     C.logging.graph.depth_first_search(
        ...         b, lambda f: type(f) is C.Function and f.op_name == 'BinaryConvolution', depth=0
        ...     )
        ... )
        1
    """
    if filter_function is not None:
        callable_object(filter_function, 'filter_function')

    def chosen(node):
        return (
            node.is_block
            and node.op_name == 'Convolution'
            and len(node.block_arguments_mapping) == 1
            and (filter_function is None or filter_function(node))
        )

    def converter(node):
        inner = function_inside(node, 'Convolution')
        _refuse(inner, node)
        W = Parameter(init=weights_of(inner).value, name='filter')
        return refilled(node, inner, lambda x: _block(W, x, _options(inner), ''))

    return convert(model, chosen, converter)


def binary_convolution(
    filter_shape: ShapeLike,
    num_filters: ShapeLike = 1,
    channels: int = 1,
    init: InitLike = glorot_uniform(),
    pad: FlagsLike = False,
    strides: ShapeLike = 1,
    name: str = 'BinaryConvolution',
) -> Callable[..., Function]:
    """A layer: the convolution of an operand with filters, of both of which one level of signs and their mean
    are taken.

    Args:
        filter_shape (tuple): of the kernel, without channels
        num_filters (int): channels of the result
        channels (int): of the operand
        init: first values of the filters
        pad (bool or tuple): whether the operand is padded along each axis of pixels
        strides (int or tuple): from one position to the next
        name (str): of the layer

    Returns:
        a function of one operand, [channels, pixels...], with the parameter `filter`

    Example:
        >>> import cantik as C
        >>> f = C.contrib.netopt.quantization.binary_convolution((3, 3), num_filters=5, channels=4, pad=True)
        >>> f(C.input_variable((4, 8, 8))).shape
        (5, 8, 8)
    """
    num_filters, channels = whole(num_filters, 'num_filters', 1), whole(channels, 'channels', 1)
    filter_shape = tuple(filter_shape) if isinstance(filter_shape, (tuple, list)) else (filter_shape,)
    if isinstance(pad, (tuple, list)) and len(pad) != len(filter_shape):
        raise ValueError(f'pad has {len(pad)} values for {len(filter_shape)} axes')
    pads = flags(pad, 'pad') if isinstance(pad, (tuple, list)) else flags(pad, 'pad') * len(filter_shape)

    def convolution(operand):
        operand = variable(operand, 'the operand')
        W = Parameter((num_filters, channels) + filter_shape, init=init, name='filter')
        return _block(
            W,
            operand,
            dict(
                strides=strides if isinstance(strides, (tuple, list)) else (strides,),
                auto_padding=[False, *pads],
            ),
            name,
        )

    return convolution


def convert_to_native_binary_convolution(model: Function, means: bool = False) -> Function:
    """A copy of a model with its BinaryConvolution blocks on packed bits: the operator `binary_convolve`.

    As CNTK's native function, convolutions of one level give the plain sum of the signs, without the means
    that the block multiplies them by. With several levels the means are what makes them differ: they stay.

    Args:
        model (Function): as `convert_to_binary_convolution` makes it, or loaded; bit maps have to be the same
          number everywhere
        means (bool): whether they stay with one level too: then the copy computes what the model computes

    Returns:
        the copy; it shares the model's parameters

    Example:
        >>> import cantik as C
        >>> z = C.layers.Convolution2D((3, 3), 8)(C.input_variable((4, 6, 6)))
        >>> b = C.contrib.netopt.quantization.convert_to_binary_convolution(z)
        >>> n = C.contrib.netopt.quantization.convert_to_native_binary_convolution(b)
        >>> len(
        ...     C.logging.graph.depth_first_search(
        ...         n, lambda f: type(f) is C.Function and f.op_name == 'BinaryConvolveOp', depth=0
        ...     )
        ... )
        1
    """

    def converter(node):
        inner = function_inside(node, 'Convolution')
        _refuse(inner, node)
        (W, map_bits, map_scale), (_, bits, scale) = (_quantized(v, node) for v in inner.inputs)
        if not (W.is_parameter or W.is_constant):
            raise NotImplementedError(
                f'the filters of {node.name or node.uid} are computed: native convolutions take '
                'parameters and constants'
            )
        if scale == 'filter':
            raise NotImplementedError(
                f'{node.name or node.uid} has a mean for each channel of its operand: native '
                'convolutions have one for all'
            )
        ((_, outside),) = [
            pair for pair in node.block_arguments_mapping if not (pair[1].is_parameter or pair[1].is_constant)
        ]
        if not means and bits == map_bits == 1:
            scale = map_scale = 'none'
        return ops.binary_convolve(
            W,
            outside,
            bits=bits,
            map_bits=map_bits,
            scale=scale,
            map_scale=map_scale,
            name=node.name,
            **_options(inner),
        )

    return convert(model, lambda f: f.is_block and f.op_name == 'BinaryConvolution', converter)


def _block(W, operand, options, name):
    """convolution(Multibit(W), Multibit(operand)), one level each, as one block."""
    place = ops.placeholder(name=operand.name)
    body = ops.convolution(CustomMultibit(W, 1), CustomMultibit(place, 1), **options)
    return ops.as_block(body, [(place, operand)], 'BinaryConvolution', name)


def _options(convolution):
    a = convolution.attributes
    return dict(
        strides=a['strides'],
        auto_padding=list(a['autoPadding']),
        dilation=a['dilation'],
        groups=a['groups'],
        lower_pad=a['lowerPad'],
        upper_pad=a['upperPad'],
    )


def _refuse(convolution, layer):
    a = convolution.attributes
    for key, value, text in (('transpose', True, 'transposed'), ('sequential', True, 'over steps')):
        if a.get(key) == value:
            raise NotImplementedError(
                f'the convolution of {layer.name or layer.uid} is {text}: there is no binary one of that kind'
            )


def _quantized(v, layer):
    """What a convolution reads: the value, its levels, and how they are scaled."""
    f = v.owner if v.is_output else None
    here = layer.name or layer.uid
    if f is not None and f.op_name == 'StraightThrough':
        return f.inputs[0], 1, 'none'
    if f is not None and f.op_name == 'Multibit' and f.is_block:
        x, bit_map = (outside for _, outside in f.block_arguments_mapping)
        per_filter = f.attributes.get('perFilter', f.attributes.get('per_filter'))
        return x, _bits(bit_map.value, here), 'filter' if per_filter else 'mean'
    if (
        f is not None and f.op_name == 'UserFunction'
    ):  # by what a file says of it: the program's own classes of these names count too
        record = f.serialize()
        kind, state = record['class'], record['state']
        if kind in ('SignWithEstimation', 'pySign'):
            return f.inputs[0], 1, 'none'
        if kind in ('Multibit', 'MultibitKernel') and 'bit_map' in state:
            return (
                f.inputs[0],
                _bits(np.asarray(state['bit_map']), here),
                'mean' if kind == 'Multibit' else 'filter',
            )
    raise NotImplementedError(
        f'{here} reads {v}: a binary convolution reads CustomSign, CustomMultibit or CustomMultibitKernel'
    )


def _bits(bit_map, layer):
    bits = np.unique(bit_map)
    if len(bits) != 1 or bits[0] < 1:
        raise NotImplementedError(
            f'{layer} has a bit map of {bits}: native convolutions have the same number of levels everywhere'
        )
    return int(bits[0])
