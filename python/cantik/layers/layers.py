"""Layers of feed-forward networks. Each makes a function of one argument, whose parameters it shares however
often it is applied. Written by tools/generate from src/layers: change those files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..default_options import default_override_or
from ..initializer import glorot_uniform
from ..ops.functions import Function
from .._cantik import SentinelValueForAutoSelectRandomSeed
from .blocks import identity
from ._options import made

if TYPE_CHECKING:
    from .._types import ActivationLike, FlagsLike, InitLike, ShapeLike

__all__ = [
    'Activation',
    'AveragePooling',
    'BatchNormalization',
    'Convolution',
    'Convolution1D',
    'Convolution2D',
    'Convolution3D',
    'ConvolutionTranspose',
    'ConvolutionTranspose1D',
    'ConvolutionTranspose2D',
    'ConvolutionTranspose3D',
    'Dense',
    'Dropout',
    'Embedding',
    'GlobalAveragePooling',
    'GlobalMaxPooling',
    'GroupNormalization',
    'Label',
    'LayerNormalization',
    'MaxPooling',
    'MaxUnpooling',
    'SequentialConvolution',
]


def Activation(activation: ActivationLike = default_override_or(identity), name: str = '') -> Function:
    """An activation function as a layer.

    Args:
        activation: a function, a layer, or the name of an operator
        name (str): of the layer

    Returns:
        a function of one argument

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(3)
        >>> C.layers.Activation(C.relu)(x).eval({x: np.array([[-1, 0, 2]], np.float32)})
        array([[0., 0., 2.]], dtype=float32)
    """
    return made('activation', Activation, locals())


def AveragePooling(
    filter_shape: ShapeLike,
    strides: ShapeLike = 1,
    pad: FlagsLike = default_override_or(False),
    name: str = '',
) -> Function:
    """The mean of each window over the last axes; positions in the padding do not count.

    Args:
        filter_shape (tuple): of the window, without channels
        strides (int or tuple): from one window to the next, for each axis
        pad (bool or tuple): whether windows may reach beyond the input, for each axis
        name (str): of the layer

    Returns:
        a function of one argument

    Example:
        >>> import cantik as C
        >>> C.layers.AveragePooling((2, 2), strides=2)(C.input_variable((1, 4, 4))).shape
        (1, 2, 2)
    """
    return made('average_pooling', AveragePooling, locals())


def BatchNormalization(
    map_rank: int | None = default_override_or(None),
    init_scale: InitLike = 1,
    normalization_time_constant: float = default_override_or(5000),
    blend_time_constant: float = 0,
    epsilon: float = default_override_or(1e-05),
    use_cntk_engine: bool = default_override_or(False),
    disable_regularization: bool = default_override_or(False),
    name: str = '',
) -> Function:
    """Each element, or each channel, with mean 0 and variance 1 over the batch, then scaled and shifted
    (Ioffe and Szegedy 2015).

    y = (x - mean) / sqrt(variance + epsilon) · scale + bias, by running statistics outside training.

    Args:
        map_rank (int): 1: one mean and variance for each channel; otherwise one for each element
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
        >>> import cantik as C
        >>> z = C.layers.BatchNormalization(map_rank=1)(C.input_variable((3, 4, 4)))
        >>> z.shape, z.scale.shape
        ((3, 4, 4), (3,))
    """
    return made('batch_normalization', BatchNormalization, locals())


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

    Without num_filters the result has no channel axis.

    Args:
        filter_shape (int or tuple): of the kernel, without channels
        num_filters (int or tuple): channels of the result; by default it has no channel axis
        sequential (bool): the first axis of the filter is that of the steps; where it is padded, the
            result keeps the sequence axis
        activation: a function, a layer, or the name of an operator
        init: first values of W
        pad (bool or tuple): whether zeros around the input keep its size, for each axis
        strides (int or tuple): from one position to the next, for each axis
        sharing (bool or tuple): the same kernel at all positions; nothing else is supported
        bias (bool): whether there is a b
        init_bias: first values of b
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        transpose_weight (bool): not supported
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        groups (int): 1; the operator convolution has groups
        max_temp_mem_size_in_samples (int): accepted for CNTK's sake, of no effect
        op_name (str): accepted as in CNTK, of no effect: the block is a Convolution
        name (str): of the layer

    Returns:
        a function of one argument with the parameters W : [filters, channels, kernel...] and b :
        [filters, 1...]

    Example:
        >>> import cantik as C
        >>> f = C.layers.Convolution((3, 3), 8, pad=True)
        >>> f(C.input_variable((1, 28, 28))).shape, f.W.shape
        ((8, 28, 28), (8, 1, 3, 3))
    """
    return made('convolution', Convolution, locals())


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
    """A Convolution along one axis. x : [channels, width].

    Args:
        filter_shape (int or tuple): of the kernel, without channels
        num_filters (int or tuple): channels of the result; by default it has no channel axis
        activation: a function, a layer, or the name of an operator
        init: first values of W
        pad (bool or tuple): whether zeros around the input keep its size, for each axis
        strides (int or tuple): from one position to the next, for each axis
        bias (bool): whether there is a b
        init_bias: first values of b
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        name (str): of the layer
        groups (int): 1; the operator convolution has groups

    Returns:
        a function of one argument with the parameters W and b

    Example:
        >>> import cantik as C
        >>> C.layers.Convolution1D(5, 8)(C.input_variable((3, 10))).shape
        (8, 6)
    """
    return made('convolution1d', Convolution1D, locals())


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
    """A Convolution along two axes. x : [channels, height, width].

    Args:
        filter_shape (int or tuple): of the kernel, without channels
        num_filters (int or tuple): channels of the result; by default it has no channel axis
        activation: a function, a layer, or the name of an operator
        init: first values of W
        pad (bool or tuple): whether zeros around the input keep its size, for each axis
        strides (int or tuple): from one position to the next, for each axis
        bias (bool): whether there is a b
        init_bias: first values of b
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        groups (int): 1; the operator convolution has groups
        name (str): of the layer

    Returns:
        a function of one argument with the parameters W and b

    Example:
        >>> import cantik as C
        >>> C.layers.Convolution2D((3, 3), 16, pad=True, strides=2)(C.input_variable((3, 8, 8))).shape
        (16, 4, 4)
    """
    return made('convolution2d', Convolution2D, locals())


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
    """A Convolution along three axes. x : [channels, depth, height, width].

    Args:
        filter_shape (int or tuple): of the kernel, without channels
        num_filters (int or tuple): channels of the result; by default it has no channel axis
        activation: a function, a layer, or the name of an operator
        init: first values of W
        pad (bool or tuple): whether zeros around the input keep its size, for each axis
        strides (int or tuple): from one position to the next, for each axis
        bias (bool): whether there is a b
        init_bias: first values of b
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        groups (int): 1; the operator convolution has groups
        name (str): of the layer

    Returns:
        a function of one argument with the parameters W and b

    Example:
        >>> import cantik as C
        >>> C.layers.Convolution3D((3, 3, 3), 2)(C.input_variable((1, 4, 8, 8))).shape
        (2, 2, 6, 6)
    """
    return made('convolution3d', Convolution3D, locals())


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
        pad (bool or tuple): whether zeros around the input keep its size, for each axis
        strides (int or tuple): from one position to the next, for each axis
        sharing (bool or tuple): the same kernel at all positions; nothing else is supported
        bias (bool): whether there is a b
        init_bias: first values of b
        output_shape (int or tuple): of the result without channels, where strides leave it open
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        max_temp_mem_size_in_samples (int): accepted for CNTK's sake, of no effect
        name (str): of the layer

    Returns:
        a function of one argument with the parameters W : [channels, filters, kernel...] and b :
        [filters, 1...]

    Example:
        >>> import cantik as C
        >>> f = C.layers.ConvolutionTranspose((3, 3), 8, strides=2)
        >>> f(C.input_variable((4, 5, 5))).shape
        (8, 11, 11)
    """
    return made('convolution_transpose', ConvolutionTranspose, locals())


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
    """A ConvolutionTranspose along one axis. x : [channels, width].

    Args:
        filter_shape (int or tuple): of the kernel, without channels
        num_filters (int or tuple): channels of the result
        activation: a function, a layer, or the name of an operator
        init: first values of W
        pad (bool or tuple): whether zeros around the input keep its size, for each axis
        strides (int or tuple): from one position to the next, for each axis
        bias (bool): whether there is a b
        init_bias: first values of b
        output_shape (int or tuple): of the result without channels, where strides leave it open
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        name (str): of the layer

    Returns:
        a function of one argument with the parameters W and b

    Example:
        >>> import cantik as C
        >>> C.layers.ConvolutionTranspose1D(2, 8, strides=2)(C.input_variable((3, 10))).shape
        (8, 20)
    """
    return made('convolution_transpose1d', ConvolutionTranspose1D, locals())


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
    """A ConvolutionTranspose along two axes. x : [channels, height, width].

    Args:
        filter_shape (int or tuple): of the kernel, without channels
        num_filters (int or tuple): channels of the result
        activation: a function, a layer, or the name of an operator
        init: first values of W
        pad (bool or tuple): whether zeros around the input keep its size, for each axis
        strides (int or tuple): from one position to the next, for each axis
        bias (bool): whether there is a b
        init_bias: first values of b
        output_shape (int or tuple): of the result without channels, where strides leave it open
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        name (str): of the layer

    Returns:
        a function of one argument with the parameters W and b

    Example:
        >>> import cantik as C
        >>> C.layers.ConvolutionTranspose2D((2, 2), 4, strides=2)(C.input_variable((3, 8, 8))).shape
        (4, 16, 16)
    """
    return made('convolution_transpose2d', ConvolutionTranspose2D, locals())


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
    """A ConvolutionTranspose along three axes. x : [channels, depth, height, width].

    Args:
        filter_shape (int or tuple): of the kernel, without channels
        num_filters (int or tuple): channels of the result
        activation: a function, a layer, or the name of an operator
        init: first values of W
        pad (bool or tuple): whether zeros around the input keep its size, for each axis
        strides (int or tuple): from one position to the next, for each axis
        bias (bool): whether there is a b
        init_bias: first values of b
        output_shape (int or tuple): of the result without channels, where strides leave it open
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        name (str): of the layer

    Returns:
        a function of one argument with the parameters W and b

    Example:
        >>> import cantik as C
        >>> C.layers.ConvolutionTranspose3D((2, 2, 2), 3, strides=2)(C.input_variable((1, 2, 4, 4))).shape
        (3, 4, 8, 8)
    """
    return made('convolution_transpose3d', ConvolutionTranspose3D, locals())


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
        input_rank (int): how many of the input's last axes are summed over; all by default; at least 0
            and at most 64
        map_rank (int): how many of its first axes stay; only one of the two can be given; at least 0 and
            at most 64
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
    return made('dense', Dense, locals())


def Dropout(
    dropout_rate: float | None = None,
    keep_prob: float | None = None,
    seed: int = SentinelValueForAutoSelectRandomSeed,
    name: str = '',
) -> Function:
    """In training each element is 0 with a probability; the others are scaled so that the mean stays.

    Args:
        dropout_rate (float): the probability of 0
        keep_prob (float): the probability that an element stays; one of the two must be given; above 0
            and at most 1
        seed (int): of the random numbers; by default the process' next one
        name (str): of the layer

    Returns:
        a function of one argument

    Example:
        >>> import cantik as C, numpy as np
        >>> C.layers.Dropout(0.5)(C.input_variable(2)).eval(np.array([[3, 4]]))
        array([[3., 4.]], dtype=float32)
    """
    return made('dropout', Dropout, locals())


def Embedding(
    shape: ShapeLike | None = None,
    init: InitLike | None = default_override_or(glorot_uniform()),
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
            on (a number outside of the table is a ValueError when it is looked up); without it, x is
            one-hot; at least 1

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
    return made('embedding', Embedding, locals())


def GlobalAveragePooling(name: str = '') -> Function:
    """The mean of each channel: [channels, ...] gives [channels, 1...].

    Args:
        name (str): of the layer

    Returns:
        a function of one argument

    Example:
        >>> import cantik as C
        >>> C.layers.GlobalAveragePooling()(C.input_variable((3, 4, 4))).shape
        (3, 1, 1)
    """
    return made('global_average_pooling', GlobalAveragePooling, locals())


def GlobalMaxPooling(name: str = '') -> Function:
    """The largest element of each channel: [channels, ...] gives [channels, 1...].

    Args:
        name (str): of the layer

    Returns:
        a function of one argument

    Example:
        >>> import cantik as C
        >>> C.layers.GlobalMaxPooling()(C.input_variable((3, 4, 4))).shape
        (3, 1, 1)
    """
    return made('global_max_pooling', GlobalMaxPooling, locals())


def GroupNormalization(
    groups: int,
    init_scale: InitLike = 1,
    init_bias: InitLike = default_override_or(0),
    epsilon: float = default_override_or(1e-05),
    name: str = '',
    *,
    spatial_rank: int = 2,
) -> Function:
    """Groups of channels of each sample with mean 0 and variance 1, then scaled and shifted (Wu and He 2018,
    "Group normalization").

    y = (x - mean) / sqrt(variance + epsilon) · scale + bias, with mean and variance over the channels of a
    group and all their pixels. It is the same in training and evaluation, and for any minibatch. One
    group: layer normalization over all of a sample; as many as channels: instance normalization.

    Args:
        groups (int): how many; each has as many of the channels, the first axis; at least 1
        init_scale: first values of the scale
        init_bias: first values of the bias
        epsilon (float): added to the variance; at least 0
        name (str): of the layer
        spatial_rank (int): how many axes stand behind the channels: 2 of images; at least 0

    Returns:
        a function of one argument, [channels, pixels...], with the parameters scale and bias : [channels,
        1...]

    Raises:
        ValueError: where the groups do not divide the channels

    Example:
        >>> import cantik as C
        >>> z = C.layers.GroupNormalization(2)(C.input_variable((8, 4, 4)))
        >>> z.shape, z.scale.shape
        ((8, 4, 4), (8, 1, 1))
    """
    return made('group_normalization', GroupNormalization, locals())


def Label(name: str) -> Function:
    """y = x, under a name to find it by.

    Args:
        name (str): the name

    Returns:
        a function of one argument

    Example:
        >>> import cantik as C
        >>> layers = [C.layers.Dense(2), C.layers.Label('hidden'), C.layers.Dense(1)]
        >>> C.layers.Sequential(layers)(C.input_variable(3)).hidden.shape
        (2,)
    """
    return made('label', Label, locals())


def LayerNormalization(
    initial_scale: InitLike = 1,
    initial_bias: InitLike = 0,
    epsilon: float = default_override_or(1e-05),
    name: str = '',
) -> Function:
    """Each sample with mean 0 and deviation 1, then scaled and shifted (Ba et al. 2016).

    y = (x - mean) / (deviation + epsilon) · scale + bias, over the elements of each sample.

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
    return made('layer_normalization', LayerNormalization, locals())


def MaxPooling(
    filter_shape: ShapeLike,
    strides: ShapeLike = 1,
    pad: FlagsLike = default_override_or(False),
    name: str = '',
) -> Function:
    """The largest element of each window over the last axes; channels stay apart.

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
    return made('max_pooling', MaxPooling, locals())


def MaxUnpooling(
    filter_shape: ShapeLike, strides: ShapeLike = 1, pad: FlagsLike = False, name: str = ''
) -> Function:
    """Puts the results of a MaxPooling back where they came from: each value goes to the place of its
    window's maximum, 0 stands elsewhere.

    Args:
        filter_shape (tuple): of the window, without channels
        strides (int or tuple): from one window to the next, for each axis
        pad (bool or tuple): whether windows may reach beyond the input, for each axis
        name (str): of the layer

    Returns:
        a function of two arguments: the pooled values, and the operand of the pooling

    Example:
        >>> import cantik as C
        >>> x = C.input_variable((1, 4, 4))
        >>> C.layers.MaxUnpooling((2, 2), strides=2)(C.layers.MaxPooling((2, 2), strides=2)(x), x).shape
        (1, 4, 4)
    """
    return made('max_unpooling', MaxUnpooling, locals())


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

    With strides and dilations along the steps too.

    Args:
        filter_shape (int or tuple): of the kernel, without channels; its first axis goes along the steps
        num_filters (int or tuple): channels of the result; by default it has no channel axis
        activation: a function, a layer, or the name of an operator
        init: first values of W
        pad (bool or tuple): whether zeros around the input keep its size, for each axis
        strides (int or tuple): from one position to the next, for each axis
        sharing (bool or tuple): the same kernel at all positions; nothing else is supported
        bias (bool): whether there is a b
        init_bias: first values of b
        reduction_rank (int): 1 where the input has a channel axis, 0 where it has none
        transpose_weight (bool): not supported
        dilation (int or tuple): steps between the elements of the kernel, for each axis
        groups (int): 1; the operator convolution has groups
        max_temp_mem_size_in_samples (int): accepted for CNTK's sake, of no effect
        op_name (str): accepted as in CNTK, of no effect: the block is a Convolution
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
    return made('sequential_convolution', SequentialConvolution, locals())
