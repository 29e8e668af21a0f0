"""Layers of feed-forward networks. Each makes a function of one argument, whose parameters it shares however
often it is applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import flag, flags, number, whole
from .._types import ShapeLike
from ..default_options import default_override_or
from ..initializer import glorot_uniform
from ..ops.functions import Function
from ._options import chosen, dtype, shape as _shape
from ._pooling import AveragePooling, GlobalAveragePooling, GlobalMaxPooling, MaxPooling, MaxUnpooling
from .blocks import identity

if TYPE_CHECKING:
    from .._types import ActivationLike, FlagsLike, InitLike

__all__ = [
    'Dense',
    'Embedding',
    'SequentialConvolution',
    'Convolution',
    'Convolution1D',
    'Convolution2D',
    'Convolution3D',
    'ConvolutionTranspose',
    'ConvolutionTranspose1D',
    'ConvolutionTranspose2D',
    'ConvolutionTranspose3D',
    'MaxPooling',
    'AveragePooling',
    'GlobalMaxPooling',
    'GlobalAveragePooling',
    'MaxUnpooling',
    'Dropout',
    'Activation',
    'BatchNormalization',
    'LayerNormalization',
    'Label',
]

_layers = _cantik.layers
_AUTO_SEED = _cantik.SentinelValueForAutoSelectRandomSeed


def _activation(f):
    return None if f is identity else f


def Dense(
    shape: ShapeLike,
    activation: ActivationLike = default_override_or(identity),
    init: InitLike = default_override_or(glorot_uniform()),
    input_rank: int | None = None,
    map_rank: int | None = None,
    bias: bool = default_override_or(True),
    init_bias: InitLike = default_override_or(0),
    name: str = '',
) -> Function:
    """y = activation(x · W + b).

    Args:
        shape (int or tuple): of the result
        activation: a function, a layer, or the name of an operator
        init: first values of W
        input_rank (int): how many of the input's last axes are summed over; all by default
        map_rank (int): how many of its first axes stay; only one of the two can be given
        bias (bool): whether there is a b
        init_bias: first values of b
        name (str): of the layer

    Returns:
        a function of one argument with the parameters W : [input..., shape...] and b : [shape...]

    Example:
        >>> import cantik as C
        >>> f = C.layers.Dense(5, activation=C.relu)
        >>> f(C.input_variable(3)).shape, f.W.shape, f.b.shape
        ((5,), (3, 5), (5,))
    """
    activation, init, bias, init_bias = chosen(
        Dense, activation=activation, init=init, bias=bias, init_bias=init_bias
    )
    return _layers.dense(
        _shape(shape),
        _activation(activation),
        init,
        input_rank,
        map_rank,
        bool(bias),
        init_bias,
        dtype(),
        name,
    )


def Embedding(
    shape: ShapeLike | None = None,
    init: InitLike = default_override_or(glorot_uniform()),
    weights: Any = None,
    name: str = '',
    *,
    vocabulary: int | None = None,
) -> Function:
    """y = x · E: a dense row for each one-hot one; with a vocabulary y = E[x], for integers.

    Args:
        shape (int or tuple): of the result
        init: first values of E, where it is learned
        weights: a table as an array, where it is not
        name (str): of the layer
        vocabulary (int): how many rows E has, where x are whole numbers, each the number of a row, from 0
            on; without it, x is one-hot. A number outside of the table is a ValueError when it is looked up.

    Returns:
        a function of one argument with the parameter (or constant) E : [input, shape...]; with a
        vocabulary, E : [vocabulary, shape...], and an argument of the shape s gives s + shape

    Raises:
        ValueError: where there is neither a shape nor weights, or the two, or the vocabulary, disagree

    Example:
        >>> import cantik as C
        >>> f = C.layers.Embedding(3)
        >>> f(C.input_variable(10)).shape, f.E.shape
        ((3,), (10, 3))
        >>> words = C.layers.Embedding(3, vocabulary=10)
        >>> words(C.sequence.input_variable(())).shape, words(C.input_variable(20)).shape
        ((3,), (20, 3))
    """
    rows = 0 if vocabulary is None else whole(vocabulary, 'vocabulary', least=1)
    if weights is not None:
        if not isinstance(init, default_override_or):
            raise ValueError('Embedding: init and weights options are mutually exclusive')
        weights = np.asarray(weights)
        if weights.ndim != 2:
            raise ValueError(f'Embedding: weights must be a table, not an array of {weights.ndim} axes')
        if shape is not None and _shape(shape) != weights.shape[1:]:
            raise ValueError(
                f'Embedding: the shape {shape} is not that of the rows of weights, {weights.shape[1:]}'
            )
        return _layers.embedding(None, 0, weights, rows, dtype(), name)
    if shape is None:
        raise ValueError('Embedding: output shape must be specified')
    (init,) = chosen(Embedding, init=init)
    return _layers.embedding(_shape(shape), init, None, rows, dtype(), name)


def SequentialConvolution(
    filter_shape: ShapeLike,
    num_filters: ShapeLike | None = None,
    activation: ActivationLike = default_override_or(identity),
    init: InitLike = default_override_or(glorot_uniform()),
    pad: FlagsLike = default_override_or(False),
    strides: ShapeLike = 1,
    sharing: FlagsLike = True,
    bias: bool = default_override_or(True),
    init_bias: InitLike = default_override_or(0),
    reduction_rank: int = 1,
    transpose_weight: bool = False,
    dilation: ShapeLike = 1,
    groups: int = 1,
    max_temp_mem_size_in_samples: int = 0,
    op_name: str = 'Convolution',
    name: str = '',
) -> Function:
    """A convolution whose first axis are the steps of sequences: y = activation(W * x + b).

    Args:
        filter_shape (int or tuple): of the kernel, without channels; its first axis goes along the steps
        num_filters (int or tuple): channels of the result; by default it has no channel axis
        activation: a function, a layer, or the name of an operator
        init: first values of W
        pad (bool or tuple): whether zeros around the input keep its size, for each axis
        strides (int or tuple): from one position to the next, for each axis
        sharing (bool): the same kernel at all positions; nothing else is supported
        bias (bool): whether there is a b
        init_bias: first values of b
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        transpose_weight (bool): not supported
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        groups (int): 1; the operator convolution has groups
        max_temp_mem_size_in_samples (int): accepted for CNTK's sake, of no effect
        op_name (str): of the block
        name (str): of the layer

    Returns:
        a function of a sequence with the parameters W : [filters, channels, kernel...] and b : [filters,
        1...]; the result is a sequence on an axis of its own

    Example:
        >>> import cantik as C
        >>> f = C.layers.SequentialConvolution(3, 8, pad=True)
        >>> f(C.sequence.input_variable(5)).shape, f.W.shape
        ((8,), (8, 5, 3))
    """
    activation, init, pad, bias, init_bias = chosen(
        SequentialConvolution, activation=activation, init=init, pad=pad, bias=bias, init_bias=init_bias
    )
    if not all(flags(sharing, 'sharing')):
        raise NotImplementedError('Convolution: sharing option currently must be True')
    if transpose_weight:
        raise NotImplementedError('Convolution: transpose_weight option currently not supported')
    return _layers.sequential_convolution(
        _shape(filter_shape),
        num_filters,
        _activation(activation),
        init,
        pad,
        strides,
        bool(bias),
        init_bias,
        reduction_rank,
        dilation,
        groups,
        max_temp_mem_size_in_samples,
        op_name,
        dtype(),
        name,
    )


def Convolution(
    filter_shape: ShapeLike,
    num_filters: ShapeLike | None = None,
    sequential: bool = False,
    activation: ActivationLike = default_override_or(identity),
    init: InitLike = default_override_or(glorot_uniform()),
    pad: FlagsLike = default_override_or(False),
    strides: ShapeLike = 1,
    sharing: FlagsLike = True,
    bias: bool = default_override_or(True),
    init_bias: InitLike = default_override_or(0),
    reduction_rank: int = 1,
    transpose_weight: bool = False,
    dilation: ShapeLike = 1,
    groups: int = 1,
    max_temp_mem_size_in_samples: int = 0,
    op_name: str = 'Convolution',
    name: str = '',
) -> Function:
    """y = activation(W * x + b), over as many of the last axes as the filter has.

    Args:
        filter_shape (int or tuple): of the kernel, without channels
        num_filters (int or tuple): channels of the result; by default it has no channel axis
        sequential (bool): the first axis of the filter is that of the steps; where it is padded, the result
          keeps the sequence axis
        activation: a function, a layer, or the name of an operator
        init: first values of W
        pad (bool or tuple): whether zeros around the input keep its size, for each axis
        strides (int or tuple): from one position to the next, for each axis
        sharing (bool): the same kernel at all positions; nothing else is supported
        bias (bool): whether there is a b
        init_bias: first values of b
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        transpose_weight (bool): not supported
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        groups (int): 1; the operator convolution has groups
        max_temp_mem_size_in_samples (int): accepted for CNTK's sake, of no effect
        op_name (str): of the block
        name (str): of the layer

    Returns:
        a function of one argument with the parameters W : [filters, channels, kernel...] and b : [filters,
        1...]

    Example:
        >>> import cantik as C
        >>> f = C.layers.Convolution((3, 3), 8, pad=True)
        >>> f(C.input_variable((1, 28, 28))).shape, f.W.shape
        ((8, 28, 28), (8, 1, 3, 3))
    """
    activation, init, pad, bias, init_bias = chosen(
        Convolution, activation=activation, init=init, pad=pad, bias=bias, init_bias=init_bias
    )
    if not all(flags(sharing, 'sharing')):
        raise NotImplementedError('Convolution: sharing option currently must be True')
    if transpose_weight:
        raise NotImplementedError('Convolution: transpose_weight option currently not supported')
    make = _layers.convolution_along_steps if flag(sequential, 'sequential') else _layers.convolution
    return make(
        _shape(filter_shape),
        num_filters,
        _activation(activation),
        init,
        pad,
        strides,
        bool(bias),
        init_bias,
        reduction_rank,
        dilation,
        groups,
        max_temp_mem_size_in_samples,
        op_name,
        dtype(),
        name,
    )


def _of_rank(layer, rank, filter_shape):
    filter_shape = _shape(filter_shape)
    if len(filter_shape) == 1:  # one number stands for all axes
        filter_shape *= rank
    if len(filter_shape) != rank:
        raise ValueError(f'{layer}: the filter has {len(filter_shape)} axes, not {rank}')
    return filter_shape


def Convolution1D(
    filter_shape: ShapeLike,
    num_filters: ShapeLike | None = None,
    activation: ActivationLike = default_override_or(identity),
    init: InitLike = default_override_or(glorot_uniform()),
    pad: FlagsLike = default_override_or(False),
    strides: ShapeLike = 1,
    bias: bool = default_override_or(True),
    init_bias: InitLike = default_override_or(0),
    reduction_rank: int = 1,
    dilation: ShapeLike = 1,
    name: str = '',
    groups: int = 1,
) -> Function:
    """A Convolution along one axis; see there for the arguments.

    Example:
        >>> import cantik as C
        >>> C.layers.Convolution1D(5, 8)(C.input_variable((3, 10))).shape
        (8, 6)
    """
    activation, init, pad, bias, init_bias = chosen(
        Convolution1D, activation=activation, init=init, pad=pad, bias=bias, init_bias=init_bias
    )
    return Convolution(
        _of_rank('Convolution1D', 1, filter_shape),
        num_filters,
        activation=activation,
        init=init,
        pad=pad,
        strides=strides,
        bias=bias,
        init_bias=init_bias,
        reduction_rank=reduction_rank,
        dilation=dilation,
        groups=groups,
        name=name,
    )


def Convolution2D(
    filter_shape: ShapeLike,
    num_filters: ShapeLike | None = None,
    activation: ActivationLike = default_override_or(identity),
    init: InitLike = default_override_or(glorot_uniform()),
    pad: FlagsLike = default_override_or(False),
    strides: ShapeLike = 1,
    bias: bool = default_override_or(True),
    init_bias: InitLike = default_override_or(0),
    reduction_rank: int = 1,
    dilation: ShapeLike = 1,
    groups: int = 1,
    name: str = '',
) -> Function:
    """A Convolution along two axes; see there for the arguments.

    Example:
        >>> import cantik as C
        >>> C.layers.Convolution2D((3, 3), 16, pad=True, strides=2)(C.input_variable((3, 8, 8))).shape
        (16, 4, 4)
    """
    activation, init, pad, bias, init_bias = chosen(
        Convolution2D, activation=activation, init=init, pad=pad, bias=bias, init_bias=init_bias
    )
    return Convolution(
        _of_rank('Convolution2D', 2, filter_shape),
        num_filters,
        activation=activation,
        init=init,
        pad=pad,
        strides=strides,
        bias=bias,
        init_bias=init_bias,
        reduction_rank=reduction_rank,
        dilation=dilation,
        groups=groups,
        name=name,
    )


def Convolution3D(
    filter_shape: ShapeLike,
    num_filters: ShapeLike | None = None,
    activation: ActivationLike = default_override_or(identity),
    init: InitLike = default_override_or(glorot_uniform()),
    pad: FlagsLike = default_override_or(False),
    strides: ShapeLike = 1,
    bias: bool = default_override_or(True),
    init_bias: InitLike = default_override_or(0),
    reduction_rank: int = 1,
    dilation: ShapeLike = 1,
    groups: int = 1,
    name: str = '',
) -> Function:
    """A Convolution along three axes; see there for the arguments.

    Example:
        >>> import cantik as C
        >>> C.layers.Convolution3D((3, 3, 3), 2)(C.input_variable((1, 4, 8, 8))).shape
        (2, 2, 6, 6)
    """
    activation, init, pad, bias, init_bias = chosen(
        Convolution3D, activation=activation, init=init, pad=pad, bias=bias, init_bias=init_bias
    )
    return Convolution(
        _of_rank('Convolution3D', 3, filter_shape),
        num_filters,
        activation=activation,
        init=init,
        pad=pad,
        strides=strides,
        bias=bias,
        init_bias=init_bias,
        reduction_rank=reduction_rank,
        dilation=dilation,
        groups=groups,
        name=name,
    )


def ConvolutionTranspose(
    filter_shape: ShapeLike,
    num_filters: ShapeLike,
    activation: ActivationLike = default_override_or(identity),
    init: InitLike = default_override_or(glorot_uniform()),
    pad: FlagsLike = default_override_or(False),
    strides: ShapeLike = 1,
    sharing: FlagsLike = True,
    bias: bool = default_override_or(True),
    init_bias: InitLike = default_override_or(0),
    output_shape: ShapeLike | None = None,
    reduction_rank: int = 1,
    dilation: ShapeLike = 1,
    max_temp_mem_size_in_samples: int = 0,
    name: str = '',
) -> Function:
    """The transpose of a convolution: the result is as large as an input of which the convolution would make
    x.

    Args:
        filter_shape (int or tuple): of the kernel, without channels
        num_filters (int or tuple): channels of the result
        activation: a function, a layer, or the name of an operator
        init: first values of W
        pad (bool or tuple): whether the convolution pads, for each axis
        strides (int or tuple): of the convolution, for each axis
        sharing (bool): the same kernel at all positions; nothing else is supported
        bias (bool): whether there is a b
        init_bias: first values of b
        output_shape (tuple): of the result without channels, where strides leave it open
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        max_temp_mem_size_in_samples (int): accepted for CNTK's sake, of no effect
        name (str): of the layer

    Returns:
        a function of one argument with the parameters W : [channels, filters, kernel...] and b : [filters,
        1...]

    Example:
        >>> import cantik as C
        >>> f = C.layers.ConvolutionTranspose((3, 3), 8, strides=2)
        >>> f(C.input_variable((4, 5, 5))).shape
        (8, 11, 11)
    """
    activation, init, pad, bias, init_bias = chosen(
        ConvolutionTranspose, activation=activation, init=init, pad=pad, bias=bias, init_bias=init_bias
    )
    if not all(flags(sharing, 'sharing')):
        raise NotImplementedError('ConvolutionTranspose: sharing option currently must be True')
    if num_filters is None:
        raise TypeError('ConvolutionTranspose: num_filters must be given')
    return _layers.convolution_transpose(
        _shape(filter_shape),
        _shape(num_filters),
        _activation(activation),
        init,
        pad,
        strides,
        bool(bias),
        init_bias,
        output_shape,
        reduction_rank,
        dilation,
        max_temp_mem_size_in_samples,
        dtype(),
        name,
    )


def ConvolutionTranspose1D(
    filter_shape: ShapeLike,
    num_filters: ShapeLike,
    activation: ActivationLike = default_override_or(identity),
    init: InitLike = default_override_or(glorot_uniform()),
    pad: FlagsLike = default_override_or(False),
    strides: ShapeLike = 1,
    bias: bool = default_override_or(True),
    init_bias: InitLike = default_override_or(0),
    output_shape: ShapeLike | None = None,
    reduction_rank: int = 1,
    dilation: ShapeLike = 1,
    name: str = '',
) -> Function:
    """A ConvolutionTranspose along one axis; see there for the arguments.

    Example:
        >>> import cantik as C
        >>> C.layers.ConvolutionTranspose1D(2, 8, strides=2)(C.input_variable((3, 10))).shape
        (8, 20)
    """
    activation, init, pad, bias, init_bias = chosen(
        ConvolutionTranspose1D, activation=activation, init=init, pad=pad, bias=bias, init_bias=init_bias
    )
    return ConvolutionTranspose(
        _of_rank('ConvolutionTranspose1D', 1, filter_shape),
        num_filters,
        activation,
        init,
        pad,
        strides,
        True,
        bias,
        init_bias,
        output_shape,
        reduction_rank=reduction_rank,
        dilation=dilation,
        name=name,
    )


def ConvolutionTranspose2D(
    filter_shape: ShapeLike,
    num_filters: ShapeLike,
    activation: ActivationLike = default_override_or(identity),
    init: InitLike = default_override_or(glorot_uniform()),
    pad: FlagsLike = default_override_or(False),
    strides: ShapeLike = 1,
    bias: bool = default_override_or(True),
    init_bias: InitLike = default_override_or(0),
    output_shape: ShapeLike | None = None,
    reduction_rank: int = 1,
    dilation: ShapeLike = 1,
    name: str = '',
) -> Function:
    """A ConvolutionTranspose along two axes; see there for the arguments.

    Example:
        >>> import cantik as C
        >>> C.layers.ConvolutionTranspose2D((2, 2), 4, strides=2)(C.input_variable((3, 8, 8))).shape
        (4, 16, 16)
    """
    activation, init, pad, bias, init_bias = chosen(
        ConvolutionTranspose2D, activation=activation, init=init, pad=pad, bias=bias, init_bias=init_bias
    )
    return ConvolutionTranspose(
        _of_rank('ConvolutionTranspose2D', 2, filter_shape),
        num_filters,
        activation,
        init,
        pad,
        strides,
        True,
        bias,
        init_bias,
        output_shape,
        reduction_rank=reduction_rank,
        dilation=dilation,
        name=name,
    )


def ConvolutionTranspose3D(
    filter_shape: ShapeLike,
    num_filters: ShapeLike,
    activation: ActivationLike = default_override_or(identity),
    init: InitLike = default_override_or(glorot_uniform()),
    pad: FlagsLike = default_override_or(False),
    strides: ShapeLike = 1,
    bias: bool = default_override_or(True),
    init_bias: InitLike = default_override_or(0),
    output_shape: ShapeLike | None = None,
    reduction_rank: int = 1,
    dilation: ShapeLike = 1,
    name: str = '',
) -> Function:
    """A ConvolutionTranspose along three axes; see there for the arguments.

    Example:
        >>> import cantik as C
        >>> C.layers.ConvolutionTranspose3D((2, 2, 2), 3, strides=2)(C.input_variable((1, 2, 4, 4))).shape
        (3, 4, 8, 8)
    """
    activation, init, pad, bias, init_bias = chosen(
        ConvolutionTranspose3D, activation=activation, init=init, pad=pad, bias=bias, init_bias=init_bias
    )
    return ConvolutionTranspose(
        _of_rank('ConvolutionTranspose3D', 3, filter_shape),
        num_filters,
        activation,
        init,
        pad,
        strides,
        True,
        bias,
        init_bias,
        output_shape,
        reduction_rank=reduction_rank,
        dilation=dilation,
        name=name,
    )


def Dropout(
    dropout_rate: float | None = None, keep_prob: float | None = None, seed: int = _AUTO_SEED, name: str = ''
) -> Function:
    """In training each element is 0 with a probability; the others are scaled so that the mean stays.

    Args:
        dropout_rate (float): the probability of 0
        keep_prob (float): that of the others; one of the two must be given
        seed (int): of the random numbers; by default the process' next one
        name (str): of the layer

    Returns:
        a function of one argument

    Example:
        >>> import cantik as C, numpy as np
        >>> C.layers.Dropout(0.5)(C.input_variable(2)).eval(np.array([[3, 4]]))
        array([[3., 4.]], dtype=float32)
    """
    if dropout_rate is None and keep_prob is None:
        raise ValueError('Dropout: either dropout_rate or keep_prob must be specified.')
    if dropout_rate is not None and keep_prob is not None:
        raise ValueError('Dropout: dropout_rate and keep_prob cannot be specified at the same time.')
    if dropout_rate is None:
        keep_prob = number(keep_prob, 'keep_prob')
        if not 0 < keep_prob <= 1:
            raise ValueError('Dropout: keep_prob must be in the interval (0,1]')
        dropout_rate = 1 - keep_prob
    return _layers.dropout(dropout_rate, seed, name)


def Activation(activation: ActivationLike = default_override_or(identity), name: str = '') -> Function:
    """An activation function as a layer.

    Args:
        activation: a function, or the name of an operator
        name (str): of the layer

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(3)
        >>> C.layers.Activation(C.relu)(x).eval({x: np.array([[-1, 0, 2]], np.float32)})
        array([[0., 0., 2.]], dtype=float32)
    """
    (activation,) = chosen(Activation, activation=activation)
    return _layers.activation(_activation(activation), name)


def BatchNormalization(
    map_rank: int = default_override_or(None),
    init_scale: Any = 1,
    normalization_time_constant: float = default_override_or(5000),
    blend_time_constant: float = 0,
    epsilon: float = default_override_or(0.00001),
    use_cntk_engine: bool = default_override_or(False),
    disable_regularization: bool = default_override_or(False),
    name: str = '',
) -> Function:
    """Each element, or each channel, with mean 0 and variance 1 over the batch, then scaled and shifted
    (Ioffe and Szegedy 2015).

    Args:
        map_rank (int): 1 for one mean and variance a channel, None for one an element
        init_scale: first values of the scale
        normalization_time_constant (float): how many samples the running statistics remember
        blend_time_constant (float): how many samples' worth the running statistics count in training
        epsilon (float): added to the variance
        use_cntk_engine (bool): written to files, of no effect here
        disable_regularization (bool): leaves scale and bias out of L1 and L2 regularisation
        name (str): of the layer

    Returns:
        a function of one argument with the parameters scale and bias and the constants aggregate_mean,
        aggregate_variance, aggregate_count

    Example:
        >>> import cantik as C, numpy as np
        >>> z = C.layers.BatchNormalization(map_rank=1)(C.input_variable((3, 4, 4)))
        >>> z.shape, z.scale.shape
        ((3, 4, 4), (3,))
    """
    map_rank, normalization_time_constant, epsilon, use_cntk_engine, disable_regularization = chosen(
        BatchNormalization,
        map_rank=map_rank,
        normalization_time_constant=normalization_time_constant,
        epsilon=epsilon,
        use_cntk_engine=use_cntk_engine,
        disable_regularization=disable_regularization,
    )
    return _layers.batch_normalization(
        map_rank,
        init_scale,
        normalization_time_constant,
        blend_time_constant,
        epsilon,
        flag(use_cntk_engine, 'use_cntk_engine'),
        flag(disable_regularization, 'disable_regularization'),
        dtype(),
        name,
    )


def LayerNormalization(
    initial_scale: Any = 1,
    initial_bias: Any = 0,
    epsilon: float = default_override_or(0.00001),
    name: str = '',
) -> Function:
    """Each sample with mean 0 and deviation 1, then scaled and shifted (Ba et al. 2016).

    Args:
        initial_scale: first values of the scale
        initial_bias: first values of the bias
        epsilon (float): added to the deviation
        name (str): of the layer

    Returns:
        a function of one argument with the parameters scale and bias

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(2)
        >>> C.layers.LayerNormalization()(x).eval({x: np.array([[1, 3]], np.float32)}).round(3)
        array([[-1.,  1.]], dtype=float32)
    """
    (epsilon,) = chosen(LayerNormalization, epsilon=epsilon)
    return _layers.layer_normalization(initial_scale, initial_bias, epsilon, dtype(), name)


def Label(name: str) -> Function:
    """y = x, under a name to find it by.

    Args:
        name (str): the name

    Example:
        >>> import cantik as C
        >>> z = C.layers.Sequential([C.layers.Dense(2), C.layers.Label('hidden'), C.layers.Dense(1)])(
        ...     C.input_variable(3)
        ... )
        >>> z.hidden.shape
        (2,)
    """
    return _layers.label(name)
