"""Functions of the operators. Written by tools/generate from the operators' files: change those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._cantik import call as _call

if TYPE_CHECKING:
    from collections.abc import Sequence
    from .._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike
    from ..ops.functions import Function

__all__ = [
    'abs',
    'acos',
    'alias',
    'argmax',
    'argmin',
    'asin',
    'asinh',
    'assign',
    'atan',
    'atanh',
    'batch_normalization',
    'binary_convolve',
    'cast',
    'cbrt',
    'ceil',
    'clip',
    'convolution',
    'cos',
    'cosh',
    'crop_automatic',
    'crop_automatic_with_ancestors',
    'crop_manual',
    'cumsum',
    'custom_proxy_op',
    'depth_to_space',
    'digamma',
    'dropout',
    'einsum',
    'element_and',
    'element_divide',
    'element_max',
    'element_min',
    'element_not',
    'element_or',
    'element_select',
    'element_times',
    'element_xor',
    'elu',
    'equal',
    'erf',
    'erfinv',
    'exp',
    'expand_dims',
    'expm1',
    'eye_like',
    'flatten',
    'floor',
    'forward_backward',
    'gamma',
    'gather',
    'gelu',
    'greater',
    'greater_equal',
    'group_normalization',
    'hard_sigmoid',
    'hardmax',
    'image_scaler',
    'labels_to_graph',
    'leaky_relu',
    'less',
    'less_equal',
    'local_response_normalization',
    'log',
    'log1p',
    'log_add_exp',
    'log_gamma',
    'log_softmax',
    'mean',
    'mean_variance_normalization',
    'minus',
    'multibit',
    'native_binary_convolve',
    'negate',
    'not_equal',
    'one_hot',
    'ones_like',
    'optimized_rnnstack',
    'pad',
    'param_relu',
    'per_dim_mean_variance_normalize',
    'plus',
    'pooling',
    'pow',
    'random_sample',
    'random_sample_inclusion_frequency',
    'reciprocal',
    'reconcile_dynamic_axes',
    'reduce_l1',
    'reduce_l2',
    'reduce_log_sum_exp',
    'reduce_max',
    'reduce_mean',
    'reduce_min',
    'reduce_prod',
    'reduce_sum',
    'reduce_sum_square',
    'relu',
    'remainder',
    'reshape',
    'roipooling',
    'round',
    'selu',
    'sigmoid',
    'silu',
    'sin',
    'sinh',
    'slice',
    'smooth_l1',
    'softmax',
    'softplus',
    'softsign',
    'space_to_depth',
    'splice',
    'sqrt',
    'square',
    'squeeze',
    'stop_gradient',
    'straight_through_impl',
    'sum',
    'swapaxes',
    'tan',
    'tanh',
    'times',
    'times_transpose',
    'to_batch',
    'to_sequence',
    'to_sequence_like',
    'top_k',
    'transpose',
    'unpack_batch',
    'unpooling',
    'zeros_like',
]


def abs(x: Operand, name: str = '') -> Function:
    """y = |x|, with the derivative 0 at 0.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.abs([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[1.3, 0.7, 0.1],
               [0.5, 1.1, 1.7]], dtype=float32)
    """
    return _call('abs', (x,), (), name)


def acos(x: Operand, name: str = '') -> Function:
    """y = arccos x, |x| <= 1.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.acos([[-0.9, -0.5, -0.2], [0.2, 0.5, 0.9]]).eval().round(4)
        array([[2.6906, 2.0944, 1.7722],
               [1.3694, 1.0472, 0.451 ]], dtype=float32)
    """
    return _call('acos', (x,), (), name)


def alias(x: Operand, name: str = '') -> Function:
    """The operand, under another name.

    y = x, under another name.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.alias([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1.3, -0.7, -0.1],
               [ 0.5,  1.1,  1.7]], dtype=float32)
    """
    return _call('alias', (x,), (), name)


def argmax(x: Operand, axis: AxisLike | None = None, name: str = '') -> Function:
    """The place of the largest number along an axis, the first of several, as a number of the element type.
    The axis stays, with the size 1.

    Args:
        x: a variable, function, number or array
        axis (Axis or int): a static axis; without one, the place in the flattened row
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.argmax([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        np.float32(5.0)
    """
    return _call('argmax', (x,), (axis,), name)


def argmin(x: Operand, axis: AxisLike | None = None, name: str = '') -> Function:
    """The place of the smallest number along an axis, the first of several, as a number of the element type.
    The axis stays, with the size 1.

    Args:
        x: a variable, function, number or array
        axis (Axis or int): a static axis; without one, the place in the flattened row
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.argmin([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        np.float32(0.0)
    """
    return _call('argmin', (x,), (axis,), name)


def asin(x: Operand, name: str = '') -> Function:
    """y = arcsin x, |x| <= 1.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.asin([[-0.9, -0.5, -0.2], [0.2, 0.5, 0.9]]).eval().round(4)
        array([[-1.1198, -0.5236, -0.2014],
               [ 0.2014,  0.5236,  1.1198]], dtype=float32)
    """
    return _call('asin', (x,), (), name)


def asinh(x: Operand, name: str = '') -> Function:
    """y = arsinh x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.asinh([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1.0785, -0.6527, -0.0998],
               [ 0.4812,  0.9503,  1.3008]], dtype=float32)
    """
    return _call('asinh', (x,), (), name)


def assign(ref: Operand, input: Operand, name: str = '') -> Function:
    """The result is input; ref, a parameter or constant, has that value when the run is over. What reads ref
    in the same run sees the old value.

    Args:
        ref: a variable, function, number or array
        input: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.assign(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[-1.3, -0.7, -0.1],
               [ 0.5,  1.1,  1.7]], dtype=float32)
    """
    return _call('assign', (ref, input), (), name)


def atan(x: Operand, name: str = '') -> Function:
    """y = arctan x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.atan([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-0.9151, -0.6107, -0.0997],
               [ 0.4636,  0.833 ,  1.0391]], dtype=float32)
    """
    return _call('atan', (x,), (), name)


def atanh(x: Operand, name: str = '') -> Function:
    """y = artanh x, |x| < 1.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.atanh([[-0.9, -0.5, -0.2], [0.2, 0.5, 0.9]]).eval().round(4)
        array([[-1.4722, -0.5493, -0.2027],
               [ 0.2027,  0.5493,  1.4722]], dtype=float32)
    """
    return _call('atanh', (x,), (), name)


def batch_normalization(
    operand: Operand,
    scale: Operand,
    bias: Operand,
    running_mean: Operand,
    running_inv_std: Operand,
    spatial: bool,
    normalization_time_constant: float = 5000,
    blend_time_constant: float = 0,
    epsilon: float = 1e-05,
    use_cudnn_engine: bool = False,
    disable_regularization: bool = False,
    running_count: Operand | None = None,
    name: str = '',
) -> Function:
    """scale * (x - mean) / sqrt(variance + epsilon) + bias. In training mean and variance are those of the
    batch, in evaluation the running ones, which follow the batches (running_inv_std is a variance).
    Without running_count the count starts at 0 with this function.

    y = scale (x - mean) / sqrt(variance + epsilon) + bias, for each channel or each element. In training mean
    and variance are those of the batch, and running ones follow them; in evaluation they are the running
    ones.

    Args:
        operand: a variable, function, number or array
        scale: a variable, function, number or array
        bias: a variable, function, number or array
        running_mean: a variable, function, number or array
        running_inv_std: a variable, function, number or array
        spatial (bool): one mean for each channel, the first axis; else one for each element
        normalization_time_constant (float): in samples; 0: the last batch's values; negative: the mean over
            all
        blend_time_constant (float): has no effect on CPUs
        epsilon (float): added to the variance
        use_cudnn_engine (bool): no effect
        disable_regularization (bool): learners leave scale and bias unregularised
        running_count: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.batch_normalization(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]],
        ...     [-1.3, 1.7],
        ...     [-1.3, 1.7],
        ...     [-1.3, 1.7],
        ...     [-1.3, 1.7],
        ...     True,
        ...     running_count=1.7,
        ... ).eval().round(4)
        array([[   nan,    nan,    nan],
               [0.1354, 0.9177, 1.7   ]], dtype=float32)
    """
    return _call(
        'batch_normalization',
        (operand, scale, bias, running_mean, running_inv_std, running_count),
        (
            spatial,
            normalization_time_constant,
            blend_time_constant,
            epsilon,
            use_cudnn_engine,
            disable_regularization,
        ),
        name,
    )


def binary_convolve(
    convolution_map: Operand,
    operand: Operand,
    bits: int = 1,
    map_bits: int = 1,
    scale: str = 'mean',
    map_scale: str = 'mean',
    strides: ShapeLike = (1,),
    auto_padding: Sequence[bool] = [True],
    dilation: ShapeLike = (1,),
    groups: int = 1,
    lower_pad: ShapeLike = (),
    upper_pad: ShapeLike = (),
    name: str = '',
) -> Function:
    """A convolution of sums of signs of both operands, on packed bits: multibit's of one to 32 levels, or,
    with the scale 'none', signs alone. convolution_map: [filters, channels / groups, taps...]; its
    channels may be left to be inferred. operand: [channels, pixels...] with one to three axes of pixels. A
    tap outside of it adds nothing. auto_padding keeps the size (ceil(size / stride) pixels); the channels
    are summed over, never padded. The gradient goes straight through to elements whose magnitude is not
    above the number of levels.

    Args:
        convolution_map: a variable, function, number or array
        operand: a variable, function, number or array
        bits (int): levels of the operand
        map_bits (int): levels of the map
        scale (str): what the operand's signs are multiplied by: 'none' or 'mean'
        map_scale (str): the map's: 'none', 'mean' or 'filter', a mean for each filter
        strides (tuple): steps of the window; one number serves all axes
        auto_padding (list of bool): whether the operand is padded along an axis of pixels
        dilation (tuple): steps between taps
        groups (int): into which the channels are divided
        lower_pad (tuple): padding before each axis without auto_padding
        upper_pad (tuple): padding behind it
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> x = C.input_variable((64, 8, 8))
        >>> W = C.parameter((16, 64, 3, 3), init=C.he_normal())
        >>> C.binary_convolve(W, x, bits=2, strides=(1, 2, 2)).shape
        (16, 4, 4)
    """
    return _call(
        'binary_convolve',
        (convolution_map, operand),
        (bits, map_bits, scale, map_scale, strides, auto_padding, dilation, groups, lower_pad, upper_pad),
        name,
    )


def cast(node_input: Operand, dtype: DTypeLike, name: str = '') -> Function:
    """The same numbers in another element type, rounded to it. The gradient is cast back.

    Args:
        node_input: a variable, function, number or array
        dtype (NumPy's type): element type of the result
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> C.cast([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], np.float64).eval().round(4)
        array([[-1.3, -0.7, -0.1],
               [ 0.5,  1.1,  1.7]])
    """
    return _call('cast', (node_input,), (dtype,), name)


def cbrt(x: Operand, name: str = '') -> Function:
    """The cube root, of negative numbers too. Its derivative at 0 is infinite.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.cbrt([[0.2, 0.6, 0.9], [1.3, 1.6, 2.0]]).eval().round(4)
        array([[0.5848, 0.8434, 0.9655],
               [1.0914, 1.1696, 1.2599]], dtype=float32)
    """
    return _call('cbrt', (x,), (), name)


def ceil(arg: Operand, name: str = '') -> Function:
    """The smallest whole number that is not below x.

    y = the smallest whole number that is not below x. In graphs and files, -floor(-x).

    Args:
        arg: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.ceil([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1., -0., -0.],
               [ 1.,  2.,  2.]], dtype=float32)
    """
    return _call('ceil', (arg,), (), name)


def clip(x: Operand, min_value: Operand, max_value: Operand, name: str = '') -> Function:
    """min_value where x is smaller, max_value where it is larger, else x, element by element. The bounds have
    no gradient.

    y = x, but not below min_value nor above max_value. What is no number stays so.

    Args:
        x: a variable, function, number or array
        min_value: a variable, function, number or array
        max_value: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.clip([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], 1.7, 1.7).eval().round(4)
        array([[1.7, 1.7, 1.7],
               [1.7, 1.7, 1.7]], dtype=float32)
    """
    return _call('clip', (x, min_value, max_value), (), name)


def convolution(
    convolution_map: Operand,
    operand: Operand,
    strides: ShapeLike = (1,),
    sharing: Sequence[bool] = [True],
    auto_padding: Sequence[bool] = [True],
    sequential: bool = False,
    dilation: ShapeLike = (1,),
    reduction_rank: int = 1,
    groups: int = 1,
    max_temp_mem_size_in_samples: int = 0,
    name: str = '',
    lower_pad: ShapeLike = (),
    upper_pad: ShapeLike = (),
    transpose: bool = False,
    output_shape: ShapeLike = (),
) -> Function:
    """Convolution of the operand's pixels with a map of filters. convolution_map: [filters, channels /
    groups, taps...]; its channels may be left to be inferred. operand: [channels, pixels...] with one to
    three axes of pixels. The channels are summed over. auto_padding keeps the size (ceil(size / stride)
    pixels); the windows' centres are spread over the operand. It has an entry for each axis of the
    operand, channels first, or one for all; channels cannot be padded.

    Args:
        convolution_map: a variable, function, number or array
        operand: a variable, function, number or array
        strides (tuple): steps of the window; one number serves all axes
        sharing (list of bool): whether the map is the same everywhere along an axis
        auto_padding (list of bool): whether the operand is padded with zeros along an axis
        sequential (bool): whether the sequence axis takes part
        dilation (tuple): steps between taps
        reduction_rank (int): 1: the first axis of the operand holds channels; 0: it has none
        groups (int): into which the channels are divided
        max_temp_mem_size_in_samples (int): has no meaning here
        lower_pad (tuple): zeros before each axis without auto_padding
        upper_pad (tuple): zeros behind it
        transpose (bool): the transposed convolution
        output_shape (tuple): of the transposed convolution's result
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> x = C.input_variable((3, 8, 8))
        >>> W = C.parameter((16, 3, 3, 3), init=C.he_normal())
        >>> C.convolution(W, x, strides=(1, 2, 2), auto_padding=[False, True, True]).shape
        (16, 4, 4)
    """
    return _call(
        'convolution',
        (convolution_map, operand),
        (
            strides,
            sharing,
            auto_padding,
            sequential,
            dilation,
            reduction_rank,
            groups,
            max_temp_mem_size_in_samples,
            lower_pad,
            upper_pad,
            transpose,
            output_shape,
        ),
        name,
    )


def cos(x: Operand, name: str = '') -> Function:
    """y = cos x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.cos([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[ 0.2675,  0.7648,  0.995 ],
               [ 0.8776,  0.4536, -0.1288]], dtype=float32)
    """
    return _call('cos', (x,), (), name)


def cosh(x: Operand, name: str = '') -> Function:
    """y = cosh x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.cosh([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[1.9709, 1.2552, 1.005 ],
               [1.1276, 1.6685, 2.8283]], dtype=float32)
    """
    return _call('cosh', (x,), (), name)


def crop_automatic(node_input: Operand, node_referent: Operand, name: str = '') -> Function:
    """The part of node_input, [channels, height, width], that lies over node_referent and has its height and
    width. The offsets follow from the convolutions, poolings, transposed convolutions and crops between
    each of them and what both come from. A RuntimeError says where they come from nothing in common, lie
    at different scales, or node_referent begins before node_input.

    Args:
        node_input: a variable, function, number or array
        node_referent: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable((1, 6, 6))
        >>> wide = C.convolution_transpose(
        ...     np.ones((1, 1, 4, 4), np.float32),
        ...     C.pooling(x, C.MAX_POOLING, (2, 2), (2, 2)),
        ...     strides=(2, 2),
        ...     auto_padding=[False],
        ... )
        >>> wide.shape, C.crop_automatic(wide, x).shape
        ((1, 8, 8), (1, 6, 6))
    """
    return _call('crop_automatic', (node_input, node_referent), (), name)


def crop_automatic_with_ancestors(
    node_input: Operand,
    node_referent: Operand,
    ancestor_input: Operand,
    ancestor_referent: Operand,
    name: str = '',
) -> Function:
    """As crop_automatic, where node_input and node_referent need come from nothing in common: ancestor_input,
    which node_input comes from, lies pixel over pixel over ancestor_referent, which node_referent comes
    from: an image, say, and its labels.

    Args:
        node_input: a variable, function, number or array
        node_referent: a variable, function, number or array
        ancestor_input: a variable, function, number or array
        ancestor_referent: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> x, labels = C.input_variable((1, 6, 6)), C.input_variable((1, 6, 6))
        >>> inner = C.pooling(labels, C.MAX_POOLING, (3, 3))
        >>> C.crop_automatic_with_ancestors(C.relu(x), inner, x, labels).shape
        (1, 4, 4)
    """
    return _call(
        'crop_automatic_with_ancestors',
        (node_input, node_referent, ancestor_input, ancestor_referent),
        (),
        name,
    )


def crop_manual(
    node_input: Operand, node_referent: Operand, offset_x: int, offset_y: int, name: str = ''
) -> Function:
    """The part of node_input, [channels, height, width], that begins at (offset_y, offset_x) and has the
    height and width of node_referent.

    Args:
        node_input: a variable, function, number or array
        node_referent: a variable, function, number or array
        offset_x (int): where the part begins along the last axis
        offset_y (int): where it begins along the last but one
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> x, like = C.input_variable((1, 4, 4)), C.input_variable((1, 2, 2))
        >>> C.crop_manual(x, like, 1, 1).shape
        (1, 2, 2)
    """
    return _call('crop_manual', (node_input, node_referent), (offset_x, offset_y), name)


def cumsum(x: Operand, axis: AxisLike = -1, reverse: bool = False, name: str = '') -> Function:
    """Sums of the numbers up to each place along an axis, that place included; with reverse, from each place
    on.

    Args:
        x: a variable, function, number or array
        axis (Axis or int): the static axis to sum along
        reverse (bool): from the end to the beginning
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.cumsum([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1.3, -2. , -2.1],
               [ 0.5,  1.6,  3.3]], dtype=float32)
    """
    return _call('cumsum', (x,), (axis, reverse), name)


def custom_proxy_op(
    custom_op: str, output_shape: ShapeLike, output_data_type: DTypeLike, *operands: Operand, name: str = ''
) -> Function:
    """Stands for an operator of another program, such as one on quantised parameters: a network with it can
    be built, saved and loaded, and cannot be evaluated.

    Args:
        custom_op (str): name of the operator it stands for
        output_shape (tuple): of its result
        output_data_type (NumPy's type): element type of its result
        operands: the operands: variables, functions, numbers or arrays
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> z = C.custom_proxy_op(
        ...     'quantized_times', (4,), np.int16, C.input_variable(3), C.parameter((3, 4), dtype=np.int16)
        ... )
        >>> z.shape, z.dtype
        ((4,), <class 'numpy.int16'>)
    """
    return _call('custom_proxy_op', operands, (custom_op, output_shape, output_data_type), name)


def depth_to_space(operand: Operand, block_size: int, name: str = '') -> Function:
    """[b * b * c, height, width] becomes [c, b * height, b * width]: the channels with equal remainder c make
    a block of b x b pixels.

    Args:
        operand: a variable, function, number or array
        block_size (int): height and width of a block
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.depth_to_space(C.input_variable((8, 2, 3)), 2).shape
        (2, 4, 6)
    """
    return _call('depth_to_space', (operand,), (block_size,), name)


def digamma(x: Operand, name: str = '') -> Function:
    """The derivative of log_gamma.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.digamma([[0.4, 1.0, 1.6], [2.3, 2.9, 3.5]]).eval().round(4)
        array([[-2.5614, -0.5772,  0.126 ],
               [ 0.6   ,  0.8825,  1.1032]], dtype=float32)
    """
    return _call('digamma', (x,), (), name)


def dropout(x: Operand, dropout_rate: float = 0.0, seed: int | None = None, name: str = '') -> Function:
    """While training each number becomes 0 with the probability dropout_rate, else x / (1 - dropout_rate); in
    evaluation all stay as they are (Srivastava et al. 2014).

    y = x / (1 - rate) for a random part of the numbers, 0 for the others, while training; y = x in
    evaluation.

    Args:
        x: a variable, function, number or array
        dropout_rate (float): the part that becomes 0
        seed (int): where the stream of random numbers begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.dropout([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], dropout_rate=0.5, seed=7).shape
        (2, 3)
    """
    return _call('dropout', (x,), (dropout_rate, seed), name)


def einsum(equation: str, *operands: Operand, name: str = '') -> Function:
    """Sums of products: each axis of a sample has a letter, and what the result does not name is summed over.
    'ij,jk->ik' is a product of matrices, 'ij->ji' a transposition, 'ij,ij->i' a product row by row,
    'ii->i' a diagonal. Without an arrow the result has the letters that occur once, in the order of the
    alphabet. The axes of the batch and of sequences have no letters: they stay.

    Args:
        equation (str): a letter for each axis of a sample, operands separated by commas: 'ij,jk->ik'
        operands: the operands: variables, functions, numbers or arrays
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.einsum('ij,jk->ik', [[1, 2], [3, 4]], [[1, 0], [1, 1]]).eval()
        array([[3., 2.],
               [7., 4.]], dtype=float32)
    """
    return _call('einsum', operands, (equation,), name)


def element_and(x: Operand, y: Operand, name: str = '') -> Function:
    """1 where both are above 0, else 0; the operands broadcast.

    Args:
        x: a variable, function, number or array
        y: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.element_and(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[0., 0., 0.],
               [1., 1., 1.]], dtype=float32)
    """
    return _call('element_and', (x, y), (), name)


def element_divide(left: Operand, right: Operand, name: str = '') -> Function:
    """Element by element; the operands broadcast. A quotient by 0 is 0.

    y = left / right, element by element; 0 where right is 0.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.element_divide(
        ...     [[0.4, 0.7, 1.0], [1.4, 1.7, 2.0]], [[0.4, 0.7, 1.0], [1.4, 1.7, 2.0]]
        ... ).eval().round(4)
        array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
    """
    return _call('element_divide', (left, right), (), name)


def element_max(left: Operand, right: Operand, name: str = '') -> Function:
    """The larger one, element by element; the operands broadcast.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.element_max(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[-1.3, -0.7, -0.1],
               [ 0.5,  1.1,  1.7]], dtype=float32)
    """
    return _call('element_max', (left, right), (), name)


def element_min(left: Operand, right: Operand, name: str = '') -> Function:
    """The smaller one, element by element; the operands broadcast.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.element_min(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[-1.3, -0.7, -0.1],
               [ 0.5,  1.1,  1.7]], dtype=float32)
    """
    return _call('element_min', (left, right), (), name)


def element_not(x: Operand, name: str = '') -> Function:
    """1 where x is not above 0, else 0.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.element_not([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[1., 1., 1.],
               [0., 0., 0.]], dtype=float32)
    """
    return _call('element_not', (x,), (), name)


def element_or(x: Operand, y: Operand, name: str = '') -> Function:
    """1 where one of the two is above 0, else 0; the operands broadcast.

    Args:
        x: a variable, function, number or array
        y: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.element_or(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[0., 0., 0.],
               [1., 1., 1.]], dtype=float32)
    """
    return _call('element_or', (x, y), (), name)


def element_select(
    flag: Operand, value_if_true: Operand, value_if_false: Operand, name: str = ''
) -> Function:
    """value_if_true where flag is not 0, value_if_false elsewhere; the operands broadcast. The flag has no
    gradient.

    y = value_if_true where flag is not 0, value_if_false elsewhere.

    Args:
        flag: a variable, function, number or array
        value_if_true: a variable, function, number or array
        value_if_false: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.element_select(
        ...     [-1.3, 0.2, 1.7], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3], [1.7]]
        ... ).eval().round(4)
        array([[-1.3, -0.7, -0.1],
               [ 0.5,  1.1,  1.7]], dtype=float32)
    """
    return _call('element_select', (flag, value_if_true, value_if_false), (), name)


def element_times(left: Operand, right: Operand, name: str = '') -> Function:
    """Element by element; the operands broadcast.

    y = left * right, element by element.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.element_times(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[1.69, 0.49, 0.01],
               [0.25, 1.21, 2.89]], dtype=float32)
    """
    return _call('element_times', (left, right), (), name)


def element_xor(x: Operand, y: Operand, name: str = '') -> Function:
    """1 where one of the two, but not both, is above 0, else 0; the operands broadcast.

    Args:
        x: a variable, function, number or array
        y: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.element_xor(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    return _call('element_xor', (x, y), (), name)


def elu(x: Operand, alpha: float = 1.0, name: str = '') -> Function:
    """x where x >= 0, alpha * (e^x - 1) below (Clevert et al. 2016).

    y = x where x >= 0, alpha (e^x - 1) below.

    Args:
        x: a variable, function, number or array
        alpha (float): the limit at minus infinity is -alpha
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.elu([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], alpha=0.7).eval().round(4)
        array([[-0.5092, -0.3524, -0.0666],
               [ 0.5   ,  1.1   ,  1.7   ]], dtype=float32)
    """
    return _call('elu', (x,), (alpha,), name)


def equal(left: Operand, right: Operand, name: str = '') -> Function:
    """1 where left equals right, else 0; the operands broadcast. The gradient is 0.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.equal(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
    """
    return _call('equal', (left, right), (), name)


def erf(x: Operand, name: str = '') -> Function:
    """The error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.erf([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-0.934 , -0.6778, -0.1125],
               [ 0.5205,  0.8802,  0.9838]], dtype=float32)
    """
    return _call('erf', (x,), (), name)


def erfinv(x: Operand, name: str = '') -> Function:
    """The inverse of the error function: y with erf(y) = x. Infinite at -1 and 1, NaN beyond.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.erfinv([[-0.9, -0.5, -0.2], [0.2, 0.5, 0.9]]).eval().round(4)
        array([[-1.1631, -0.4769, -0.1791],
               [ 0.1791,  0.4769,  1.1631]], dtype=float32)
    """
    return _call('erfinv', (x,), (), name)


def exp(x: Operand, name: str = '') -> Function:
    """y = e^x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.exp([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0.2725, 0.4966, 0.9048],
               [1.6487, 3.0042, 5.4739]], dtype=float32)
    """
    return _call('exp', (x,), (), name)


def expand_dims(x: Operand, axis: AxisLike, name: str = '') -> Function:
    """The same numbers with one more axis of size 1, behind the axis given: [2, 3] becomes [2, 1, 3] with
    axis 0, [2, 3, 1] with axis -1.

    Args:
        x: a variable, function, number or array
        axis (Axis or int): the axis before the new one; a new leading axis is possible too
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.expand_dims([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], 0).eval().round(4)
        array([[[-1.3, -0.7, -0.1]],
        <BLANKLINE>
               [[ 0.5,  1.1,  1.7]]], dtype=float32)
    """
    return _call('expand_dims', (x,), (axis,), name)


def expm1(x: Operand, name: str = '') -> Function:
    """e^x - 1, without loss of digits near 0.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.expm1([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-0.7275, -0.5034, -0.0952],
               [ 0.6487,  2.0042,  4.4739]], dtype=float32)
    """
    return _call('expm1', (x,), (), name)


def eye_like(x: Operand, sparse_output: bool = True, name: str = '') -> Function:
    """The unit matrix in the shape of x, which has two axes: two static ones, or the batch and one static
    axis.

    Args:
        x: a variable, function, number or array
        sparse_output (bool): sparse rows
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.eye_like([[1, 2], [3, 4]], sparse_output=False).eval()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    return _call('eye_like', (x,), (sparse_output,), name)


def flatten(x: Operand, axis: int | None = None, name: str = '') -> Function:
    """A matrix of the same numbers: its rows are the axes before `axis`, its columns the others. [2, 3, 4]
    becomes [2, 12] with axis 1.

    Args:
        x: a variable, function, number or array
        axis (int): the first axis of the columns; -1: the end, as is the batch axis. Without one, all axes
            are columns
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.flatten(C.input_variable((2, 3, 4)), axis=1).shape
        (2, 12)
    """
    return _call('flatten', (x,), (axis,), name)


def floor(arg: Operand, name: str = '') -> Function:
    """y = the largest whole number that is not above x.

    Args:
        arg: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.floor([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-2., -1., -1.],
               [ 0.,  1.,  1.]], dtype=float32)
    """
    return _call('floor', (arg,), (), name)


def forward_backward(
    graph: Operand, features: Operand, blankTokenId: int, delayConstraint: int = -1, name: str = ''
) -> Function:
    """Connectionist temporal classification: minus the logarithm of the probability that features, numbers
    before the softmax of each step, read the labels of graph, summed over all sequences. graph is made by
    labels_to_graph. Infinite where the labels do not fit into the steps.

    Args:
        graph: a variable, function, number or array
        features: a variable, function, number or array
        blankTokenId (int): which class is the blank
        delayConstraint (int): how many steps behind the beginning of the next label a label may still be
            read; -1: any
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x, labels = C.sequence.input_variable(3), C.sequence.input_variable(3)
        >>> f = C.forward_backward(C.labels_to_graph(labels), x, blankTokenId=2)
        >>> begins = np.array([[2, 0, 0], [1, 0, 0], [0, 2, 0]], np.float32)
        >>> f.eval({x: [np.zeros((3, 3), np.float32)], labels: [begins]}).round(4)
        np.float32(1.6864)
    """
    return _call('forward_backward', (graph, features), (blankTokenId, delayConstraint), name)


def gamma(x: Operand, name: str = '') -> Function:
    """The gamma function: (x - 1)! for whole x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.gamma([[0.4, 1.0, 1.6], [2.3, 2.9, 3.5]]).eval().round(4)
        array([[2.2182, 1.    , 0.8935],
               [1.1667, 1.8274, 3.3234]], dtype=float32)
    """
    return _call('gamma', (x,), (), name)


def gather(reference: Operand, indices: Operand, axis: AxisLike | None = None, name: str = '') -> Function:
    """Rows of reference by number: [5, 4] and indices [2] give [2, 4]. With an axis other than the first,
    that axis and the first change places before and behind. Indices are whole numbers, in the element type
    of the reference; one outside of the table is an error.

    y[i...] = reference[indices[i...]]: rows of a table, by number.

    Args:
        reference: a variable, function, number or array
        indices: a variable, function, number or array
        axis (Axis or int): the axis of the reference that is looked up; without one, the first
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).eval()
        array([[5., 6.],
               [1., 2.]], dtype=float32)
    """
    return _call('gather', (reference, indices), (axis,), name)


def gelu(x: Operand, name: str = '') -> Function:
    """x times the probability that a standard normal number is at most x (Hendrycks and Gimpel 2016).

    y = x P(X <= x) for a standard normal X: (1 + erf(x / sqrt 2)) / 2 of x (Hendrycks, Gimpel 2016).

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.gelu([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-0.1258, -0.1694, -0.046 ],
               [ 0.3457,  0.9508,  1.6242]], dtype=float32)
    """
    return _call('gelu', (x,), (), name)


def greater(left: Operand, right: Operand, name: str = '') -> Function:
    """1 where left is above right, else 0; the operands broadcast. The gradient is 0.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.greater(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    return _call('greater', (left, right), (), name)


def greater_equal(left: Operand, right: Operand, name: str = '') -> Function:
    """1 where left is not below right, else 0; the operands broadcast. The gradient is 0.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.greater_equal(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
    """
    return _call('greater_equal', (left, right), (), name)


def group_normalization(operand: Operand, groups: int, epsilon: float = 1e-05, name: str = '') -> Function:
    """(x - mean) / sqrt(variance + epsilon); mean and variance are those of each group of channels of a
    sample, [channels, ...] (Wu and He 2018).

    Args:
        operand: a variable, function, number or array
        groups (int): how many; as many channels each
        epsilon (float): added to the variance
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.group_normalization([-1.3, -0.7, -0.1, 0.5, 1.1, 1.7], 3).eval().round(4)
        array([-0.9999,  0.9999, -0.9999,  0.9999, -0.9999,  0.9999], dtype=float32)
    """
    return _call('group_normalization', (operand,), (groups, epsilon), name)


def hard_sigmoid(x: Operand, alpha: float, beta: float, name: str = '') -> Function:
    """max(0, min(1, alpha * x + beta)).

    y = alpha x + beta, but not below 0 nor above 1.

    Args:
        x: a variable, function, number or array
        alpha (float): slope between the two ends
        beta (float): the value at 0
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.hard_sigmoid([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], 0.2, 0.5).eval().round(4)
        array([[0.24, 0.36, 0.48],
               [0.6 , 0.72, 0.84]], dtype=float32)
    """
    return _call('hard_sigmoid', (x,), (alpha, beta), name)


def hardmax(x: Operand, name: str = '') -> Function:
    """1 at the largest number of a sample, the first of several, else 0. Of a value without dynamic axes,
    each line along the last axis is a sample. The gradient is 0.

    y = 1 at the largest number of a sample, the first of several, else 0.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.hardmax([-1.3, -0.3, 0.7, 1.7]).eval().round(4)
        array([0., 0., 0., 1.], dtype=float32)
    """
    return _call('hardmax', (x,), (), name)


def image_scaler(x: Operand, scalar: float, biases: Sequence[float], name: str = '') -> Function:
    """scalar * x + biases[channel], for images [channels, height, width].

    y = scalar x + biases[channel].

    Args:
        x: a variable, function, number or array
        scalar (float): factor of all numbers
        biases (list of float): for each channel what is added
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.image_scaler(
        ...     [[[-1.3, -1.0], [-0.8, -0.5]], [[-0.2, 0.1], [0.3, 0.6]], [[0.9, 1.2], [1.4, 1.7]]],
        ...     0.5,
        ...     [1, 2, 3],
        ... ).eval().round(4)
        array([[[0.35, 0.5 ],
                [0.6 , 0.75]],
        <BLANKLINE>
               [[1.9 , 2.05],
                [2.15, 2.3 ]],
        <BLANKLINE>
               [[3.45, 3.6 ],
                [3.7 , 3.85]]], dtype=float32)
    """
    return _call('image_scaler', (x,), (scalar, biases), name)


def labels_to_graph(labels: Operand, name: str = '') -> Function:
    """Labels as the graph that forward_backward reads: the same numbers. labels has a class for each step: 2
    at the place of the class in the step where a label begins, 1 in those where it goes on, 0 at all other
    places.

    Args:
        labels: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.labels_to_graph([-1.3, -0.3, 0.7, 1.7]).eval().round(4)
        array([-1.3, -0.3,  0.7,  1.7], dtype=float32)
    """
    return _call('labels_to_graph', (labels,), (), name)


def leaky_relu(x: Operand, alpha: float = 0.01, name: str = '') -> Function:
    """x where x >= 0, alpha * x below.

    y = x where x >= 0, alpha x below.

    Args:
        x: a variable, function, number or array
        alpha (float): slope below zero
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.leaky_relu([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], alpha=0.1).eval().round(4)
        array([[-0.13, -0.07, -0.01],
               [ 0.5 ,  1.1 ,  1.7 ]], dtype=float32)
    """
    return _call('leaky_relu', (x,), (alpha,), name)


def less(left: Operand, right: Operand, name: str = '') -> Function:
    """1 where left is below right, else 0; the operands broadcast. The gradient is 0.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.less([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(
        ...     4
        ... )
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    return _call('less', (left, right), (), name)


def less_equal(left: Operand, right: Operand, name: str = '') -> Function:
    """1 where left is not above right, else 0; the operands broadcast. The gradient is 0.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.less_equal(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
    """
    return _call('less_equal', (left, right), (), name)


def local_response_normalization(
    operand: Operand, depth_radius: int, bias: float, alpha: float, beta: float, name: str = ''
) -> Function:
    """x / (bias + alpha mean(x^2))^beta; the mean is over the 2 depth_radius + 1 channels around each, with
    zeros beyond the first and the last, and at most as many as there are.

    y = x / (bias + alpha / n * sum of x^2 over n neighbouring channels)^beta.

    Args:
        operand: a variable, function, number or array
        depth_radius (int): channels on each side
        bias (float): added to the sum
        alpha (float): factor of the mean square
        beta (float): exponent
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.local_response_normalization(
        ...     [[[-1.3, -0.7, -0.1]], [[0.5, 1.1, 1.7]]], 0, 1, 1, 1
        ... ).eval().round(4)
        array([[[-0.4833, -0.4698, -0.099 ]],
        <BLANKLINE>
               [[ 0.4   ,  0.4977,  0.437 ]]], dtype=float32)
    """
    return _call('local_response_normalization', (operand,), (depth_radius, bias, alpha, beta), name)


def log(x: Operand, name: str = '') -> Function:
    """Natural logarithm. Of numbers below 1e-37, negative ones too, it is -85.1.

    y = log x. As in CNTK, numbers below 1e-37 have the logarithm -85.1, and a gradient as if they were
    e^-85.1.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.log([[0.3, 0.6, 1.0], [1.3, 1.7, 2.0]]).eval().round(4)
        array([[-1.204 , -0.5108,  0.    ],
               [ 0.2624,  0.5306,  0.6931]], dtype=float32)
    """
    return _call('log', (x,), (), name)


def log1p(x: Operand, name: str = '') -> Function:
    """log(1 + x), without loss of digits near 0. Minus infinity at -1, NaN below.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.log1p([[-0.7, -0.2, 0.4], [0.9, 1.5, 2.0]]).eval().round(4)
        array([[-1.204 , -0.2231,  0.3365],
               [ 0.6419,  0.9163,  1.0986]], dtype=float32)
    """
    return _call('log1p', (x,), (), name)


def log_add_exp(left: Operand, right: Operand, name: str = '') -> Function:
    """log(e^left + e^right), element by element; the operands broadcast.

    y = log(e^left + e^right), element by element, without overflow.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.log_add_exp(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[-0.6069, -0.0069,  0.5931],
               [ 1.1931,  1.7931,  2.3931]], dtype=float32)
    """
    return _call('log_add_exp', (left, right), (), name)


def log_gamma(x: Operand, name: str = '') -> Function:
    """The logarithm of the absolute value of the gamma function.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.log_gamma([[0.4, 1.0, 1.6], [2.3, 2.9, 3.5]]).eval().round(4)
        array([[ 0.7967,  0.    , -0.1126],
               [ 0.1542,  0.6029,  1.201 ]], dtype=float32)
    """
    return _call('log_gamma', (x,), (), name)


def log_softmax(x: Operand, axis: AxisLike | None = None, name: str = '') -> Function:
    """x - log(sum of e^x) along a static axis, by default the last, or over the samples of the batch.

    y = x - log(sum of e^x) along an axis.

    Args:
        x: a variable, function, number or array
        axis (Axis or int): a static axis, or the batch; without one, the last
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.log_softmax([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1.8152, -1.2152, -0.6152],
               [-1.8152, -1.2152, -0.6152]], dtype=float32)
    """
    return _call('log_softmax', (x,), (axis,), name)


def mean(*operands: Operand, name: str = '') -> Function:
    """The mean of the operands, element by element; they broadcast.

    y = the mean of the operands, which broadcast.

    Args:
        operands: the operands: variables, functions, numbers or arrays
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.mean(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [-1.3, 0.2, 1.7]
        ... ).eval().round(4)
        array([[-1.3, -0.4,  0.5],
               [-0.1,  0.8,  1.7]], dtype=float32)
    """
    return _call('mean', operands, (), name)


def mean_variance_normalization(
    operand: Operand,
    epsilon: float = 1e-05,
    use_stats_across_channels: bool = False,
    do_variance_scaling: bool = True,
    name: str = '',
) -> Function:
    """x - mean, over deviation + epsilon; mean and deviation are those of each channel of a sample,
    [channels, height, width], or of all of it.

    Args:
        operand: a variable, function, number or array
        epsilon (float): added to the deviation
        use_stats_across_channels (bool): one mean for all channels
        do_variance_scaling (bool): divide by the deviation
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.mean_variance_normalization(
        ...     [[[-1.3, -1.0], [-0.8, -0.5], [-0.2, 0.1]], [[0.3, 0.6], [0.9, 1.2], [1.4, 1.7]]]
        ... ).eval().round(4)
        array([[[-1.4415, -0.8086],
                [-0.3867,  0.2461],
                [ 0.8789,  1.5118]],
        <BLANKLINE>
               [[-1.5118, -0.8789],
                [-0.2461,  0.3867],
                [ 0.8086,  1.4415]]], dtype=float32)
    """
    return _call(
        'mean_variance_normalization',
        (operand,),
        (epsilon, use_stats_across_channels, do_variance_scaling),
        name,
    )


def minus(left: Operand, right: Operand, name: str = '') -> Function:
    """Element by element; the operands broadcast.

    y = left - right, element by element.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.minus(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    return _call('minus', (left, right), (), name)


def multibit(
    x: Operand, bit_map: Operand, levels: int = 1, per_filter: bool = False, name: str = ''
) -> Function:
    """A sum of signs near x, for binary networks. The gradient is that of x where |x| <= bit_map, else 0
    (straight through). bit_map: how many levels each element has, or one number for all; a constant.
    levels: the largest of these numbers.

    Numbers as sums of signs: y = m[0] b[0] + m[1] b[1] + ..., where b[i] are the signs (+1 above 0, else -1)
    of what the levels before have left of x, and m[i] is the mean of its magnitudes.

    Args:
        x: a variable, function, number or array
        bit_map: a variable, function, number or array
        levels (int): the largest number of levels
        per_filter (bool): each slice along the first axis has means of its own
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.multibit(
        ...     [[-1.3, -1.0, -0.8, -0.5], [-0.2, 0.1, 0.3, 0.6], [0.9, 1.2, 1.4, 1.7]], [1.7], levels=2
        ... ).eval().round(4)
        array([[-1.25  , -1.25  , -0.4167, -0.4167],
               [-0.4167,  0.4167,  0.4167,  0.4167],
               [ 1.25  ,  1.25  ,  1.25  ,  1.25  ]], dtype=float32)
    """
    return _call('multibit', (x, bit_map), (levels, per_filter), name)


def native_binary_convolve(
    convolution_map: Operand,
    operand: Operand,
    stride: int = 1,
    padding: bool = False,
    size: int = 0,
    h: int = 0,
    w: int = 0,
    channels: int = 0,
    filters: int = 0,
    name: str = '',
) -> Function:
    """CNTK's native function NativeBinaryConvolveFunction: binary_convolve of the signs alone. Of n products
    under the window's taps inside the operand, d of unlike signs, the result is n - 2 d. convolution_map:
    [filters, channels, size, size]; operand: [channels, h, w]. The sizes among the attributes are those of
    the operands, or 0.

    Args:
        convolution_map: a variable, function, number or array
        operand: a variable, function, number or array
        stride (int): of the window, along both axes
        padding (bool): whether the result is as large as the operand
        size (int): taps along each axis
        h (int): rows of pixels
        w (int): columns
        channels (int): of the operand
        filters (int): channels of the result
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> x = C.input_variable((64, 8, 8))
        >>> W = C.parameter((16, 64, 3, 3), init=C.he_normal())
        >>> C.native_binary_convolve(W, x, stride=2, padding=True).shape
        (16, 4, 4)
    """
    return _call(
        'native_binary_convolve',
        (convolution_map, operand),
        (stride, padding, size, h, w, channels, filters),
        name,
    )


def negate(x: Operand, name: str = '') -> Function:
    """y = -x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.negate([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[ 1.3,  0.7,  0.1],
               [-0.5, -1.1, -1.7]], dtype=float32)
    """
    return _call('negate', (x,), (), name)


def not_equal(left: Operand, right: Operand, name: str = '') -> Function:
    """1 where left differs from right, else 0; the operands broadcast. The gradient is 0.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.not_equal(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    return _call('not_equal', (left, right), (), name)


def one_hot(
    x: Operand, num_classes: int, sparse_output: bool = False, axis: AxisLike = -1, name: str = ''
) -> Function:
    """Each number of x becomes a vector of num_classes numbers: 1 at its place, else 0; zeros where it is no
    class. The vectors lie along `axis` of the result.

    Args:
        x: a variable, function, number or array
        num_classes (int): length of the vectors
        sparse_output (bool): sparse rows
        axis (Axis or int): the axis of the result that the classes are
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.one_hot([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], 5).shape
        (2, 3, 5)
    """
    return _call('one_hot', (x,), (num_classes, sparse_output, axis), name)


def ones_like(x: Operand, name: str = '') -> Function:
    """Ones in the shape of x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.ones_like([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
    """
    return _call('ones_like', (x,), (), name)


def optimized_rnnstack(
    operand: Operand,
    weights: Operand,
    hidden_size: int,
    num_layers: int,
    bidirectional: bool = False,
    recurrent_op: str = 'lstm',
    name: str = '',
) -> Function:
    """Recurrent layers on top of one another, whose weights lie in one parameter as cuDNN has them. For each
    layer and direction the matrices [state, input] of all gates, then those [state, state]; behind them
    all, for each layer and direction, two biases a gate. Gates: lstm i, f, g, o; gru r, z, n. Weights of
    the shape (InferredDimension, n) get their rows from the operand.

    Args:
        operand: a variable, function, number or array
        weights: a variable, function, number or array
        hidden_size (int): numbers in a state, of each direction; at least 1
        num_layers (int): how many layers; at least 1 and at most 1000
        bidirectional (bool): whether each layer runs from both ends, its results side by side
        recurrent_op (str): 'lstm', 'gru', 'rnnTanh' or 'rnnReLU'
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> W = C.parameter((C.InferredDimension, 2), init=C.glorot_uniform())
        >>> f = C.optimized_rnnstack(C.sequence.input_variable(3), W, 2, 1, bidirectional=True)
        >>> f.shape, W.shape
        ((4,), (56, 2))
    """
    return _call(
        'optimized_rnnstack', (operand, weights), (hidden_size, num_layers, bidirectional, recurrent_op), name
    )


def pad(
    x: Operand,
    pattern: int | Sequence[int],
    mode: int | None = None,
    constant_value: float = 0,
    name: str = '',
) -> Function:
    """x with a border: pattern is a pair (before, behind) for each static axis. The border is constant_value
    (mode 0), x mirrored without its edge (1) or with it (2).

    Args:
        x: a variable, function, number or array
        pattern (list of int): for each axis how much comes before and how much behind it
        mode (int): 0: a number, 1: mirrored without the edge, 2: mirrored with it
        constant_value (float): the number
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.pad([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [1, 1, 0, 2], constant_value=0.5).shape
        (4, 5)
    """
    return _call('pad', (x,), (pattern, mode, constant_value), name)


def param_relu(alpha: Operand, x: Operand, name: str = '') -> Function:
    """x where x >= 0, alpha * x below; alpha, a parameter as a rule, broadcasts (He et al. 2015).

    y = x where x >= 0, alpha x below; alpha is learnt.

    Args:
        alpha: a variable, function, number or array
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.param_relu([-1.3, 0.2, 1.7], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[ 1.69, -0.14, -0.17],
               [ 0.5 ,  1.1 ,  1.7 ]], dtype=float32)
    """
    return _call('param_relu', (alpha, x), (), name)


def per_dim_mean_variance_normalize(
    operand: Operand, mean: Operand, inv_stddev: Operand, name: str = ''
) -> Function:
    """(x - mean) * inv_stddev, element by element; the operands broadcast.

    y = (x - mean) * inv_stddev, element by element.

    Args:
        operand: a variable, function, number or array
        mean: a variable, function, number or array
        inv_stddev: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.per_dim_mean_variance_normalize(
        ...     [-1.3, 0.2, 1.7], [-1.3, 0.2, 1.7], [-1.3, 0.2, 1.7]
        ... ).eval().round(4)
        array([-0.,  0.,  0.], dtype=float32)
    """
    return _call('per_dim_mean_variance_normalize', (operand, mean, inv_stddev), (), name)


def plus(left: Operand, right: Operand, name: str = '') -> Function:
    """Element by element; the operands broadcast.

    y = left + right, element by element.

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.plus([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(
        ...     4
        ... )
        array([[-2.6, -1.4, -0.2],
               [ 1. ,  2.2,  3.4]], dtype=float32)
    """
    return _call('plus', (left, right), (), name)


def pooling(
    operand: Operand,
    pooling_type: int,
    pooling_window_shape: ShapeLike,
    strides: ShapeLike = (1,),
    auto_padding: Sequence[bool] = [False],
    ceil_out_dim: bool = False,
    include_pad: bool = False,
    name: str = '',
    lower_pad: ShapeLike = (),
    upper_pad: ShapeLike = (),
) -> Function:
    """The largest or the mean element of each window over the last axes of the operand.

    Args:
        operand: a variable, function, number or array
        pooling_type (int): 0: max, 1: average
        pooling_window_shape (tuple): of the last axes
        strides (tuple): steps of the window; one number serves all axes
        auto_padding (list of bool): whether the result has ceil(size / stride) along an axis
        ceil_out_dim (bool): whether sizes are rounded up
        include_pad (bool): whether padding counts in averages
        lower_pad (tuple): padding before each axis without auto_padding
        upper_pad (tuple): padding behind it
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable((1, 2, 2))
        >>> C.pooling(x, C.AVG_POOLING, (2, 2)).eval({x: np.array([[[[1, 2], [3, 6]]]], np.float32)})
        array([[[[3.]]]], dtype=float32)
    """
    return _call(
        'pooling',
        (operand,),
        (
            pooling_type,
            pooling_window_shape,
            strides,
            auto_padding,
            ceil_out_dim,
            include_pad,
            lower_pad,
            upper_pad,
        ),
        name,
    )


def pow(base: Operand, exponent: Operand, name: str = '') -> Function:
    """Element by element; the operands broadcast. 0^0 is 1, 0 to any other power 0; a negative base to a
    broken power is NaN.

    y = base^exponent, element by element; 0 to a negative power is 0.

    Args:
        base: a variable, function, number or array
        exponent: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.pow([[0.4, 0.7, 1.0], [1.4, 1.7, 2.0]], [[0.4, 0.7, 1.0], [1.4, 1.7, 2.0]]).eval().round(4)
        array([[0.6931, 0.7791, 1.    ],
               [1.6017, 2.4647, 4.    ]], dtype=float32)
    """
    return _call('pow', (base, exponent), (), name)


def random_sample(
    weights: Operand, num_samples: int, allow_duplicates: bool, seed: int | None = None, name: str = ''
) -> Function:
    """[num_samples, classes], sparse: in each row a 1 at a class drawn in proportion to the weights, new ones
    in each run. weights: [classes], or [1, classes].

    Args:
        weights: a variable, function, number or array
        num_samples (int): how many are drawn
        allow_duplicates (bool): whether a class may come twice
        seed (int): where the stream begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.random_sample([1, 2, 3], 2, True).shape
        (2, 3)
    """
    return _call('random_sample', (weights,), (num_samples, allow_duplicates, seed), name)


def random_sample_inclusion_frequency(
    weights: Operand, num_samples: int, allow_duplicates: bool, seed: int | None = None, name: str = ''
) -> Function:
    """How often each class is to be expected among num_samples drawn by random_sample, in the shape of the
    weights. weights: [classes], or [1, classes].

    Args:
        weights: a variable, function, number or array
        num_samples (int): how many are drawn
        allow_duplicates (bool): whether a class may come twice
        seed (int): where the stream begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.random_sample_inclusion_frequency([1, 1, 2], 4, True).eval()
        array([1., 1., 2.], dtype=float32)
    """
    return _call('random_sample_inclusion_frequency', (weights,), (num_samples, allow_duplicates, seed), name)


def reciprocal(x: Operand, name: str = '') -> Function:
    """1 / x; 0 of 0.

    y = 1 / x, and 0 where x is 0.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reciprocal([[0.4, 0.7, 1.0], [1.4, 1.7, 2.0]]).eval().round(4)
        array([[2.5   , 1.4286, 1.    ],
               [0.7143, 0.5882, 0.5   ]], dtype=float32)
    """
    return _call('reciprocal', (x,), (), name)


def reconcile_dynamic_axes(x: Operand, dynamic_axes_as: Operand, name: str = '') -> Function:
    """x with the dynamic axes of dynamic_axes_as: as it is where they are the same; once for each sample or
    step where x has fewer; step for step where both are sequences of the same lengths, or x of one step
    each.

    Args:
        x: a variable, function, number or array
        dynamic_axes_as: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reconcile_dynamic_axes([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [-1.3, 1.7]).eval().round(4)
        array([[-1.3, -0.7, -0.1],
               [ 0.5,  1.1,  1.7]], dtype=float32)
    """
    return _call('reconcile_dynamic_axes', (x, dynamic_axes_as), (), name)


def reduce_l1(x: Operand, axis: AxesLike | None = None, keepdims: bool = True, name: str = '') -> Function:
    """The sum of |x| over some axes.

    Args:
        x: a variable, function, number or array
        axis (Axis, int or a list of them): the axes to reduce: static ones, the batch, or all; without one,
            all static axes
        keepdims (bool): a reduced static axis stays, with the size 1
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reduce_l1([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        np.float32(5.4)
    """
    return _call('reduce_l1', (x,), (axis, keepdims), name)


def reduce_l2(x: Operand, axis: AxesLike | None = None, keepdims: bool = True, name: str = '') -> Function:
    """sqrt(sum of x^2) over some axes.

    Args:
        x: a variable, function, number or array
        axis (Axis, int or a list of them): the axes to reduce: static ones, the batch, or all; without one,
            all static axes
        keepdims (bool): a reduced static axis stays, with the size 1
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reduce_l2([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        np.float32(2.5573)
    """
    return _call('reduce_l2', (x,), (axis, keepdims), name)


def reduce_log_sum_exp(
    x: Operand, axis: AxesLike | None = None, keepdims: bool = True, name: str = ''
) -> Function:
    """Log(sum of e^x) over some axes: static ones, the batch, or all. Without an axis, over all static ones.

    y = log(sum of e^x) over some axes.

    Args:
        x: a variable, function, number or array
        axis (Axis, int or a list of them): the axes to reduce: static ones, the batch, or all; without one,
            all static axes
        keepdims (bool): a reduced static axis stays, with the size 1
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reduce_log_sum_exp([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        np.float32(2.4682)
    """
    return _call('reduce_log_sum_exp', (x,), (axis, keepdims), name)


def reduce_max(x: Operand, axis: AxesLike | None = None, keepdims: bool = True, name: str = '') -> Function:
    """The largest number over some axes: static ones, the batch, or all. Without an axis, over all static
    ones.

    y = max of x over some axes.

    Args:
        x: a variable, function, number or array
        axis (Axis, int or a list of them): the axes to reduce: static ones, the batch, or all; without one,
            all static axes
        keepdims (bool): a reduced static axis stays, with the size 1
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reduce_max([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        np.float32(1.7)
    """
    return _call('reduce_max', (x,), (axis, keepdims), name)


def reduce_mean(x: Operand, axis: AxesLike | None = None, keepdims: bool = True, name: str = '') -> Function:
    """The mean over some axes: static ones, the batch, or all. Without an axis, over all static ones.

    y = mean of x over some axes.

    Args:
        x: a variable, function, number or array
        axis (Axis, int or a list of them): the axes to reduce: static ones, the batch, or all; without one,
            all static axes
        keepdims (bool): a reduced static axis stays, with the size 1
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reduce_mean([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        np.float32(0.2)
    """
    return _call('reduce_mean', (x,), (axis, keepdims), name)


def reduce_min(x: Operand, axis: AxesLike | None = None, keepdims: bool = True, name: str = '') -> Function:
    """The smallest number over some axes: static ones, the batch, or all. Without an axis, over all static
    ones.

    y = min of x over some axes.

    Args:
        x: a variable, function, number or array
        axis (Axis, int or a list of them): the axes to reduce: static ones, the batch, or all; without one,
            all static axes
        keepdims (bool): a reduced static axis stays, with the size 1
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reduce_min([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        np.float32(-1.3)
    """
    return _call('reduce_min', (x,), (axis, keepdims), name)


def reduce_prod(x: Operand, axis: AxesLike | None = None, keepdims: bool = True, name: str = '') -> Function:
    """The product over some axes: static ones, the batch, or all. Without an axis, over all static ones.

    y = product of x over some axes.

    Args:
        x: a variable, function, number or array
        axis (Axis, int or a list of them): the axes to reduce: static ones, the batch, or all; without one,
            all static axes
        keepdims (bool): a reduced static axis stays, with the size 1
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reduce_prod([[0.4, 0.7, 1.0], [1.4, 1.7, 2.0]]).eval().round(4)
        np.float32(1.3328)
    """
    return _call('reduce_prod', (x,), (axis, keepdims), name)


def reduce_sum(x: Operand, axis: AxesLike | None = None, keepdims: bool = True, name: str = '') -> Function:
    """The sum over some axes: static ones, the batch, or all. Without an axis, over all static ones.

    y = sum of x over some axes.

    Args:
        x: a variable, function, number or array
        axis (Axis, int or a list of them): the axes to reduce: static ones, the batch, or all; without one,
            all static axes
        keepdims (bool): a reduced static axis stays, with the size 1
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reduce_sum([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        np.float32(1.2)
    """
    return _call('reduce_sum', (x,), (axis, keepdims), name)


def reduce_sum_square(
    x: Operand, axis: AxesLike | None = None, keepdims: bool = True, name: str = ''
) -> Function:
    """The sum of x^2 over some axes.

    Args:
        x: a variable, function, number or array
        axis (Axis, int or a list of them): the axes to reduce: static ones, the batch, or all; without one,
            all static axes
        keepdims (bool): a reduced static axis stays, with the size 1
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reduce_sum_square([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        np.float32(6.54)
    """
    return _call('reduce_sum_square', (x,), (axis, keepdims), name)


def relu(x: Operand, name: str = '') -> Function:
    """y = max(0, x), with the derivative 0 at 0. What is no number stays so: max takes its second operand
    where none is the larger one.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.relu([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0. , 0. , 0. ],
               [0.5, 1.1, 1.7]], dtype=float32)
    """
    return _call('relu', (x,), (), name)


def remainder(x: Operand, y: Operand, name: str = '') -> Function:
    """What is left of x, taken y off as often as it is in it: x - y floor(x / y), without loss of digits,
    with the sign of y. 0 where y is 0. The operands have one shape.

    Args:
        x: a variable, function, number or array
        y: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.remainder([[0.7, 1.1, 1.4], [1.8, 2.1, 2.5]], [[0.7, 1.1, 1.4], [1.8, 2.1, 2.5]]).eval().round(
        ...     4
        ... )
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    return _call('remainder', (x, y), (), name)


def reshape(
    x: Operand, shape: ShapeLike, begin_axis: int | None = None, end_axis: int | None = None, name: str = ''
) -> Function:
    """The same numbers, in the same order, under another shape: shape takes the place of the axes from
    begin_axis to before end_axis. One dimension may be -1 or free, to be inferred.

    Args:
        x: a variable, function, number or array
        shape (tuple): what takes the place of the axes; one dimension may be -1 or free, to be inferred
        begin_axis (int): the first axis that is replaced; without one, the first of all
        end_axis (int): the first one behind them that stays
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.reshape([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], (3, 2)).eval().round(4)
        array([[-1.3, -0.7],
               [-0.1,  0.5],
               [ 1.1,  1.7]], dtype=float32)
    """
    return _call('reshape', (x,), (shape, begin_axis, end_axis), name)


def roipooling(
    operand: Operand,
    rois: Operand,
    pooling_type: int,
    roi_output_shape: ShapeLike,
    spatial_scale: float,
    name: str = '',
) -> Function:
    """[regions, channels, height, width]: the largest number in each cell of a grid over each region of the
    operand, [channels, height, width]. rois: [regions, 4], left, top, right and bottom of each region,
    both ends included.

    Args:
        operand: a variable, function, number or array
        rois: a variable, function, number or array
        pooling_type (int): 0: max
        roi_output_shape (tuple): height and width of the grid of cells
        spatial_scale (float): from the regions' unit to pixels of the operand
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> x, rois = C.input_variable((16, 8, 8)), C.input_variable((5, 4))
        >>> C.roipooling(x, rois, C.MAX_POOLING, (2, 2), 0.5).shape
        (5, 16, 2, 2)
    """
    return _call('roipooling', (operand, rois), (pooling_type, roi_output_shape, spatial_scale), name)


def round(arg: Operand, name: str = '') -> Function:
    """floor(x + 1/2): the nearest whole number, halves go up.

    y = floor(x + 1/2): halves go up. In graphs and files, just that.

    Args:
        arg: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.round([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1., -1.,  0.],
               [ 1.,  1.,  2.]], dtype=float32)
    """
    return _call('round', (arg,), (), name)


def selu(
    x: Operand, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772, name: str = ''
) -> Function:
    """scale * x where x >= 0, scale * alpha * (e^x - 1) below (Klambauer et al. 2017).

    y = scale x where x >= 0, scale alpha (e^x - 1) below: activations keep mean 0 and variance 1.

    Args:
        x: a variable, function, number or array
        scale (float): factor of everything
        alpha (float): factor below zero
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.selu([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1.279 , -0.8851, -0.1673],
               [ 0.5254,  1.1558,  1.7862]], dtype=float32)
    """
    return _call('selu', (x,), (scale, alpha), name)


def sigmoid(x: Operand, name: str = '') -> Function:
    """y = 1 / (1 + e^-x).

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.sigmoid([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0.2142, 0.3318, 0.475 ],
               [0.6225, 0.7503, 0.8455]], dtype=float32)
    """
    return _call('sigmoid', (x,), (), name)


def silu(x: Operand, name: str = '') -> Function:
    """x times its sigmoid; also called Swish (Elfwing et al. 2017).

    y = x sigmoid(x), also called Swish (Elfwing et al. 2017; Ramachandran et al. 2017).

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.silu([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-0.2784, -0.2323, -0.0475],
               [ 0.3112,  0.8253,  1.4374]], dtype=float32)
    """
    return _call('silu', (x,), (), name)


def sin(x: Operand, name: str = '') -> Function:
    """y = sin x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.sin([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-0.9636, -0.6442, -0.0998],
               [ 0.4794,  0.8912,  0.9917]], dtype=float32)
    """
    return _call('sin', (x,), (), name)


def sinh(x: Operand, name: str = '') -> Function:
    """y = sinh x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.sinh([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1.6984, -0.7586, -0.1002],
               [ 0.5211,  1.3356,  2.6456]], dtype=float32)
    """
    return _call('sinh', (x,), (), name)


def slice(
    x: Operand,
    axis: AxesLike,
    begin_index: int | Sequence[int],
    end_index: int | Sequence[int],
    strides: int | Sequence[int] | None = None,
    name: str = '',
) -> Function:
    """The positions begin_index to before end_index along an axis, or along several. Negative indices count
    from the end; the end 0 is the end of the axis. A negative stride goes backwards from the last position
    of the range.

    y = x[begin:end:stride] along one or several static axes.

    Args:
        x: a variable, function, number or array
        axis (Axis, int or a list of them): a static axis, or several
        begin_index (list of int): the first position; negative: from the end
        end_index (list of int): the first one that is not taken; 0 or negative: from the end
        strides (list of int): every how many positions; negative: backwards
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.slice([[-1.3, -0.9, -0.4, -0.0], [0.4, 0.8, 1.3, 1.7]], [1], [1], [3]).eval().round(4)
        array([[-0.9, -0.4],
               [ 0.8,  1.3]], dtype=float32)
    """
    return _call('slice', (x,), (axis, begin_index, end_index, strides), name)


def smooth_l1(x: Operand, scalar: float = 1.0, name: str = '') -> Function:
    """(s x)^2 / 2 where |x| < 1 / s^2, else |x| - 1 / (2 s^2): squared near 0, absolute elsewhere.

    Args:
        x: a variable, function, number or array
        scalar (float): s: the square ends at 1 / s^2
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.smooth_l1([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], scalar=1.2).eval().round(4)
        array([[0.9528, 0.3528, 0.0072],
               [0.18  , 0.7528, 1.3528]], dtype=float32)
    """
    return _call('smooth_l1', (x,), (scalar,), name)


def softmax(x: Operand, axis: AxisLike | None = None, name: str = '') -> Function:
    """e^x / sum of e^x: along a static axis, or, without one, over all numbers of a sample. Of a value
    without dynamic axes, each line along the last axis is a sample.

    y = e^x / sum of e^x along an axis, or over the whole row.

    Args:
        x: a variable, function, number or array
        axis (Axis or int): the static axis along which the numbers add up to 1; without one, all of a sample
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.softmax([-1.3, -0.3, 0.7, 1.7]).eval().round(4)
        array([0.0321, 0.0871, 0.2369, 0.6439], dtype=float32)
    """
    return _call('softmax', (x,), (axis,), name)


def softplus(x: Operand, steepness: float = 1, name: str = '') -> Function:
    """log(1 + e^(steepness * x)) / steepness.

    y = log(1 + e^(steepness x)) / steepness: a smooth relu.

    Args:
        x: a variable, function, number or array
        steepness (float): the larger, the nearer to relu
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.softplus([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0.241 , 0.4032, 0.6444],
               [0.9741, 1.3873, 1.8678]], dtype=float32)
    """
    return _call('softplus', (x,), (steepness,), name)


def softsign(x: Operand, steepness: float = 1, name: str = '') -> Function:
    """x / (1 + |x|). As in CNTK, steepness changes nothing.

    y = x / (1 + |x|). CNTK takes a steepness, and makes no use of it; neither do we.

    Args:
        x: a variable, function, number or array
        steepness (float): not used
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.softsign([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-0.5652, -0.4118, -0.0909],
               [ 0.3333,  0.5238,  0.6296]], dtype=float32)
    """
    return _call('softsign', (x,), (steepness,), name)


def space_to_depth(operand: Operand, block_size: int, name: str = '') -> Function:
    """[c, b * height, b * width] becomes [b * b * c, height, width]: the pixels of a block of b x b become
    channels.

    Args:
        operand: a variable, function, number or array
        block_size (int): height and width of a block
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.space_to_depth(C.input_variable((2, 4, 6)), 2).shape
        (8, 2, 3)
    """
    return _call('space_to_depth', (operand,), (block_size,), name)


def splice(*inputs: Operand, axis: AxisLike = -1, name: str = '') -> Function:
    """The operands one behind the other along `axis`, by default the last; [2, 3] and [2, 4] become [2, 7].
    Their other axes broadcast. A single operand stays as it is.

    y = the operands one behind the other along an axis.

    Args:
        inputs: the operands: variables, functions, numbers or arrays
        axis (Axis or int): the static axis along which they follow; a new leading one is possible
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.splice(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.9, -0.4, -0.0], [0.4, 0.8, 1.3, 1.7]]
        ... ).shape
        (2, 7)
    """
    return _call('splice', inputs, (axis,), name)


def sqrt(x: Operand, name: str = '') -> Function:
    """Square root; 0 of negative numbers.

    y = sqrt(x), and 0 where x is negative.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.sqrt([[0.3, 0.6, 1.0], [1.3, 1.7, 2.0]]).eval().round(4)
        array([[0.5477, 0.7746, 1.    ],
               [1.1402, 1.3038, 1.4142]], dtype=float32)
    """
    return _call('sqrt', (x,), (), name)


def square(x: Operand, name: str = '') -> Function:
    """x * x.

    y = x * x. In graphs and files, an element_times.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.square([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[1.69, 0.49, 0.01],
               [0.25, 1.21, 2.89]], dtype=float32)
    """
    return _call('square', (x,), (), name)


def squeeze(x: Operand, axes: AxesLike | None = None, name: str = '') -> Function:
    """The same numbers without axes of size 1: those given, or all of them.

    Args:
        x: a variable, function, number or array
        axes (Axis, int or a list of them): the axes to drop; without them, all of size 1
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.squeeze([[[-1.3], [0.2], [1.7]]], axes=[0]).eval().round(4)
        array([[-1.3],
               [ 0.2],
               [ 1.7]], dtype=float32)
    """
    return _call('squeeze', (x,), (axes,), name)


def stop_gradient(input: Operand, name: str = '') -> Function:
    """The operand as it is; what stands below it gets no gradient from here.

    y = x, without a gradient.

    Args:
        input: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.stop_gradient([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1.3, -0.7, -0.1],
               [ 0.5,  1.1,  1.7]], dtype=float32)
    """
    return _call('stop_gradient', (input,), (), name)


def straight_through_impl(x: Operand, name: str = '') -> Function:
    """1 where x > 0, else -1. The gradient is that of x where |x| <= 1, else 0 (Courbariaux et al. 2016).

    y = 1 where x > 0, else -1, with the gradient of x where |x| <= 1 and 0 elsewhere (binary networks).

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.straight_through_impl([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1., -1., -1.],
               [ 1.,  1.,  1.]], dtype=float32)
    """
    return _call('straight_through_impl', (x,), (), name)


def sum(*operands: Operand, name: str = '') -> Function:
    """The sum of the operands, element by element; they broadcast.

    y = the sum of the operands, which broadcast.

    Args:
        operands: the operands: variables, functions, numbers or arrays
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.sum(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [-1.3, 0.2, 1.7]
        ... ).eval().round(4)
        array([[-3.9, -1.2,  1.5],
               [-0.3,  2.4,  5.1]], dtype=float32)
    """
    return _call('sum', operands, (), name)


def swapaxes(x: Operand, axis1: AxisLike = 0, axis2: AxisLike = 1, name: str = '') -> Function:
    """Two axes change places. One of them, counted from the last axis, may stand in front of the first: [3]
    becomes [3, 1] with -1 and -2.

    Args:
        x: a variable, function, number or array
        axis1 (Axis or int): one of the two
        axis2 (Axis or int): the other
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.swapaxes([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-1.3,  0.5],
               [-0.7,  1.1],
               [-0.1,  1.7]], dtype=float32)
    """
    return _call('swapaxes', (x,), (axis1, axis2), name)


def tan(x: Operand, name: str = '') -> Function:
    """y = tan x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.tan([[-1.2, -0.7, -0.2], [0.2, 0.7, 1.2]]).eval().round(4)
        array([[-2.5722, -0.8423, -0.2027],
               [ 0.2027,  0.8423,  2.5722]], dtype=float32)
    """
    return _call('tan', (x,), (), name)


def tanh(x: Operand, name: str = '') -> Function:
    """y = tanh x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.tanh([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[-0.8617, -0.6044, -0.0997],
               [ 0.4621,  0.8005,  0.9354]], dtype=float32)
    """
    return _call('tanh', (x,), (), name)


def times(
    left: Operand,
    right: Operand,
    output_rank: int = 1,
    infer_input_rank_to_map: int | None = None,
    name: str = '',
) -> Function:
    """Matrix product over the last axes of left and the first of right; right keeps output_rank axes.

    y = left · right over the inner axes: [m..., k...] · [k..., n...] = [m..., n...].

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        output_rank (int): how many axes of right stay in the result
        infer_input_rank_to_map (int): leading axes of left to map over, where right's rank is to be inferred
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.times(
        ...     [-1.3, 0.2, 1.7],
        ...     [[[-1.3, -1.0], [-0.8, -0.5]], [[-0.2, 0.1], [0.3, 0.6]], [[0.9, 1.2], [1.4, 1.7]]],
        ...     output_rank=2,
        ... ).eval().round(4)
        array([[3.18, 3.36],
               [3.48, 3.66]], dtype=float32)
    """
    return _call('times', (left, right), (output_rank, infer_input_rank_to_map), name)


def times_transpose(left: Operand, right: Operand, name: str = '') -> Function:
    """Product with the transpose of right: [m..., n] and [k, n] give [m..., k]. Two vectors [n] give their
    inner product, [1].

    y = left · rightᵀ: [m..., n] and [k, n] give [m..., k].

    Args:
        left: a variable, function, number or array
        right: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.times_transpose([-1.3, 0.2, 1.7], [-1.3, 0.2, 1.7]).eval().round(4)
        array([4.62], dtype=float32)
    """
    return _call('times_transpose', (left, right), (), name)


def to_batch(x: Operand, name: str = '') -> Function:
    """The first static axis becomes the batch: [4, 2] becomes four samples [2].

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> z = C.to_batch(C.parameter((4, 2)))
        >>> z.shape, z.dynamic_axes
        ((2,), (Axis('defaultBatchAxis'),))
    """
    return _call('to_batch', (x,), (), name)


def to_sequence(
    x: Operand,
    sequence_lengths: Operand | None = None,
    sequence_axis_name_prefix: str = 'toSequence_',
    name: str = '',
) -> Function:
    """The first static axis of each sample becomes the steps of a sequence, on an axis of its own. Where
    lengths are given, one number for each sample, only so many steps are taken.

    Args:
        x: a variable, function, number or array
        sequence_lengths: a variable, function, number or array
        sequence_axis_name_prefix (str): how the name of the new axis begins
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x, n = C.input_variable(3), C.input_variable(())
        >>> C.to_sequence(x, n).eval(
        ...     {x: np.array([[1, 2, 3], [4, 5, 6]], np.float32), n: np.array([2, 3], np.float32)}
        ... )
        [array([1., 2.], dtype=float32), array([4., 5., 6.], dtype=float32)]
    """
    return _call('to_sequence', (x, sequence_lengths), (sequence_axis_name_prefix,), name)


def to_sequence_like(x: Operand, dynamic_axes_like: Operand, name: str = '') -> Function:
    """The first static axis of each sample becomes the steps of a sequence, on the axis of dynamic_axes_like
    and of its lengths.

    Args:
        x: a variable, function, number or array
        dynamic_axes_like: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x, like = C.input_variable(3), C.sequence.input_variable(1)
        >>> C.to_sequence_like(x, like).eval(
        ...     {x: np.array([[1, 2, 3]], np.float32), like: [np.zeros((2, 1), np.float32)]}
        ... )
        [array([1., 2.], dtype=float32)]
    """
    return _call('to_sequence_like', (x, dynamic_axes_like), (), name)


def top_k(x: Operand, k: int, axis: AxisLike = -1, name: str = '') -> Function:
    """Two results: the k largest numbers along an axis, in falling order, and their places; of equal numbers
    the first ones. Of an axis in front of the first there is one number: [3] becomes [1, 3] with the axis
    -2.

    Args:
        x: a variable, function, number or array
        k (int): how many
        axis (Axis or int): along which static axis
        name (str): of the function

    Returns:
        a function of 2 outputs

    Example:
        >>> import cantik as C
        >>> z = C.top_k([1, 4, 2], 2)
        >>> values, places = (C.combine([v]) for v in z.outputs)
        >>> values.eval(), places.eval()
        (array([4., 2.], dtype=float32), array([1., 2.], dtype=float32))
    """
    return _call('top_k', (x,), (k, axis), name)


def transpose(x: Operand, perm: int | Sequence[int], name: str = '') -> Function:
    """The axes in another order: axis i of the result is axis perm[i] of x.

    y[i_perm] = x[i]: the axes in another order.

    Args:
        x: a variable, function, number or array
        perm (list of int): for each axis of the result, the axis of x
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.transpose([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [1, 0]).eval().round(4)
        array([[-1.3,  0.5],
               [-0.7,  1.1],
               [-0.1,  1.7]], dtype=float32)
    """
    return _call('transpose', (x,), (perm,), name)


def unpack_batch(x: Operand, name: str = '') -> Function:
    """The samples become a first static axis, of a size that is known in each run: [#][2, 3] becomes [*, 2,
    3].

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(2)
        >>> C.unpack_batch(x).eval({x: np.array([[1, 2], [3, 4]], np.float32)})
        array([[1., 2.],
               [3., 4.]], dtype=float32)
    """
    return _call('unpack_batch', (x,), (), name)


def unpooling(
    operand: Operand,
    pooling_input: Operand,
    unpooling_type: int,
    unpooling_window_shape: ShapeLike,
    strides: ShapeLike = (1,),
    auto_padding: Sequence[bool] = [False],
    name: str = '',
    lower_pad: ShapeLike = (),
    upper_pad: ShapeLike = (),
) -> Function:
    """Spreads the operand over the places of the largest elements of pooling_input; windows as of the
    pooling. Where windows share a place, the last one counts, and each gets the gradient.

    Args:
        operand: a variable, function, number or array
        pooling_input: a variable, function, number or array
        unpooling_type (int): 0: max
        unpooling_window_shape (tuple): of the last axes
        strides (tuple): steps of the window; one number serves all axes
        auto_padding (list of bool): as of the pooling
        lower_pad (tuple): as of the pooling
        upper_pad (tuple): as of the pooling
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> x = C.input_variable((1, 4, 4))
        >>> C.unpooling(C.pooling(x, C.MAX_POOLING, (2, 2), (2, 2)), x, C.MAX_UNPOOLING, (2, 2), (2, 2)).shape
        (1, 4, 4)
    """
    return _call(
        'unpooling',
        (operand, pooling_input),
        (unpooling_type, unpooling_window_shape, strides, auto_padding, lower_pad, upper_pad),
        name,
    )


def zeros_like(x: Operand, name: str = '') -> Function:
    """Zeros in the shape of x.

    Args:
        x: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.zeros_like([[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]).eval().round(4)
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    return _call('zeros_like', (x,), (), name)
